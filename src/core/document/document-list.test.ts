import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import pg from 'pg';
import type { Kind } from '../../base/schema/kind.ts';
import { type OwnerRole, VISIBILITIES, type Visibility } from '../../base/schema/visibility.ts';
import { openPostgres } from '../../storage/sql/postgres.ts';
import type { Reader, Sql, Writer } from '../../storage/sql/sql.ts';
import { openSqlite } from '../../storage/sql/sqlite.ts';
import { deleteCollaborator, insertCollaborator } from './collaborator-store.ts';
import { moveFromTrash, moveToTrash } from './deletion-store.ts';
import { listDocuments } from './document-store.ts';
import { insertDocument, updateDocument } from './document-write-store.ts';
import { listPublicDocuments } from './public-document-store.ts';

const AT = '2026-01-31T12:00:00.000Z';
const KINDS_OF_DOCUMENT: Kind[] = ['brief', 'page'];
const ROLES: OwnerRole[] = ['admin', 'none', 'member'];

/** A model of an organization's documents, which the database is compared with. */
interface Owner {
  id: string;
  documents: Map<string, Listed>;
  trash: Map<string, Listed>;
}

type Listed = { kind: Kind; visibility: Visibility; shared: boolean };

interface Opened {
  database: Sql;
  remove(): Promise<void>;
}

const DATABASES: Record<string, (() => Promise<Opened>) | undefined> = {
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'briefs-test-'));
    return {
      database: await openSqlite(folder),
      remove: async () => rmSync(folder, { recursive: true }),
    };
  },
  PostgreSQL: process.env.TEST_DATABASE_URL
    ? () => openOnServer(process.env.TEST_DATABASE_URL as string)
    : undefined,
};

