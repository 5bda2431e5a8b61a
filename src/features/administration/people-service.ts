import { FieldError } from '../../base/errors.ts';
import type { Actor, Context } from '../../core/context.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { listGrants } from '../../core/identity/grant-store.ts';
import { listWorkingTokens } from '../../core/identity/token-store.ts';
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
import { readCursor, readPrefix } from './prefix.ts';

/** How many rows a page of a list has. */
export const PAGE_SIZE = 50;

/** How many of somebody's documents are listed by size. */
const LARGEST = 50;

/** An account in the list, with what it stores. */
export interface ListedPerson extends PersonRow {
  usage: Usage;
}

/** A page of a list, and the cursor of the next one. */
export interface CursorPage<T> {
  items: readonly T[];
  /** `null` on the last page. */
  cursor: string | null;
}

/**
 * Lists accounts, newest first.
 *
 * @param asked.search what the username or the address begins with, case ignored
 * @param asked.after the cursor of the page before
 * @throws FORBIDDEN; BAD_REQUEST naming `after`
 */
export async function listPeople(
  context: Context,
  by: Actor | undefined,
  asked: { filter: PeopleFilter; search?: string | undefined; after?: string | undefined },
): Promise<CursorPage<ListedPerson>> {
  const { read } = context.sql;
  if (by) await requireAdmin(read, by);
  const rows = await listPeopleRows(read, {
    filter: asked.filter,
    prefix: readPrefix(asked.search),
    before: readCursor(asked.after),
    size: PAGE_SIZE + 1,
  });
  const page = cut(rows);
  const usage = await listUsage(
    read,
    page.items.map(({ id }) => id),
  );
  return {
    ...page,
    items: page.items.map((row) => ({ ...row, usage: usage.get(row.id) as Usage })),
  };
}

/** Turns up to {@link PAGE_SIZE} rows and one more into a page. */
export function cut<T extends { id: string }>(rows: readonly T[]): CursorPage<T> {
  const items = rows.slice(0, PAGE_SIZE);
  return { items, cursor: rows.length > PAGE_SIZE ? (items.at(-1) as T).id : null };
}

/** Everything that administrators see of an account. */
export interface Person extends ListedPerson {
  /** The largest documents, at most 50. */
  largest: readonly SizedDocument[];
  sessions: number;
  waysIn: WaysIn;
  tokens: readonly {
    id: string;
    name: string;
    createdAt: string;
    expiresAt: string | null;
    lastUsedAt: string | null;
  }[];
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
    listWorkingTokens(read, row.id, now),
    listGrants(read, row.id, now),
    listHeldMemberships(read, row.id),
  ]);
  return {
    ...row,
    usage: usage.get(row.id) as Usage,
    largest,
    sessions,
    waysIn,
    tokens: tokens.map(({ id, name, createdAt, expiresAt, lastUsedAt }) => ({
      id,
      name,
      createdAt,
      expiresAt,
      lastUsedAt,
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
