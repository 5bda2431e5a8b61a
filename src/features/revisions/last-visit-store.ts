import { sql } from 'kysely';
import { capabilitiesOf } from '../../storage/sql/dialect.ts';
import { prepared } from '../../storage/sql/prepared.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';

type Visitor = { documentId: string; accountId: string };

const seen = prepared<Visitor, { version: number }>((db, parameter) =>
  db
    .selectFrom('seen')
    .where('documentId', '=', parameter('documentId'))
    .where('accountId', '=', parameter('accountId'))
    .select('version'),
);

/** Finds the version of a document that a reader saw last. */
export async function findSeen(db: Reader, visitor: Visitor): Promise<number | undefined> {
  const [row] = await seen(db, visitor);
  return row?.version;
}

/**
 * Finds the version of the last text that someone wrote in the web app. Restoring a text isn't
 * reading it, and neither is accepting a suggestion: the rest of the text can be someone else's. So
 * can what the editor merged into the text, also in the texts that they saved after that.
 *
 * @param since the version that they have read
 */
export async function findOwnText(
  db: Reader,
  visitor: Visitor,
  since: number,
): Promise<number | undefined> {
  const { merged } = await textWrites(db, visitor.documentId)
    .where('version', '>', since)
    .where('accountId', '=', visitor.accountId)
    .where('via', '=', 'web')
    .where('merged', '=', 1)
    .select(({ fn }) => fn.min<number | null>('version').as('merged'))
    .executeTakeFirstOrThrow();
  const row = await textWrites(db, visitor.documentId)
    .$if(merged !== null, (query) => query.where('version', '<', merged))
    .where(isWholeAndByPerson(visitor))
    .where(({ not }) => not(isAccepting))
    .orderBy('version', 'desc')
    .select('version')
    .limit(1)
    .executeTakeFirst();
  return row?.version;
}

/**
 * Finds the last version of those that directly follow one that someone has seen and that only
 * accept suggestions, by them in the web app. `undefined` if there is none.
 */
export async function findAccepted(
  db: Reader,
  visitor: Visitor,
  seen: number,
): Promise<number | undefined> {
  const later = textWrites(db, visitor.documentId).where('version', '>', seen);
  const isOwn = isWholeAndByPerson(visitor);
  const { other } = await later
    .where(({ not, and }) => not(and([isOwn, isAccepting])))
    .select(({ fn }) => fn.min<number | null>('version').as('other'))
    .executeTakeFirstOrThrow();
  const { last } = await later
    .$if(other !== null, (query) => query.where('version', '<', other))
    .select(({ fn }) => fn.max<number | null>('version').as('last'))
    .executeTakeFirstOrThrow();
  return last ?? undefined;
}

function textWrites(db: Reader, documentId: string) {
  return db
    .selectFrom('revision')
    .where('documentId', '=', documentId)
    .where('changed', 'like', '%content%');
}

/** Whether a write is someone's in the web app, and neither merges nor restores others' words. */
function isWholeAndByPerson({ accountId }: Visitor) {
  return sql<boolean>`(coalesce(revision."accountId", '') = ${accountId}
    and coalesce(revision.via, '') = 'web'
    and revision.merged = 0 and revision."restoredFrom" is null)`;
}

/** Whether a write accepts suggestions. */
const isAccepting = sql<boolean>`exists (select 1 from thread
  where thread."documentId" = revision."documentId" and thread.state = 'accepted'
    and thread."closedVersion" = revision.version)`;

/** Stores the version that a reader has seen, if the document and the account still exist. */
export async function upsertSeen(
  db: Writer,
  { documentId, accountId, version }: Visitor & { version: number },
): Promise<void> {
  await db
    .insertInto('seen')
    .columns(['documentId', 'accountId', 'version'])
    .expression((build) =>
      build
        .selectFrom(['document', 'account'])
        .where('document.id', '=', documentId)
        .where('account.id', '=', accountId)
        .select([
          'document.id',
          'account.id as accountId',
          sql<number>`cast(${version} as integer)`.as('version'),
        ])
        .$if(capabilitiesOf(db).concurrentTransactions, (query) => query.forKeyShare()),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['documentId', 'accountId'])
        .doUpdateSet({ version })
        .where('seen.version', '<', version),
    )
    .execute();
}

/** Counts the texts saved after a version, except those by the reader in the web app. */
export async function countNewTexts(
  db: Reader,
  { documentId, accountId }: Visitor,
  since: number,
): Promise<number> {
  const { count } = await db
    .selectFrom('revision')
    .where('documentId', '=', documentId)
    .where('version', '>', since)
    .where('changed', 'like', '%content%')
    .where((revision) =>
      revision.or([
        revision('accountId', 'is', null),
        revision('accountId', '<>', accountId),
        revision('via', 'is', null),
        revision('via', '<>', 'web'),
      ]),
    )
    .select((revision) => revision.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
