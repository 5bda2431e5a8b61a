import { strict as assert } from 'node:assert';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { type Client, type Service, startService } from '../../../test/harness.ts';
import { collaborate, join as joins, makeDocument } from '../../../test/rest/scenario.ts';
import { hiddenFrom, narrowed, widened } from './narrowed.ts';
import { prepared } from './prepared.ts';
import type { Reader, Sql } from './sql.ts';

const SRC = join(import.meta.dirname, '../../../../src');

const roles = prepared<{ accountId: string }, { role: string | null; namespace: string }>(
  (db, parameter) =>
    db
      .selectFrom('organization')
      .innerJoin('owner', 'owner.id', 'organization.id')
      .leftJoin('membership as own', (on) =>
        on
          .onRef('own.organizationId', '=', 'organization.id')
          .on('own.accountId', '=', parameter('accountId')),
      )
      .orderBy('owner.namespace')
      .select(['own.role', 'owner.namespace']),
);

describe('A narrowed database', () => {
  let service: Service;
  let all: Sql;
  let part: Sql;
  let accountId: string;

  before(async () => {
    service = await startService();
    const ada = await service.user('ada');
    const mia = await service.user('mia');
    accountId = (await mia.get('/user')).data.id;
    const ids = [];
    for (const namespace of ['acme', 'guild']) ids.push(await organization(ada, mia, namespace));
    all = service.app.context.sql;
    part = narrowed(all, { accountId, ownerIds: [ids[0] as string] });
  });
  after(() => service.stop());

  async function organization(ada: Client, mia: Client, namespace: string): Promise<string> {
    await ada.post('/user/orgs', { namespace, name: namespace });
    await joins(ada, namespace, mia);
    const path = await makeDocument(ada, 'plan', { org: namespace, visibility: 'private' });
    await collaborate(ada, path, mia, 'write');
    return (await ada.get(`/orgs/${namespace}`)).data.id;
  }

  const rolesIn = async (db: Reader) =>
    (await roles(db, { accountId })).map(({ role }) => role ?? 'none');

  const counts = async (db: Reader) => {
    const count = async (table: 'membership' | 'stored_membership' | 'collaborator') =>
      Number(
        (
          await db
            .selectFrom(table)
            .select(({ fn }) => fn.countAll().as('n'))
            .executeTakeFirstOrThrow()
        ).n,
      );
    const raw = await sql<{ n: number }>`select count(*) as n from ${sql.table('collaborator')}
      join stored_document on stored_document.id = collaborator."documentId"`.execute(db);
    return [
      await count('membership'),
      await count('stored_membership'),
      await count('collaborator'),
      Number(raw.rows[0]?.n),
    ];
  };

  it('hides what one account has to do with some owners, in every query', async () => {
    assert.deepEqual(await counts(all.read), [4, 4, 4, 4]);
    assert.deepEqual(await counts(part.read), [3, 3, 3, 3]);
    assert.deepEqual(await rolesIn(all.read), ['member', 'member']);
    assert.deepEqual(await rolesIn(part.read), ['none', 'member']);
    assert.deepEqual(await rolesIn(all.read), ['member', 'member']);
    assert.deepEqual(await part.transaction(rolesIn), ['none', 'member']);
    assert.deepEqual(await part.transaction(counts), [3, 3, 3, 3]);
    assert.deepEqual(await part.snapshot(counts), [3, 3, 3, 3]);
    const widely = (tx: Reader) => rolesIn(widened(tx));
    assert.deepEqual(await part.transaction(widely), ['member', 'member']);
    assert.equal(hiddenFrom(part.read)?.accountId, accountId);
    assert.equal(hiddenFrom(widened(part.read)), undefined);
  });

  it('writes what any other does', async () => {
    const ended = await part
      .transaction(async (tx) => {
        await tx.deleteFrom('collaborator').where('accountId', '=', accountId).execute();
        throw new Error(JSON.stringify(await counts(widened(tx))));
      })
      .catch((error: Error) => error.message);
    assert.equal(ended, '[4,4,2,2]');
  });

  it('is possible only if raw SQL names these tables with sql.table', () => {
    const named = /\b(from|join)\s+(membership|stored_membership|collaborator|invitation)\b/;
    const wrong = globSync('{core,features}/**/*-store.ts', { cwd: SRC }).filter((path) =>
      named.test(readFileSync(join(SRC, path), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')),
    );
    assert.deepEqual(wrong, []);
  });
});
