import { FieldError } from '../../base/errors.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { type Context, later } from '../context.ts';
import { isReservedNamespace, parseNamespace } from './namespace.ts';
import { deleteOwner, insertOwner, updateNamespace } from './owner-store.ts';
import {
  deleteReleasedBefore,
  deleteReleasedNamespace,
  findReleasedAt,
  upsertReleasedNamespace,
} from './released-namespace-store.ts';

/**
 * Takes a namespace for a new user or organization.
 *
 * @param options.field the caller's field name, for messages
 * @param options.reuse takes the namespace even if it is reserved after its last owner was deleted
 * @throws BAD_REQUEST if malformed, UNPROCESSABLE if taken or reserved
 */
export async function takeNamespace(
  context: Context,
  tx: Writer,
  type: 'user' | 'organization',
  text: string,
  { field, reuse = false }: { field: string; reuse?: boolean },
): Promise<{ id: string; namespace: string }> {
  const namespace = requireNamespace(context, text, field);
  const id = context.newId();
  // Must come before the next query, because it waits for an uncommitted deletion of the owner.
  if (!(await insertOwner(tx, { id, type, namespace }))) {
    throw new FieldError('UNPROCESSABLE', field, `"${namespace}" is taken. Choose another.`);
  }
  const releasedAt = await findReleasedAt(tx, namespace);
  if (releasedAt === undefined) return { id, namespace };
  const free = later(releasedAt, context.namespaceReservedMs);
  if (!reuse && free > context.now()) {
    throw new FieldError(
      'UNPROCESSABLE',
      field,
      `"${namespace}" is reserved until ${free.slice(0, 10)}, because its owner was deleted or renamed. Choose another.`,
    );
  }
  await deleteReleasedNamespace(tx, namespace);
  return { id, namespace };
}

/**
 * Gives an owner another namespace. The former one is reserved, as if its owner had been deleted
 * ({@link NAMESPACE_RESERVED_DAYS}).
 *
 * @param field the caller's field name, for messages
 * @returns the namespace as stored
 * @throws BAD_REQUEST if malformed, UNPROCESSABLE if taken or reserved
 */
export async function renameOwner(
  context: Context,
  tx: Writer,
  owner: { id: string; type: 'user' | 'organization'; namespace: string },
  text: string,
  field: string,
): Promise<string> {
  if (parseNamespace(text) === owner.namespace) return owner.namespace;
  // Taken for a moment by an owner that goes at once, which waits for others who take it.
  const { id, namespace } = await takeNamespace(context, tx, owner.type, text, { field });
  await deleteOwner(tx, id);
  await updateNamespace(tx, owner.id, namespace);
  await releaseNamespace(context, tx, owner.namespace);
  return namespace;
}

/**
 * Reserves the namespace of a deleted owner ({@link NAMESPACE_RESERVED_DAYS}), so that no one else can
 * publish at addresses that people still follow. Call it in the transaction that deletes the owner.
 */
export async function releaseNamespace(
  context: Context,
  tx: Writer,
  namespace: string,
): Promise<void> {
  await upsertReleasedNamespace(tx, namespace, context.now());
}

/** Deletes the records of namespaces that are no longer reserved. @returns how many */
export async function sweepReleasedNamespaces(context: Context): Promise<number> {
  const before = later(context.now(), -context.namespaceReservedMs);
  return context.sql.transaction((tx) => deleteReleasedBefore(tx, before));
}

/**
 * Parses a namespace, which may be taken.
 *
 * @throws BAD_REQUEST if malformed, UNPROCESSABLE if reserved
 */
export function requireNamespace(context: Context, text: string, field: string): string {
  const namespace = parseNamespace(text);
  if (!namespace) {
    throw new FieldError(
      'BAD_REQUEST',
      field,
      'use up to 39 letters (a-z), digits or single hyphens. Start and end with a letter or digit.',
    );
  }
  if (isReservedNamespace(namespace, context.reservedSegments)) {
    throw new FieldError('UNPROCESSABLE', field, `"${namespace}" is reserved. Choose another.`);
  }
  return namespace;
}
