import { sql } from 'kysely';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { lookup, type Parameter, prepared } from '../../storage/sql/prepared.ts';
import type { Row, RowOf } from '../../storage/sql/rows.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

/** The list of changes of a document that is being edited. */
export type LiveRow = Row<'live_document'>;

const live = lookup<{ documentId: string }, LiveRow>((db, parameter) =>
  db.selectFrom('live_document').where('documentId', '=', parameter('documentId')).selectAll(),
);

export async function findLive(db: Reader, documentId: string): Promise<LiveRow | undefined> {
  const [row] = await live(db, { documentId });
  return row;
}

const locked = prepared<{ documentId: string }, LiveRow>((db, parameter) =>
  db
    .selectFrom('live_document')
    .where('documentId', '=', parameter('documentId'))
    .selectAll()
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
      documentId: begun.documentId,
      listId: begun.listId,
      lastNumber: 0,
      textNumber: 0,
      textVersion: begun.version,
      seenVersion: begun.version,
      changedAt: begun.at,
    })
    .onConflict((conflict) => conflict.column('documentId').doNothing())
    .execute();
}

const updated = prepared<Omit<LiveRow, 'listId'>, unknown>((db, parameter) =>
  db
    .updateTable('live_document')
    .set({
      lastNumber: parameter('lastNumber'),
      textNumber: parameter('textNumber'),
      textVersion: parameter('textVersion'),
      seenVersion: parameter('seenVersion'),
      sittingId: parameter('sittingId'),
      unsavedSince: parameter('unsavedSince'),
      changedAt: parameter('changedAt'),
    })
    .where('documentId', '=', parameter('documentId')),
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
    .where('documentId', '=', documentId)
    .where('listId', '=', listId)
    .execute();
}

/** A change of a document that is being edited. */
export type ChangeRow = RowOf<typeof after>;

type NewChange = Omit<Row<'live_change'>, 'version' | 'replaces'> & { replaces?: number };

const inserted = prepared<Required<NewChange>, unknown>((db, parameter) =>
  db.insertInto('live_change').values({
    documentId: parameter('documentId'),
    number: parameter('number'),
    clientId: parameter('clientId'),
    accountId: parameter('accountId'),
    via: parameter('via'),
    viaName: parameter('viaName'),
    changes: parameter('changes'),
    version: null,
    replaces: parameter('replaces'),
    at: parameter('at'),
  }),
);

export async function insertChange(db: Writer, change: NewChange): Promise<void> {
  await inserted(db, { ...change, replaces: change.replaces ?? 0 });
}

const counted = prepared<Row<'live_client'>, unknown>((db, parameter) =>
  db
    .insertInto('live_client')
    .values({
      documentId: parameter('documentId'),
      clientId: parameter('clientId'),
      accountId: parameter('accountId'),
      taken: parameter('taken'),
      at: parameter('at'),
    })
    .onConflict((conflict) =>
      conflict.columns(['documentId', 'clientId']).doUpdateSet(({ ref }) => ({
        taken: sql<number>`live_client.taken + excluded.taken`,
        at: ref('excluded.at'),
      })),
    ),
);

/** Counts changes of an editor that its document has taken. */
export async function countTaken(db: Writer, taken: Row<'live_client'>): Promise<void> {
  await counted(db, taken);
}

/** Returns how many changes of an editor its document has taken, in all lists. */
export async function findTaken(db: Reader, documentId: string, clientId: string): Promise<number> {
  const row = await db
    .selectFrom('live_client')
    .where('documentId', '=', documentId)
    .where('clientId', '=', clientId)
    .select('taken')
    .executeTakeFirst();
  return row?.taken ?? 0;
}

/** Deletes the counts of editors that have sent nothing since a time. */
export async function deleteClientsBefore(db: Writer, before: string): Promise<void> {
  await db.deleteFrom('live_client').where('at', '<', before).execute();
}

const after = prepared((db, parameter: Parameter<{ documentId: string; after: number }>) =>
  db
    .selectFrom('live_change')
    .leftJoin('owner', 'owner.id', 'live_change.accountId')
    .where('live_change.documentId', '=', parameter('documentId'))
    .where('live_change.number', '>', parameter('after'))
    .select([
      'live_change.number',
      'live_change.clientId',
      'live_change.accountId',
      // A username; `null` if the account is gone.
      'owner.namespace as author',
      'live_change.via',
      'live_change.viaName',
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
    .where('documentId', '=', parameter('documentId'))
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
    .where('documentId', '=', documentId)
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
    .where('documentId', '=', documentId)
    .where('number', '<=', upTo)
    .where('number', '>', ({ selectFrom }) =>
      selectFrom('live_change as own')
        .where('own.documentId', '=', documentId)
        .where('own.accountId', '=', accountId)
        .where('own.clientId', '!=', '')
        .where('own.number', '<=', textNumber)
        .select(({ fn, val }) => fn.coalesce(fn.max('own.number'), val(0)).as('number')),
    )
    .where((expression) =>
      expression.or([
        expression('clientId', '=', ''),
        expression('accountId', 'is', null),
        expression('accountId', '!=', accountId),
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
    .where('documentId', '=', documentId)
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
    .where('documentId', '=', documentId)
    .where('number', '<=', upTo)
    .where((expression) =>
      expression.or([expression('at', '<', before), expression('number', '<=', upTo - last)]),
    )
    .execute();
}

/** Lists the documents whose lists have changed since a time. */
export async function listChangedSince(db: Reader, since: string): Promise<LiveRow[]> {
  return db.selectFrom('live_document').where('changedAt', '>=', since).selectAll().execute();
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
    .innerJoin('document', 'document.id', 'live_document.documentId')
    .where('changedAt', '<', left)
    .where((expression) =>
      expression.or([
        expression('unsavedSince', 'is not', null),
        expression.and([
          expression('sittingId', 'is not', null),
          expression('changedAt', '<', over),
        ]),
        expression('changedAt', '<', old),
      ]),
    )
    .selectAll('live_document')
    .orderBy('changedAt')
    .limit(limit)
    .execute();
}

export async function findLastOfSitting(
  db: Reader,
  documentId: string,
  sittingId: string,
): Promise<Row<'revision', 'version' | 'accountId' | 'via' | 'viaName' | 'at'> | undefined> {
  return db
    .selectFrom('revision')
    .where('documentId', '=', documentId)
    .where('sittingId', '=', sittingId)
    .select(['version', 'accountId', 'via', 'viaName', 'at'])
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
    .values(accountIds.map((accountId) => ({ documentId, version, accountId })))
    .execute();
}
