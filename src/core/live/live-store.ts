import { sql } from 'kysely';
import type { Means } from '../../base/schema/means.ts';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { lookup, prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The list of changes of a document that is being edited. */
export interface LiveRow {
  documentId: string;
  listId: string;
  lastNumber: number;
  textNumber: number;
  textVersion: number;
  seenVersion: number;
  sittingId: string | null;
  unsavedSince: string | null;
  changedAt: string;
}

const COLUMNS = [
  'document_id as documentId',
  'list_id as listId',
  'last_number as lastNumber',
  'text_number as textNumber',
  'text_version as textVersion',
  'seen_version as seenVersion',
  'sitting_id as sittingId',
  'unsaved_since as unsavedSince',
  'changed_at as changedAt',
] as const;

const live = lookup<{ documentId: string }, LiveRow>((db, parameter) =>
  db.selectFrom('live_document').where('document_id', '=', parameter('documentId')).select(COLUMNS),
);

export async function findLive(db: Reader, documentId: string): Promise<LiveRow | undefined> {
  const [row] = await live(db, { documentId });
  return row;
}

const locked = prepared<{ documentId: string }, LiveRow>((db, parameter) =>
  db
    .selectFrom('live_document')
    .where('document_id', '=', parameter('documentId'))
    .select(COLUMNS)
    .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forUpdate()),
);

/** Finds a list and keeps others from changing it until the transaction ends. */
export async function lockLive(db: Writer, documentId: string): Promise<LiveRow | undefined> {
  const [row] = await locked(db, { documentId });
  return row;
}

/** Begins a list, unless there is one. */
export async function insertLive(
  db: Writer,
  begun: { documentId: string; listId: string; version: number; at: string },
): Promise<void> {
  await db
    .insertInto('live_document')
    .values({
      document_id: begun.documentId,
      list_id: begun.listId,
      last_number: 0,
      text_number: 0,
      text_version: begun.version,
      seen_version: begun.version,
      changed_at: begun.at,
    })
    .onConflict((conflict) => conflict.column('document_id').doNothing())
    .execute();
}

const updated = prepared<Omit<LiveRow, 'listId'>, unknown>((db, parameter) =>
  db
    .updateTable('live_document')
    .set({
      last_number: parameter('lastNumber'),
      text_number: parameter('textNumber'),
      text_version: parameter('textVersion'),
      seen_version: parameter('seenVersion'),
      sitting_id: parameter('sittingId'),
      unsaved_since: parameter('unsavedSince'),
      changed_at: parameter('changedAt'),
    })
    .where('document_id', '=', parameter('documentId')),
);

export async function updateLive(db: Writer, row: LiveRow): Promise<void> {
  await updated(db, row);
}

export async function deleteLive(
  db: Writer,
  { documentId, listId }: Pick<LiveRow, 'documentId' | 'listId'>,
): Promise<void> {
  await db
    .deleteFrom('live_document')
    .where('document_id', '=', documentId)
    .where('list_id', '=', listId)
    .execute();
}

/** A change of a document that is being edited. */
export interface ChangeRow {
  number: number;
  clientId: string;
  accountId: string | null;
  /** A username; `null` if the account is gone. */
  author: string | null;
  via: Means | null;
  viaName: string | null;
  changes: string;
  /** 1 if it put a version of a passage in place of a newer one, else 0. */
  replaces: number;
}

type NewChange = Omit<ChangeRow, 'author' | 'replaces'> & {
  documentId: string;
  replaces?: number;
  at: string;
};

const inserted = prepared<Required<NewChange>, unknown>((db, parameter) =>
  db.insertInto('live_change').values({
    document_id: parameter('documentId'),
    number: parameter('number'),
    client_id: parameter('clientId'),
    account_id: parameter('accountId'),
    via: parameter('via'),
    via_name: parameter('viaName'),
    changes: parameter('changes'),
    version: null,
    replaces: parameter('replaces'),
    at: parameter('at'),
  }),
);

export async function insertChange(db: Writer, change: NewChange): Promise<void> {
  await inserted(db, { ...change, replaces: change.replaces ?? 0 });
}

const counted = prepared<
  { documentId: string; clientId: string; accountId: string; taken: number; at: string },
  unknown
>((db, parameter) =>
  db
    .insertInto('live_client')
    .values({
      document_id: parameter('documentId'),
      client_id: parameter('clientId'),
      account_id: parameter('accountId'),
      taken: parameter('taken'),
      at: parameter('at'),
    })
    .onConflict((conflict) =>
      conflict.columns(['document_id', 'client_id']).doUpdateSet(({ ref }) => ({
        taken: sql<number>`live_client.taken + excluded.taken`,
        at: ref('excluded.at'),
      })),
    ),
);

/** Counts changes of an editor that its document has taken. */
export async function countTaken(db: Writer, taken: Parameters<typeof counted>[1]): Promise<void> {
  await counted(db, taken);
}

/** Returns how many changes of an editor its document has taken, in all lists. */
export async function findTaken(db: Reader, documentId: string, clientId: string): Promise<number> {
  const row = await db
    .selectFrom('live_client')
    .where('document_id', '=', documentId)
    .where('client_id', '=', clientId)
    .select('taken')
    .executeTakeFirst();
  return row?.taken ?? 0;
}

/** Deletes the counts of editors that have sent nothing since a time. */
export async function deleteClientsBefore(db: Writer, before: string): Promise<void> {
  await db.deleteFrom('live_client').where('at', '<', before).execute();
}

