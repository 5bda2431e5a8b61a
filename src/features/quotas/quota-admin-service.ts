import { FieldError } from '../../base/errors.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Actor, Context } from '../../core/context.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { findOwner } from '../../core/owner/owner-store.ts';
import { OWN_LIMITS } from '../../core/quota/quota.ts';
import {
  type Exceptions,
  findExceptions,
  replaceExceptions,
} from '../../core/quota/quota-store.ts';
import { listOwnerIds, recountUsage } from '../../core/quota/usage-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { OwnerName } from '../../surfaces/web/addresses.ts';
import { type Usage, usageOf } from './usage-service.ts';

/** An owner as an administrator sees it. */
export interface OwnerQuotas {
  owner: OwnerName;
  /** What it may have instead of the defaults; `null` for no limit. */
  exceptions: Exceptions;
  usage: Usage;
}

/** The largest number of bytes or things that a limit can be. */
export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

/** How many owners are recounted between two looks. */
const RECOUNT_BATCH = 100;

/** @throws NOT_FOUND naming `owner` */
async function requireOwner(db: Reader, text: string): Promise<OwnerName & { id: string }> {
  const namespace = parseNamespace(text);
  const found = namespace && (await findOwner(db, namespace));
  if (found) return found;
  const shown = text.slice(0, 100);
  throw new FieldError('NOT_FOUND', 'owner', `no user or organization “${shown}”.`);
}

/**
 * Returns what an owner has and may have.
 *
 * @param actor who asks; without one, an operator
 * @throws FORBIDDEN unless the actor is an administrator; NOT_FOUND
 */
export async function getOwnerQuotas(
  context: Context,
  actor: Actor | undefined,
  owner: string,
): Promise<OwnerQuotas> {
  const { read } = context.sql;
  if (actor) await requireAdmin(read, actor);
  const found = await requireOwner(read, owner);
  const [exceptions, usage] = await Promise.all([
    findExceptions(read, found.id),
    usageOf(context, found.id),
  ]);
  return { owner: found, exceptions, usage };
}

/**
 * Replaces what an owner may have. What it has already stays.
 *
 * @param actor who does it; without one, an operator
 * @param exceptions instead of the defaults; `null` for no limit
 * @throws FORBIDDEN unless the actor is an administrator; NOT_FOUND
 */
export async function setExceptions(
  context: Context,
  actor: Actor | undefined,
  owner: string,
  exceptions: Exceptions,
): Promise<OwnerQuotas> {
  await changeOwned(context, owner, async (tx) => {
    if (actor) await requireAdmin(tx, actor);
    const { id, namespace } = await requireOwner(tx, owner);
    const before = await findExceptions(tx, id);
    if (OWN_LIMITS.every((limit) => before[limit] === exceptions[limit])) return;
    await replaceExceptions(tx, id, exceptions);
    const isRemoved = OWN_LIMITS.every((limit) => exceptions[limit] === undefined);
    await audit(context, tx, {
      action: isRemoved ? 'quota.removed' : 'quota.set',
      ...(actor && { actor }),
      ownerId: id,
      subject: namespace,
      detail: { ...exceptions },
    });
  });
  return getOwnerQuotas(context, actor, owner);
}

/** A difference that a recount found. */
export interface Recounted {
  ownerId: string;
  documents: { before: number; after: number };
  bytes: { before: number; after: number };
}

/**
 * Counts what all owners have anew, each in a transaction of its own.
 *
 * @returns how many owners, and those whose counts were wrong
 */
export async function recountAll(
  context: Context,
): Promise<{ owners: number; wrong: Recounted[] }> {
  const wrong: Recounted[] = [];
  let owners = 0;
  for (let last = ''; ; ) {
    const ids = await listOwnerIds(context.sql.read, last, RECOUNT_BATCH);
    for (const ownerId of ids) {
      const counted = await context.sql.transaction((tx) => recountUsage(tx, ownerId));
      if (!counted) continue;
      owners += 1;
      const { before, after } = counted;
      const isRight =
        before.documents === after.documents &&
        before.bytes === after.bytes &&
        before.fileBytes === after.fileBytes;
      if (isRight) continue;
      const of = (what: 'documents' | 'bytes') => ({ before: before[what], after: after[what] });
      wrong.push({ ownerId, documents: of('documents'), bytes: of('bytes') });
    }
    if (ids.length < RECOUNT_BATCH) return { owners, wrong };
    last = ids.at(-1) ?? '';
  }
}
