import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Context } from '../../src/core/context.ts';
import { decodeRow } from '../../src/core/revision/revision-text.ts';
import { findText } from '../../src/core/revision/revision-text-store.ts';
import { sweepBlobs } from '../../src/features/files/sweep.ts';
import type { Reader } from '../../src/storage/sql/sql.ts';
import { indexedIds } from '../document/indexed-ids.ts';
import { packAll } from '../document/pack-all.ts';
import { STACK } from '../stack.ts';
import { namedBlobs, storedBlobs } from '../state.ts';

/** Queries for rows that contradict each other. */
const CONTRADICTIONS: Record<string, string> = {
  'documents whose last change is not in their history': `
    select d.id from stored_document d
    where d.version <> coalesce(
      (select max(r.version) from revision r where r."documentId" = d.id), 1)`,
  'documents whose history has gaps': `
    select d.id from stored_document d
    where d.version <> (select count(*) from revision r where r."documentId" = d.id)`,
  'replaced texts without a revision': `
    select t."documentId" from revision_text t where not exists
      (select 1 from revision r
       where r."documentId" = t."documentId" and r.version = t."lastVersion")`,
  'replaced texts without their dictionary': `
    select t."documentId" from revision_text t
    where t."dictVersion" is not null and not exists
      (select 1 from revision_text k where k."documentId" = t."documentId"
         and k."lastVersion" = t."dictVersion" and k.coding = 'zst')`,
  'revisions without an event': `
    select r."documentId" from revision r where not exists
      (select 1 from event e where e."documentId" = r."documentId" and e.version = r.version)`,
  'events ahead of the feed': `
    select e.id from event e join feed f on e.position > f.position`,
  'inbox entries without an event': `
    select i."accountId" from inbox i
    where not exists (select 1 from event e where e.position = i.position)`,
  'documents without content': `
    select id from stored_document where (content is null) = ("storagePath" is null)`,
  'names that two documents have': `
    select "ownerId", kind, name from document group by "ownerId", kind, name having count(*) > 1`,
  'deleted documents with an invitation or a link': `
    select d.id from stored_document d
    where d."deletedAt" is not null and (
      exists (select 1 from invitation i where i."documentId" = d.id)
      or exists (select 1 from document_link l where l."documentId" = d.id))`,
  'labels of deleted documents that lists show': `
    select l.key from document_label l join stored_document d on d.id = l."documentId"
    where (d."deletedAt" is null) <> (l.visibility is not null)`,
  'former names that a document has': `
    select a.name from document_alias a join document d
      on d."ownerId" = a."ownerId" and d.kind = a.kind and d.name = a.name`,
  'namespaces without anybody': `
    select o.id from owner o
    where not exists (select 1 from account a where a.id = o.id)
      and not exists (select 1 from organization g where g.id = o.id)`,
  'organizations without an admin': `
    select g.id from organization g where not exists
      (select 1 from membership m where m."organizationId" = g.id and m.role = 'admin')`,
  'people both invited to a document and its collaborators': `
    select c.id from collaborator c join invitation i
      on i."documentId" = c."documentId" and i."recipientId" = c."accountId"`,
  'people both invited to an organization and its members': `
    select m.id from membership m join invitation i
      on i."organizationId" = m."organizationId" and i."recipientId" = m."accountId"`,
};

/** SQLite's own checks; PostgreSQL never lets a reference dangle. */
const PRAGMAS: Record<string, string> = {
  'what the integrity check finds':
    "select integrity_check from pragma_integrity_check where integrity_check <> 'ok'",
  'references that lead nowhere': 'select * from pragma_foreign_key_check',
};

/**
 * Asserts that the stored data is consistent: no row contradicts another or refers to nothing,
 * every named blob exists, and no other exists after a sweep. No request may be running.
 */
export async function assertConsistent(context: Context): Promise<void> {
  const checks = { ...CONTRADICTIONS, ...(STACK === 'embedded' && PRAGMAS) };
  for (const [what, query] of Object.entries(checks)) {
    assert.deepEqual(await find(context.sql.read, query), [], what);
  }
  const { missing, surplus } = await compareWithIndex(context);
  assert.deepEqual(
    missing,
    [],
    'documents that are neither in the search index nor waiting for it',
  );
  assert.deepEqual(surplus, [], 'what the search index has of documents that are gone for good');
  await assertBlobs(context);
}

/** How long a running packer may take to discard a text that another has packed. */
const DISCARDED_WITHIN_MS = 10_000;

async function assertBlobs(context: Context): Promise<void> {
  // When nothing is left to pack, a running packer changes no row. Otherwise the sweep could delete
  // a blob that the packer has written and is about to name.
  await packAll(context);
  const named = await namedBlobs(context);
  const stored = new Set(await storedBlobs(context));
  assert.deepEqual(
    named.filter((key) => !stored.has(key)),
    [],
    'blobs that are named and not there',
  );
  // Uses the store's clock, which may be ahead of ours.
  await sweepBlobs({ ...context, now: () => new Date(Date.now() + 60_000).toISOString() }, 0);
  const giveUpAt = Date.now() + DISCARDED_WITHIN_MS;
  let left = await storedBlobs(context);
  while (!isDeepStrictEqual(left, named) && Date.now() < giveUpAt) {
    await sleep(100);
    left = await storedBlobs(context);
  }
  assert.deepEqual(left, named, 'blobs after a sweep');
}

/**
 * Asserts that every replaced text can be read, also those of documents in the trash.
 *
 * @returns how many texts there are of each coding
 */
export async function assertTextsReadable(context: Context): Promise<Record<string, number>> {
  const { read } = context.sql;
  const rows = await read
    .selectFrom('revision_text')
    .select(['documentId', 'lastVersion as version', 'sizeBytes'])
    .execute();
  const codings: Record<string, number> = {};
  for (const { documentId, version, sizeBytes } of rows) {
    const row = await findText(read, documentId, version);
    assert.ok(row, `the row of version ${version} of document ${documentId}`);
    const text = await decodeRow(context, documentId, row);
    assert.equal(text?.length, sizeBytes, `version ${version} of document ${documentId}`);
    codings[row.coding] = (codings[row.coding] ?? 0) + 1;
  }
  return codings;
}

async function compareWithIndex(context: Context) {
  const { read } = context.sql;
  // A running process may index at the same time: a document that no longer waits is indexed or
  // deleted by then.
  const pending = await read.selectFrom('search_pending').select('documentId as id').execute();
  const indexed = await indexedIds(context);
  const documents = await read.selectFrom('document').select('id').execute();
  const followed = new Set([...indexed, ...pending.map(({ id }) => id)]);
  const known = new Set([...documents, ...pending].map(({ id }) => id));
  return {
    missing: documents.filter(({ id }) => !followed.has(id)),
    surplus: indexed.filter((id) => !known.has(id)),
  };
}

async function find(db: Reader, query: string): Promise<unknown[]> {
  return (await sql.raw(query).execute(db)).rows;
}
