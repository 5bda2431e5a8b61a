import { FieldError } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Actor, Context } from '../../core/context.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { listGrants } from '../../core/identity/grant-store.ts';
import { endOf, workingNow } from '../../core/identity/token-service.ts';
import { listWorkingTokens, type TokenRow } from '../../core/identity/token-store.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import type { Role } from '../../core/owner/organization-access.ts';
import { listHeldMemberships } from '../accounts/account-deletion-store.ts';
import {
  countSessions,
  findPersonRow,
  findPersonWaysIn,
  listLargestDocuments,
  listPeopleRows,
  listUsage,
  type PeopleFilter,
  type PersonRow,
  type SizedDocument,
  type Usage,
  type WaysIn,
} from './people-store.ts';
import { readPrefix } from './prefix.ts';

/** How many of somebody's documents are listed by size. */
const LARGEST = 50;

/** An account in the list, with what it stores. */
export interface ListedPerson extends PersonRow {
  usage: Usage;
}

/**
 * Lists accounts, newest first.
 *
 * @param asked.search what the username or the address begins with, case ignored
 * @throws FORBIDDEN
 */
export async function listPeople(
  context: Context,
  by: Actor | undefined,
  asked: { filter?: PeopleFilter | undefined; search?: string | undefined },
  page: PageRequest,
): Promise<Page<ListedPerson>> {
  const { read } = context.sql;
  if (by) await requireAdmin(read, by);
  const which = { filter: asked.filter ?? 'all', prefix: readPrefix(asked.search) };
  const { items, total } = await listPeopleRows(read, which, page);
  const usage = await listUsage(
    read,
    items.map(({ id }) => id),
  );
  return { items: items.map((row) => ({ ...row, usage: usage.get(row.id) as Usage })), total };
}

/** Everything that administrators see of an account. */
export interface Person extends ListedPerson {
  /** The largest documents, at most 50. */
  largest: readonly SizedDocument[];
  sessions: number;
  waysIn: WaysIn;
  tokens: readonly Pick<TokenRow, 'id' | 'name' | 'createdAt' | 'expiresAt' | 'lastUsedAt'>[];
  applications: readonly {
    id: string;
    name: string;
    host: string;
    createdAt: string;
    lastUsedAt: string | null;
  }[];
  memberships: readonly { namespace: string; role: Role }[];
}

/** Describes an account. @throws FORBIDDEN; NOT_FOUND */
export async function getPerson(
  context: Context,
  by: Actor | undefined,
  username: string,
): Promise<Person> {
  const { read } = context.sql;
  if (by) await requireAdmin(read, by);
  const row = await requirePersonRow(context, username);
  const now = context.now();
  const [usage, largest, sessions, waysIn, tokens, grants, memberships] = await Promise.all([
    listUsage(read, [row.id]),
    listLargestDocuments(read, row.id, LARGEST),
    countSessions(read, row.id, now),
    findPersonWaysIn(read, row.id),
    listWorkingTokens(read, row.id, workingNow(context)),
    listGrants(read, row.id, now),
    listHeldMemberships(read, row.id),
  ]);
  return {
    ...row,
    usage: usage.get(row.id) as Usage,
    largest,
    sessions,
    waysIn,
    tokens: tokens.map((token) => ({
      id: token.id,
      name: token.name,
      createdAt: token.createdAt,
      expiresAt: endOf(context, token),
      lastUsedAt: token.lastUsedAt,
    })),
    applications: grants.map(({ id, clientName, clientHost, createdAt, lastUsedAt }) => ({
      id,
      name: clientName,
      host: clientHost,
      createdAt,
      lastUsedAt,
    })),
    memberships: memberships.map(({ namespace, role }) => ({ namespace, role })),
  };
}

async function requirePersonRow(context: Context, username: string): Promise<PersonRow> {
  const namespace = parseNamespace(username);
  const row = namespace && (await findPersonRow(context.sql.read, namespace));
  if (row) return row;
  throw new FieldError('NOT_FOUND', 'username', `no user “${username.slice(0, 100)}”.`);
}
