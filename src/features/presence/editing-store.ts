import { sql } from 'kysely';
import type { Standing } from '../../core/document/access-rules.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { lookup, prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** A document that is open in the editor of one browser. */
export interface Open {
  documentId: string;
  sessionId: string;
}

const opened = lookup<Open, { at: string }>((db, parameter) =>
  db
    .selectFrom('editing')
    .where('document_id', '=', parameter('documentId'))
    .where('session_id', '=', parameter('sessionId'))
    .select('at'),
);

/** Finds when a browser last reported that it edits a document. */
export async function findEditing(db: Reader, open: Open): Promise<string | undefined> {
  const [row] = await opened(db, open);
  return row?.at;
}

/** Someone who edits a document, with the standing that decides whether they still can. */
export interface EditorRow extends Standing {
  username: string;
  displayName: string | null;
}

/** The most browsers to list: more than a screen can show. */
const MAX_EDITORS = 50;

const editors = prepared<{ documentId: string; since: string; now: string }, EditorRow>(
  (db, parameter) =>
    db
      .selectFrom('editing')
      .innerJoin('session', 'session.id', 'editing.session_id')
      .innerJoin('account', 'account.id', 'session.account_id')
      .innerJoin('owner', 'owner.id', 'account.id')
      .innerJoin('document', 'document.id', 'editing.document_id')
      .leftJoin('account as owner_account', 'owner_account.id', 'document.owner_id')
      .leftJoin('profile', 'profile.owner_id', 'account.id')
      .leftJoin('organization', 'organization.id', 'document.owner_id')
      .leftJoin('membership', (join) =>
        join
          .onRef('membership.organization_id', '=', 'document.owner_id')
          .onRef('membership.account_id', '=', 'account.id'),
      )
      .leftJoin('collaborator', (join) =>
        join
          .onRef('collaborator.document_id', '=', 'document.id')
          .onRef('collaborator.account_id', '=', 'account.id'),
      )
      .where('editing.document_id', '=', parameter('documentId'))
      .where('editing.at', '>', parameter('since'))
      .where('session.expires_at', '>', parameter('now'))
      .where('account.disabled_at', 'is', null)
      .select([
        'owner.namespace as username',
        'profile.display_name as displayName',
        'document.owner_type as ownerType',
        'document.owner_id as ownerId',
        'document.visibility',
        'account.id as actorId',
        'membership.role',
        'collaborator.permission',
        'organization.default_brief_permission as defaultBriefPermission',
        'owner_account.disabled_at as ownerDisabledAt',
      ])
      .orderBy('owner.namespace')
      .limit(MAX_EDITORS),
);

/**
 * Lists the users whose browsers have reported after a time that they edit a document. Sorts by
 * username; lists a user once per browser.
 */
export async function listEditors(
  db: Reader,
  query: { documentId: string; since: string; now: string },
): Promise<readonly EditorRow[]> {
  return editors(db, query);
}

/** Records that a browser edits a document, if the document and the session still exist. */
export async function upsertEditing(
  db: Writer,
  { documentId, sessionId, at }: Open & { at: string },
): Promise<void> {
  await db
    .insertInto('editing')
    .columns(['document_id', 'session_id', 'at'])
    .expression((build) =>
      build
        .selectFrom(['document', 'session'])
        .where('document.id', '=', documentId)
        .where('session.id', '=', sessionId)
        .select([
          'document.id',
          'session.id as session_id',
          sql<string>`cast(${at} as text)`.as('at'),
        ])
        .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forKeyShare()),
    )
    .onConflict((conflict) => conflict.columns(['document_id', 'session_id']).doUpdateSet({ at }))
    .execute();
}

export async function deleteEditing(db: Writer, { documentId, sessionId }: Open): Promise<void> {
  await db
    .deleteFrom('editing')
    .where('document_id', '=', documentId)
    .where('session_id', '=', sessionId)
    .execute();
}

/** Deletes a session's reports up to a time, about all documents. */
export async function deleteEndedEditing(
  db: Writer,
  sessionId: string,
  before: string,
): Promise<void> {
  await db
    .deleteFrom('editing')
    .where('session_id', '=', sessionId)
    .where('at', '<=', before)
    .execute();
}
