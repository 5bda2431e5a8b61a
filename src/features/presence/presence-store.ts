import type { Standing } from '../../core/document/access-rules.ts';
import type { Present } from '../../core/presence.ts';
import { type Parameter, prepared } from '../../storage/sql/prepared.ts';
import { inParts, tableOf } from '../../storage/sql/row-list.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** How many rows one statement has, because each has nine parameters. */
const ROWS_AT_ONCE = 500;

/** Records that people and programs are at documents. */
export async function upsertPresent(
  db: Writer,
  all: readonly (Present & { at: string })[],
): Promise<void> {
  for (let start = 0; start < all.length; start += ROWS_AT_ONCE) {
    const rows = all.slice(start, start + ROWS_AT_ONCE).map((each) => ({
      documentId: each.documentId,
      key: each.key,
      accountId: each.accountId,
      sessionId: each.sessionId,
      via: each.via,
      viaName: each.viaName,
      doing: each.doing,
      line: each.line,
      at: each.at,
    }));
    await db
      .insertInto('presence')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['documentId', 'key']).doUpdateSet(({ ref }) => ({
          doing: ref('excluded.doing'),
          line: ref('excluded.line'),
          at: ref('excluded.at'),
        })),
      )
      .execute();
  }
}

export async function deletePresent(
  db: Writer,
  all: readonly Pick<Present, 'documentId' | 'key'>[],
): Promise<void> {
  for (const part of inParts(all)) {
    const gone = tableOf('gone', part, { documentId: 'text', key: 'text' });
    await db
      .deleteFrom('presence')
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom(gone)
            .whereRef('gone.documentId', '=', 'presence.documentId')
            .whereRef('gone.key', '=', 'presence.key')
            .select('gone.key'),
        ),
      )
      .execute();
  }
}

/** Deletes what was recorded before a time. */
export async function deletePresentBefore(db: Writer, before: string): Promise<void> {
  await db.deleteFrom('presence').where('at', '<=', before).execute();
}

const old = prepared<{ before: string }, { key: string }>((db, parameter) =>
  db.selectFrom('presence').where('at', '<=', parameter('before')).select('key').limit(1),
);

export async function hasPresentBefore(db: Reader, before: string): Promise<boolean> {
  return (await old(db, { before })).length > 0;
}

/** Someone at a document, as far as others can tell that something has changed. */
export type PresentKey = Pick<Present, 'documentId' | 'key' | 'doing' | 'line'>;

const keys = prepared<{ since: string }, PresentKey>((db, parameter) =>
  db
    .selectFrom('presence')
    .where('at', '>', parameter('since'))
    .select(['documentId', 'key', 'doing', 'line']),
);

/** Lists everyone at any document, recorded after a time. */
export async function listPresentKeys(db: Reader, since: string): Promise<readonly PresentKey[]> {
  return keys(db, { since });
}

/** Someone at a document, with the standing that decides whether they still belong there. */
export type PresentRow = RowOf<typeof present> & Standing;

/** The most to list: more than a screen can show. */
const MAX_PRESENT = 100;

const present = prepared(
  (db, parameter: Parameter<{ documentId: string; since: string; now: string }>) =>
    db
      .selectFrom('presence')
      .innerJoin('account', 'account.id', 'presence.accountId')
      .innerJoin('owner', 'owner.id', 'account.id')
      .innerJoin('document', 'document.id', 'presence.documentId')
      .leftJoin('session', 'session.id', 'presence.sessionId')
      .leftJoin('account as owner_account', 'owner_account.id', 'document.ownerId')
      .leftJoin('profile', 'profile.ownerId', 'account.id')
      .leftJoin('organization', 'organization.id', 'document.ownerId')
      .leftJoin('membership', (join) =>
        join
          .onRef('membership.organizationId', '=', 'document.ownerId')
          .onRef('membership.accountId', '=', 'account.id'),
      )
      .leftJoin('collaborator', (join) =>
        join
          .onRef('collaborator.documentId', '=', 'document.id')
          .onRef('collaborator.accountId', '=', 'account.id'),
      )
      .where('presence.documentId', '=', parameter('documentId'))
      .where('presence.at', '>', parameter('since'))
      .where('account.disabledAt', 'is', null)
      .where((expression) =>
        expression.or([
          expression('presence.sessionId', 'is', null),
          expression('session.expiresAt', '>', parameter('now')),
        ]),
      )
      .select([
        'presence.key',
        'owner.namespace as username',
        'profile.displayName',
        'presence.via',
        'presence.viaName',
        'presence.doing',
        'presence.line',
        'document.ownerType',
        'document.ownerId',
        'document.visibility',
        'account.id as actorId',
        'membership.role',
        'collaborator.permission',
        'organization.defaultBriefPermission',
        'owner_account.disabledAt as ownerDisabledAt',
        'document.takenDownAt',
      ])
      .orderBy('owner.namespace')
      .limit(MAX_PRESENT),
);

/** Lists who is at a document, recorded after a time, by username; a person once per page. */
export async function listPresent(
  db: Reader,
  query: { documentId: string; since: string; now: string },
): Promise<readonly PresentRow[]> {
  return present(db, query);
}
