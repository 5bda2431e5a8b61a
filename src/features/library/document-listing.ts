import { mapPage, type Page, type PageRequest } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import type { Call, Context } from '../../core/context.ts';
import { type Seen, see } from '../../core/document/authorize.ts';
import { type DocumentRow, listDocuments } from '../../core/document/document-store.ts';
import { requireUser } from '../../core/identity/account-service.ts';
import { requireOrganization } from '../../core/owner/organization-service.ts';
import { listLabelledDocuments } from '../labels/label-list-store.ts';
import { requireLabelKey } from '../labels/label-service.ts';

type Listing = Page<Seen<DocumentRow>>;

/** Conditions besides the owner and the kind. */
interface Filter {
  /** Only documents with this label. */
  label?: string | undefined;
}

/** Lists the actor's own documents of one kind, newest first. @throws BAD_REQUEST for the label */
export async function listOwnDocuments(
  call: Call,
  kind: Kind,
  page: PageRequest,
  filter: Filter = {},
): Promise<Listing> {
  const list = { kind, ownerId: call.actor.id, actorId: call.actor.id, role: 'admin' } as const;
  return listFiltered(call, list, filter, page);
}

/**
 * Lists a user's documents of one kind, newest first: all for the user, public ones for others.
 *
 * @throws NOT_FOUND if there is no such user; BAD_REQUEST for the label
 */
export async function listUserDocuments(
  call: Call,
  kind: Kind,
  username: string,
  page: PageRequest,
  filter: Filter = {},
): Promise<Listing> {
  const { id: ownerId } = await requireUser(call.sql.read, username);
  const role = ownerId === call.actor.id ? 'admin' : 'none';
  const list = { kind, ownerId, actorId: call.actor.id, role } as const;
  return listFiltered(call, list, filter, page);
}

/**
 * Lists the documents of one kind in an organization that the actor can see, newest first.
 *
 * @throws NOT_FOUND if there is no such organization; BAD_REQUEST for the label; FORBIDDEN if the
 *   organization shuts the actor's program out
 */
export async function listOrganizationDocuments(
  call: Call,
  kind: Kind,
  org: string,
  page: PageRequest,
  filter: Filter = {},
): Promise<Listing> {
  const { id: ownerId, role } = await requireOrganization(call.sql.read, call.actor, org, {
    evenShutOut: true,
  });
  const list = { kind, ownerId, actorId: call.actor.id, role: role ?? 'none' } as const;
  return listFiltered(call, list, filter, page);
}

async function listFiltered(
  { sql }: Context,
  list: Parameters<typeof listDocuments>[1],
  { label }: Filter,
  page: PageRequest,
): Promise<Listing> {
  const found =
    label === undefined
      ? await listDocuments(sql.read, list, page)
      : await listLabelledDocuments(sql.read, { ...list, key: requireLabelKey(label) }, page);
  return mapPage(found, see);
}
