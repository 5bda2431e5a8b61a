/**
 * Measures lists of documents of an owner who has a million: the first result page, one in the
 * middle and the last, compared with counting and OFFSET. Also measures what counting by blocks
 * costs a create.
 *
 *   npx node bench/lists.ts [--documents 1000000] [--postgres postgres://user@host/database]
 *
 * Takes minutes with a million. Creates its own databases and removes them: a folder for SQLite
 * and, if a PostgreSQL server is given, a database there, as a user who can create databases. A
 * signal that ends it leaves them behind: `briefs-bench-…` among temporary files, the database
 * `briefs_bench_…`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import pg from 'pg';
import { lastPageNumber, type PageRequest } from '../src/base/pagination/result-page.ts';
import type { OwnerRole } from '../src/core/document/access-rules.ts';
import { listDocuments } from '../src/core/document/document-store.ts';
import { insertDocument, type NewDocument } from '../src/core/document/document-write-store.ts';
import { listPublicDocuments } from '../src/core/document/public-document-store.ts';
import { paginate } from '../src/storage/sql/paginate.ts';
import { openPostgres } from '../src/storage/sql/postgres.ts';
import type { Reader, Sql, Writer } from '../src/storage/sql/sql.ts';
import { openSqlite } from '../src/storage/sql/sqlite.ts';

const PAGE_SIZE = 30;
const RUNS = 200;
/** OFFSET can take seconds, so it runs less often. */
const OFFSET_RUNS = 5;
const WARM_UP = 2;
const CREATES = 2_000;
const ROWS_PER_INSERT = 50_000;
const AT = '2026-01-31T12:00:00.000Z';

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '1000000' },
    postgres: { type: 'string' },
  },
});
const DOCUMENTS = Number(values.documents);

type Open = () => Promise<Sql>;