const after = prepared<{ documentId: string; after: number }, ChangeRow>((db, parameter) =>
  db
    .selectFrom('live_change')
    .leftJoin('owner', 'owner.id', 'live_change.account_id')
    .where('live_change.document_id', '=', parameter('documentId'))
    .where('live_change.number', '>', parameter('after'))
    .select([
      'live_change.number',
      'live_change.client_id as clientId',
      'live_change.account_id as accountId',
      'owner.namespace as author',
      'live_change.via',
      'live_change.via_name as viaName',
      'live_change.changes',
      'live_change.replaces',
    ])
    .orderBy('live_change.number'),
);

/** Lists the changes after a number, in order. */
export async function listChanges(
  db: Reader,
  documentId: string,
  number: number,
): Promise<readonly ChangeRow[]> {
  return after(db, { documentId, after: number });
}

const measured = lookup<
  { documentId: string; after: number },
  { count: number; bytes: number | null }
>((db, parameter) =>
  db
    .selectFrom('live_change')
    .where('document_id', '=', parameter('documentId'))
    .where('number', '>', parameter('after'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .select(sql<number | null>`sum(octet_length(changes))`.as('bytes')),
);

/** Measures the changes after a number, without reading them. */
export async function measureChanges(
  db: Reader,
  documentId: string,
  number: number,
): Promise<{ count: number; bytes: number }> {
  const [row] = await measured(db, { documentId, after: number });
  return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) };
}

/** Finds the number of the change after which the text was that of a revision. */
export async function findNumberOf(
  db: Reader,
  documentId: string,
  version: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('live_change')
    .where('document_id', '=', documentId)
    .where('version', '=', version)
    .select('number')
    .executeTakeFirst();
  return row?.number;
}

/** Tells whether others have changed the text since an account's last revision of this list. */
export async function hasOthersSince(
  db: Reader,
  { documentId, textNumber }: LiveRow,
  { accountId, upTo }: { accountId: string; upTo: number },
): Promise<boolean> {
  const found = await db
    .selectFrom('live_change')
    .where('document_id', '=', documentId)
    .where('number', '<=', upTo)
    .where('number', '>', ({ selectFrom }) =>
      selectFrom('live_change as own')
        .where('own.document_id', '=', documentId)
        .where('own.account_id', '=', accountId)
        .where('own.client_id', '!=', '')
        .where('own.number', '<=', textNumber)
        .select(({ fn, val }) => fn.coalesce(fn.max('own.number'), val(0)).as('number')),
    )
    .where((expression) =>
      expression.or([
        expression('client_id', '=', ''),
        expression('account_id', 'is', null),
        expression('account_id', '!=', accountId),
      ]),
    )
    .select('number')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Records which revision has the text after a change. */
export async function updateVersionOf(
  db: Writer,
  { documentId, number, version }: { documentId: string; number: number; version: number },
): Promise<void> {
  await db
    .updateTable('live_change')
    .set({ version })
    .where('document_id', '=', documentId)
    .where('number', '=', number)
    .execute();
}

/** Deletes changes up to a number: those from before a time, and all but the `last` ones. */
export async function deleteChangesBefore(
  db: Writer,
  documentId: string,
  { before, upTo, last }: { before: string; upTo: number; last: number },
): Promise<void> {
  await db
    .deleteFrom('live_change')
    .where('document_id', '=', documentId)
    .where('number', '<=', upTo)
    .where((expression) =>
      expression.or([expression('at', '<', before), expression('number', '<=', upTo - last)]),
    )
    .execute();
}

/** Lists the documents whose lists have changed since a time. */
export async function listChangedSince(db: Reader, since: string): Promise<LiveRow[]> {
  return db.selectFrom('live_document').where('changed_at', '>=', since).select(COLUMNS).execute();
}

/**
 * Lists documents whose lists need something: those with unsaved changes that haven't changed since
 * `left`, with a sitting since `over`, and all since `old`.
 */
export async function listIdle(
  db: Reader,
  { left, over, old }: { left: string; over: string; old: string },
  limit: number,
): Promise<LiveRow[]> {
  return db
    .selectFrom('live_document')
    .innerJoin('document', 'document.id', 'live_document.document_id')
    .where('changed_at', '<', left)
    .where((expression) =>
      expression.or([
        expression('unsaved_since', 'is not', null),
        expression.and([
          expression('sitting_id', 'is not', null),
          expression('changed_at', '<', over),
        ]),
        expression('changed_at', '<', old),
      ]),
    )
    .select(COLUMNS)
    .orderBy('changed_at')
    .limit(limit)
    .execute();
}

/** Finds the last revision of a sitting. */
export async function findLastOfSitting(
  db: Reader,
  documentId: string,
  sittingId: string,
): Promise<
  | {
      version: number;
      accountId: string | null;
      via: Means | null;
      viaName: string | null;
      at: string;
    }
  | undefined
> {
  return db
    .selectFrom('revision')
    .where('document_id', '=', documentId)
    .where('sitting_id', '=', sittingId)
    .select(['version', 'account_id as accountId', 'via', 'via_name as viaName', 'at'])
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Records the accounts that wrote a revision beside the one that it has. */
export async function insertCoWriters(
  db: Writer,
  { documentId, version }: { documentId: string; version: number },
  accountIds: readonly string[],
): Promise<void> {
  if (accountIds.length === 0) return;
  await db
    .insertInto('co_writer')
    .values(accountIds.map((account_id) => ({ document_id: documentId, version, account_id })))
    .execute();
}
