import { lastPageNumber } from '../../base/pagination/result-page.ts';
import type { Kind } from '../../base/schema/kind.ts';
import type { Call } from '../../core/context.ts';
import { resolveOwner } from '../../core/owner/document-owner-service.ts';
import { getOrganization } from '../../core/owner/organization-service.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { labelsOfDocuments } from '../labels/label-service.ts';
import { listOrganizationDocuments, listUserDocuments } from './document-listing.ts';
import { presentEntry } from './entry.ts';
import { type LibraryPlace, listLibrary } from './library-service.ts';

/** The most documents in an answer. */
const SIZE = 30;

/** The documents to list. */
export interface ListRequest {
  which?: 'all' | 'mine' | 'shared' | undefined;
  owner?: string | undefined;
  kind?: Kind | undefined;
  /** Only documents with this label; case is ignored. */
  label?: string | undefined;
  /** Only documents that changed after this time. */
  after?: string | undefined;
  cursor?: string | undefined;
}

/** The entries of a list, and the cursor for the rest. */
export interface Listed {
  entries: object[];
  next: string | undefined;
}

/** The library's views, by the tool's names for them. */
const PLACES = { all: 'recent', mine: 'own', shared: 'shared' } as const;

/**
 * Lists documents, last changed first. For an owner whose documents aren't in the actor's library,
 * lists those of one kind that the actor can see, newest first.
 *
 * @throws InvalidArguments, NOT_FOUND
 */
export async function listDocuments(
  call: Call,
  { owner: named, ...request }: ListRequest,
): Promise<Listed> {
  const { which, kind, label, after, cursor } = request;
  if (named === undefined) return listPlace(call, PLACES[which ?? 'all'], request);
  if (which !== undefined) throw invalidArgument('owner', 'cannot be given together with which');
  const owner = await resolveOwner(call.sql.read, call.actor, named);
  if (owner.type === 'organization') {
    const { role, namespace } = await getOrganization(call, owner.namespace, { evenShutOut: true });
    if (role !== null) {
      return listPlace(call, { organization: namespace }, request);
    }
  } else if (owner.namespace === call.actor.username) {
    return listPlace(call, 'own', request);
  }
  const list = owner.type === 'user' ? listUserDocuments : listOrganizationDocuments;
  const page = { number: readPage(cursor), size: SIZE };
  const { items, total } = await list(call, kind ?? 'brief', owner.namespace, page, { label });
  const wanted = items
    .map(({ document }) => document)
    .filter(({ updatedAt }) => after === undefined || updatedAt > after);
  const labels = await labelsOfDocuments(call, wanted);
  return {
    entries: wanted.map((document) =>
      presentEntry({ ...document, labels: labels.get(document.id) ?? [] }),
    ),
    next: page.number < lastPageNumber(total, SIZE) ? String(page.number + 1) : undefined,
  };
}

async function listPlace(
  call: Call,
  place: LibraryPlace,
  { kind, label, after, cursor: before }: ListRequest,
): Promise<Listed> {
  const part = { kind, label, before, size: SIZE };
  const { items, next } = await listLibrary(call, { place, ...part });
  const wanted = items.filter(({ updatedAt }) => after === undefined || updatedAt > after);
  return {
    entries: wanted.map((item) => presentEntry(item)),
    // All that follow are older.
    next: wanted.length < items.length ? undefined : next,
  };
}

/** Parses the cursor of a list in numbered pages. @throws InvalidArguments */
export function readPage(cursor = '1'): number {
  const page = /^[1-9]\d{0,5}$/.test(cursor) ? Number(cursor) : undefined;
  if (page === undefined)
    throw invalidArgument('cursor', 'must be the `next` of an earlier result');
  return page;
}