async function withSqlite(work: (open: Open) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'briefs-bench-'));
  try {
    await work(() => openSqlite(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function withPostgres(server: string, work: (open: Open) => Promise<void>): Promise<void> {
  const name = `briefs_bench_${process.pid}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name} template template0`);
  try {
    const url = new URL(server);
    url.pathname = name;
    await work(() => openPostgres({ connectionString: url.href, poolSize: 10, pooler: false }));
  } finally {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}

async function measure(name: string, open: Open, tidy: string): Promise<void> {
  const database = await open();
  await fill(database);
  await sql.raw(tidy).execute(database.read);
  // A snapshot bypasses the caches.
  const blocks = await database.snapshot((db) => timePages(db, RUNS, ({ list }) => list));
  const now = await timeCreates(database, { counted: insertDocument, uncounted: insertUncounted });

  // A schema that doesn't count documents: lists of all visibilities had their own index.
  await sql`drop table document_block`.execute(database.read);
  await sql`create index document_by_owner_id_kind_id on document (owner_id, kind, id)`.execute(
    database.read,
  );
  await sql.raw(tidy).execute(database.read);
  const offset = await database.snapshot((db) => timePages(db, OFFSET_RUNS, byOffset));
  const before = await timeCreates(database, { uncounted: insertUncounted });

  console.log(`\n${name}: ${2 * DOCUMENTS} documents`);
  console.log('Milliseconds for a page with its total, by blocks and by COUNT and OFFSET:');
  console.table(
    Object.keys(blocks).map((page) => ({
      page,
      ...prefixed('blocks', blocks[page]),
      ...prefixed('OFFSET', offset[page]),
    })),
  );
  console.log('Milliseconds for a create, commit included:');
  console.table({
    counted: now.counted,
    'without counting': now.uncounted,
    'one more index, no counting': before.uncounted,
  });
}

/**
 * Creates two owners: a user, and an organization whose member grace shares 1,000 private
 * documents.
 */
async function fill({ read: db }: Sql): Promise<void> {
  for (const id of ['ada', 'grace', 'linus', 'newcomer']) {
    await db.insertInto('owner').values({ id, type: 'user', namespace: id }).execute();
    const account = { id, type: 'user', email: id, email_key: id, created_at: AT } as const;
    await db
      .insertInto('account')
      .values({ ...account, disabled_at: null })
      .execute();
  }
  await sql`insert into owner values ('guild', 'organization', 'guild')`.execute(db);
  await sql`insert into organization (id, name, created_at, updated_at)
    values ('guild', 'Guild', ${AT}, ${AT})`.execute(db);
  for (const [index, username] of ['grace', 'linus', 'newcomer'].entries()) {
    await sql`insert into membership values
      (${`m${index}`}, 'guild', ${username}, 'member', ${AT})`.execute(db);
  }
  await fillDocuments(db, 'ada', 'user', ['public', 'public', 'private']);
  await fillDocuments(db, 'guild', 'organization', ['public', 'internal', 'private']);
  await sql`insert into collaborator (id, document_id, account_id, permission, added_at)
    select id, id, 'grace', 'read', ${AT} from (
      select id, row_number() over (order by id) as number from document
      where owner_id = 'guild' and visibility = 'private'
    ) as private where number % ${sql.lit(Math.ceil(DOCUMENTS / 3000))} = 0`.execute(db);
  await fillMaker(db);
}

/** Linus created 100,000 public documents in the organization, so he collaborates on each. */
async function fillMaker(db: Reader): Promise<void> {
  await sql`insert into collaborator (id, document_id, account_id, permission, added_at)
    select 'l' || id, id, 'linus', 'admin', ${AT} from document
    where owner_id = 'guild' and kind = 'brief' and visibility = 'public'
    order by id limit 100000`.execute(db);
}

/** Both owners' ids are interleaved, as if they wrote at the same time. */
async function fillDocuments(
  db: Reader,
  owner: string,
  ownerType: string,
  visibilities: string[],
): Promise<void> {
  const visibility = sql.join(
    visibilities.map((name, index) => sql`when ${sql.lit(index)} then ${sql.lit(name)}`),
    sql` `,
  );
  for (let from = 0; from < DOCUMENTS; from += ROWS_PER_INSERT) {
    const to = Math.min(from + ROWS_PER_INSERT, DOCUMENTS);
    await sql`
      insert into document (id, kind, owner_id, owner_type, name, visibility, version, size_bytes,
        created_at, updated_at, content)
      with recursive numbers(n) as (
        select ${sql.lit(from)} union all select n + 1 from numbers where n + 1 < ${sql.lit(to)}
      )
      select '019c0000-0000-7000-8000-' || substr(cast(1000000000000 + n as text), 2)
          || ${sql.lit(owner)},
        'brief', ${sql.lit(owner)}, ${sql.lit(ownerType)}, 'brief-' || n,
        case n % 3 ${visibility} end, 1, 200, ${sql.lit(AT)}, ${sql.lit(AT)},
        ${sql.lit('x'.repeat(200))}
      from numbers`.execute(db);
  }
}

interface Case {
  name: string;
  list(db: Reader, page: PageRequest): Promise<{ total: number }>;
  /** Selects the listed documents, for counting and OFFSET. */
  condition: string;
}

function ofKind(role: OwnerRole, ownerId: string, actorId: string): Case['list'] {
  return (db, page) => listDocuments(db, { kind: 'brief', ownerId, actorId, role }, page);
}

const OPEN = "kind = 'brief' and visibility in ('public', 'internal')";
const SHARED = `exists (select 1 from collaborator
  where document_id = document.id and account_id = 'grace')`;

const CASES: Case[] = [
  {
    name: 'all',
    list: ofKind('admin', 'ada', 'ada'),
    condition: "owner_id = 'ada' and kind = 'brief'",
  },
  {
    name: 'public',
    list: ofKind('none', 'ada', 'grace'),
    condition: "owner_id = 'ada' and kind = 'brief' and visibility = 'public'",
  },
  {
    name: 'as-member, shares 1,000',
    list: ofKind('member', 'guild', 'grace'),
    condition: `owner_id = 'guild' and ((${OPEN}) or (kind = 'brief' and ${SHARED}))`,
  },
  {
    name: 'as-member, shares none',
    list: ofKind('member', 'guild', 'newcomer'),
    condition: `owner_id = 'guild' and ${OPEN}`,
  },
  {
    name: 'as-member, created 100,000',
    list: ofKind('member', 'guild', 'linus'),
    condition: `owner_id = 'guild' and ${OPEN}`,
  },
  {
    name: 'profile',
    list: (db, page) => listPublicDocuments(db, 'ada', page),
    condition: "owner_id = 'ada' and visibility = 'public'",
  },
];

type Way = (list: Case) => Case['list'];

/** Counting and OFFSET, without the joins for each row, which would only add to their cost. */
const byOffset: Way =
  ({ condition }) =>
  (db, page) =>
    paginate(
      db
        .selectFrom('document')
        .where(sql<boolean>`(${sql.raw(condition)})`)
        .select(['id', 'name', 'visibility', 'updated_at']),
      'id',
      page,
    );

/**
 * Times the first result page of each list, one far on and the last. The ways alternate, so that
 * other load affects all.
 */
async function timePages(db: Reader, runs: number, way: Way): Promise<Record<string, Summary>> {
  const times: Record<string, number[]> = {};
  for (const each of CASES) {
    const list = way(each);
    const { total } = await list(db, { number: 1, size: PAGE_SIZE });
    const last = lastPageNumber(total, PAGE_SIZE);
    const pages = Object.entries({ first: 1, '10,000th': 10_000, last });
    for (let run = -WARM_UP; run < runs; run += 1) {
      for (const [name, number] of pages) {
        const begin = performance.now();
        await list(db, { number, size: PAGE_SIZE });
        if (run < 0) continue;
        times[`${each.name}: ${name}`] ??= [];
        times[`${each.name}: ${name}`]?.push(performance.now() - begin);
      }
    }
  }
  return Object.fromEntries(Object.entries(times).map(([page, all]) => [page, summary(all)]));
}

type Insert = (tx: Writer, document: NewDocument) => Promise<unknown>;

let creates = 0;

/** Times creates, one transaction each. The ways alternate, so that other load affects all. */
async function timeCreates<Name extends string>(
  database: Sql,
  inserts: Record<Name, Insert>,
): Promise<Record<Name, Summary>> {
  const names = Object.keys(inserts) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  for (let index = 0; index < CREATES; index += 1) {
    for (const name of names) {
      creates += 1;
      const id = `019d0000-0000-7000-8000-${String(creates).padStart(12, '0')}`;
      const document: NewDocument = {
        id,
        kind: 'brief',
        ownerId: 'ada',
        ownerType: 'user',
        name: id,
        visibility: 'public',
        createdBy: 'ada',
        createdAt: AT,
        content: { text: 'x'.repeat(200), storagePath: null, sizeBytes: 200, title: null },
      };
      const begin = performance.now();
      await database.transaction((tx) => inserts[name](tx, document));
      times[name].push(performance.now() - begin);
    }
  }
  return Object.fromEntries(names.map((name) => [name, summary(times[name])])) as Record<
    Name,
    Summary
  >;
}

async function insertUncounted(db: Writer, document: NewDocument): Promise<void> {
  await db
    .insertInto('document')
    .values({
      id: document.id,
      kind: document.kind,
      name: document.name,
      title: null,
      owner_id: document.ownerId,
      owner_type: document.ownerType,
      version: 1,
      visibility: document.visibility,
      size_bytes: 200,
      storage_path: null,
      created_by: document.createdBy,
      updated_by: document.createdBy,
      created_at: AT,
      updated_at: AT,
      content: document.content.text,
    })
    .onConflict((conflict) => conflict.columns(['owner_id', 'kind', 'name']).doNothing())
    .returning('id')
    .execute();
}

interface Summary {
  median: string;
  p95: string;
}

function summary(times: number[]): Summary {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(2);
  return { median: at(0.5), p95: at(0.95) };
}

function prefixed(name: string, times: Summary | undefined): Record<string, string | undefined> {
  return { [`${name} median`]: times?.median, [`${name} p95`]: times?.p95 };
}

await withSqlite((open) => measure('SQLite', open, 'analyze'));
if (values.postgres)
  await withPostgres(values.postgres, (open) => measure('PostgreSQL', open, 'vacuum analyze'));