async function openOnServer(server: string): Promise<Opened> {
  const name = `briefs_test_lists_${process.pid}`;
  const url = new URL(server);
  url.pathname = name;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name} template template0`);
  return {
    database: await openPostgres({ connectionString: url.href, poolSize: 10, pooler: false }),
    async remove() {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

for (const [name, open] of Object.entries(DATABASES)) {
  const skip = open ? false : 'TEST_DATABASE_URL names no server';
  describe(`Lists of documents on ${name}`, { skip }, () => {
    let opened: Opened;
    let database: Sql;
    let owners = 0;

    before(async () => {
      opened = await (open as () => Promise<Opened>)();
      database = opened.database;
      for (const id of ['ada', 'grace']) {
        await database.read
          .insertInto('owner')
          .values({ id, type: 'user', namespace: id })
          .execute();
        await sql`insert into account (id, email, "emailKey", "createdAt")
          values (${id}, ${id}, ${id}, ${AT})`.execute(database.read);
      }
    });
    after(async () => {
      await database.close();
      await opened.remove();
    });

    async function makeOwner(): Promise<Owner> {
      owners += 1;
      const id = `org-${owners}`;
      await sql`insert into owner values (${id}, 'organization', ${id})`.execute(database.read);
      return { id, documents: new Map(), trash: new Map() };
    }

    /** Returns the id for a position in time; the owners' ids are mixed. */
    const idAt = (owner: Owner, place: number) =>
      `${place.toString(16).padStart(8, '0')}-0000-7000-8000-${owner.id.slice(4).padStart(12, '0')}`;

    async function create(
      tx: Writer,
      owner: Owner,
      document: { id: string; kind?: Kind; visibility?: Visibility },
    ): Promise<void> {
      const { id, kind = 'brief', visibility = 'public' } = document;
      const isBrief = kind === 'brief';
      const stored = await insertDocument(tx, {
        id,
        kind,
        visibility,
        name: id,
        version: 1,
        content: isBrief ? 'x' : null,
        storagePath: isBrief ? null : `pages/${id}`,
        sizeBytes: 1,
        title: null,
        ownerId: owner.id,
        ownerType: 'organization',
        createdBy: 'ada',
        createdAt: AT,
        updatedBy: 'ada',
        updatedAt: AT,
        takenDownAt: null,
        takenDownReason: null,
        deletedBy: null,
        deletedAt: null,
      });
      assert.ok(stored);
      owner.documents.set(id, { kind, visibility, shared: false });
    }

    /** The expected list, newest first. */
    function expected(owner: Owner, role: OwnerRole, kinds: Kind[]): string[] {
      const isShown = ({ visibility, shared }: { visibility: Visibility; shared: boolean }) =>
        role === 'admin' ||
        visibility === 'public' ||
        (role === 'member' && (visibility === 'internal' || shared));
      return [...owner.documents]
        .filter(([, document]) => kinds.includes(document.kind) && isShown(document))
        .map(([id]) => id)
        .sort()
        .reverse();
    }

    /** Checks every result page of every list, including pages past the end. */
    async function assertLists(owner: Owner, sizes: number[]): Promise<void> {
      const { read } = database;
      const list = { ownerId: owner.id, actorId: 'grace' };
      for (const size of sizes) {
        for (const kind of KINDS_OF_DOCUMENT) {
          for (const role of ROLES) {
            await assertPages(expected(owner, role, [kind]), size, async (page) => {
              const { items, total } = await listDocuments(read, { ...list, kind, role }, page);
              for (const { id, permission } of items) {
                assert.equal(permission !== null, owner.documents.get(id)?.shared);
              }
              return { ids: items.map(({ id }) => id), total };
            });
          }
        }
        await assertPages(expected(owner, 'none', KINDS_OF_DOCUMENT), size, async (page) => {
          const { items, total } = await listPublicDocuments(read, owner.id, page);
          return { ids: items.map((item) => item.name), total };
        });
      }
    }

    async function assertPages(
      all: string[],
      size: number,
      read: (page: { number: number; size: number }) => Promise<{ ids: string[]; total: number }>,
    ): Promise<void> {
      const last = Math.ceil(all.length / size);
      for (let number = 1; number <= last + 1; number += 1) {
        const ids = all.slice((number - 1) * size, number * size);
        assert.deepEqual(await read({ number, size }), { ids, total: all.length });
      }
    }

    /** A step of a random history; numbers select from the existing documents. */
    type Step =
      | { does: 'append' | 'insert'; place: number; kind: Kind; visibility: Visibility }
      | { does: 'delete' | 'restore' | 'share' | 'unshare'; place: number }
      | { does: 'delete some'; place: number; count: number }
      | { does: 'show'; place: number; visibility: Visibility };

    async function take(tx: Writer, owner: Owner, step: Step): Promise<void> {
      const ids = [...owner.documents.keys()].sort();
      if (step.does === 'append' || step.does === 'insert') {
        const last = [...ids, ...owner.trash.keys()].sort().at(-1);
        const newest = Number.parseInt(last?.slice(0, 8) ?? '0', 16);
        const place = step.does === 'append' ? newest + 1 : step.place;
        const { kind, visibility } = step;
        const id = idAt(owner, place);
        const isUsed = owner.documents.has(id) || owner.trash.has(id);
        if (!isUsed) await create(tx, owner, { id, kind, visibility });
        return;
      }
      if (step.does === 'restore') {
        const [id, document] = [...owner.trash][step.place % Math.max(owner.trash.size, 1)] ?? [];
        if (!id || !document) return;
        const change = { name: id, version: 1, updatedBy: 'ada', updatedAt: AT };
        assert.ok(await moveFromTrash(tx, id, change));
        owner.trash.delete(id);
        owner.documents.set(id, document);
        return;
      }
      const at = step.place % Math.max(ids.length, 1);
      if (step.does === 'delete some') {
        for (const id of ids.slice(at, at + step.count)) await remove(tx, owner, id);
        return;
      }
      const id = ids[at];
      const document = id && owner.documents.get(id);
      if (!id || !document) return;
      if (step.does === 'delete') await remove(tx, owner, id);
      if (step.does === 'share' && !document.shared) {
        await insertCollaborator(tx, {
          id,
          documentId: id,
          accountId: 'grace',
          permission: 'read',
          addedAt: AT,
        });
        document.shared = true;
      }
      if (step.does === 'unshare') {
        await deleteCollaborator(tx, id, 'grace');
        document.shared = false;
      }
      if (step.does === 'show') {
        const { visibility } = step;
        const before = { id, ownerId: owner.id, ...document };
        await updateDocument(tx, before, { visibility }, { actorId: 'ada', now: AT });
        document.visibility = visibility;
      }
    }

    async function remove(tx: Writer, owner: Owner, id: string): Promise<void> {
      await moveToTrash(tx, { id, deletedBy: 'ada', deletedAt: AT });
      owner.trash.set(id, owner.documents.get(id) as Listed);
      owner.documents.delete(id);
    }

    const place = fc.integer({ min: 0, max: 200 });
    const kind = fc.constantFrom(...KINDS_OF_DOCUMENT);
    const visibility = fc.constantFrom(...VISIBILITIES);
    const step: fc.Arbitrary<Step> = fc.oneof(
      { weight: 6, arbitrary: fc.record({ does: fc.constant('append'), place, kind, visibility }) },
      { weight: 3, arbitrary: fc.record({ does: fc.constant('insert'), place, kind, visibility }) },
      fc.record({ does: fc.constantFrom('delete', 'restore', 'share', 'share', 'unshare'), place }),
      fc.record({
        does: fc.constant('delete some'),
        place,
        count: fc.integer({ min: 2, max: 30 }),
      }),
      fc.record({ does: fc.constant('show'), place, visibility }),
    ) as fc.Arbitrary<Step>;

    it('are correct after any changes and any order of ids', async () => {
      const steps = fc.array(step, { maxLength: 120, size: 'max' });
      await fc.assert(
        fc.asyncProperty(steps, async (steps) => {
          const owner = await makeOwner();
          await database.transaction(async (tx) => {
            for (const step of steps) await take(tx, owner, step);
          });
          await assertLists(owner, [1, 7, 100]);
        }),
        { numRuns: 30 },
      );
    });

    describe('with more than 10,000 documents', () => {
      const DOCUMENTS = 10_050;
      const list = { kind: 'brief', ownerId: 'ada', actorId: 'ada' } as const;

      before(async () => {
        await sql`insert into stored_document (id, kind, "ownerId", "ownerType", name, visibility, version,
            "sizeBytes", "createdAt", "updatedAt", content)
          with recursive numbers(n) as (
            select 1 union all select n + 1 from numbers where n < ${sql.lit(DOCUMENTS)}
          )
          select 'id-' || substr(cast(100000 + n as text), 2), 'brief', 'ada', 'user', 'brief-' || n,
            case n % 3 when 0 then 'private' else 'public' end, 1, 1, ${AT}, ${AT}, 'x'
          from numbers`.execute(database.read);
      });

      it('are counted exactly', async () => {
        for (const [number, total, first, items] of [
          [1, 10_050, 'brief-10050', 100],
          [100, 10_050, 'brief-150', 100],
          [101, 10_050, 'brief-50', 50],
          [102, 10_050, undefined, 0],
        ] as const) {
          const page = { number, size: 100 };
          const found = await listDocuments(database.read, { ...list, role: 'admin' }, page);
          assert.equal(found.total, total, `page ${number}`);
          assert.equal(found.items.length, items);
          assert.equal(found.items[0]?.name, first);
        }
        const few = await listPublicDocuments(database.read, 'ada', { number: 1, size: 30 });
        assert.equal(few.total, 6_700);
      });

      it('take two queries on every result page, one past the end', async () => {
        for (const [number, queries] of [
          [1, 2],
          [50, 2],
          [101, 2],
          [102, 1],
          [1e12, 1],
        ] as const) {
          const counting = countingQueries(database.read);
          await listDocuments(counting.db, { ...list, role: 'admin' }, { number, size: 100 });
          assert.equal(counting.queries(), queries, `page ${number}`);
        }
      });
    });
  });
}

/** The methods that run a query, of executors and of adapters. */
const RUN: readonly (string | symbol)[] = ['executeQuery', 'execute', 'lookUp'];

function countingQueries(db: Reader): { db: Reader; queries: () => number } {
  let queries = 0;
  /** Returns the same object, except that its query methods are counted. */
  function counting<T extends object>(target: T, others: Record<string, unknown> = {}): T {
    return new Proxy(target, {
      get(_target, key) {
        if (Object.hasOwn(others, key)) return others[key as string];
        const value = Reflect.get(target, key);
        if (typeof value !== 'function' || key === 'constructor') return value;
        return (...parameters: unknown[]) => {
          if (RUN.includes(key)) queries += 1;
          return value.apply(target, parameters);
        };
      },
    });
  }
  const executor = db.getExecutor();
  const counted = counting(executor, { adapter: counting(executor.adapter) });
  return { db: counting(db, { getExecutor: () => counted }), queries: () => queries };
}
