import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../src/core/config/read-config.ts';
import { closeContext, openContext } from '../../src/open-context.ts';
import { backEndsOf, type ServeProcess, startServe, succeed } from '../process.ts';
import { newVisitor, signIn, signUp, type Visitor } from '../sign-in/visitor.ts';
import { clientMissing } from '../web/built-client.ts';
import { besideBystander, HELD_AT_MOST_MS } from './bystander.ts';

const OUTSIDE = 4_000;
const PUBLIC = 1_500;

describe('Changes of thousands of rows delay no one else', { skip: clientMissing }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-rows-'));
  const settings = { DATA_DIR: dataDir, FIRST_ACCOUNT: 'admin' };
  let service: ServeProcess;
  let ada: Visitor;
  let token: string;

  async function api(method: string, path: string, body?: object) {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data } = (await response.json()) as { data: { id: string } };
    assert.ok(response.ok, `${path}: ${response.status}`);
    return data;
  }

  before(async () => {
    service = await startServe(settings);
    await signUp(service, 'ada');
    await signUp(service, 'grace');
    token = (await succeed(['tokens', 'create', 'ada'], settings)).trim();
    await api('POST', '/user/orgs', { namespace: 'guild', name: 'Guild' });
    const plan = { name: 'plan', content: '# Plan' };
    const inside = await api('POST', '/orgs/guild/briefs', { ...plan, visibility: 'private' });
    const open = await api('POST', '/user/briefs', { ...plan, visibility: 'public' });
    await service.kill('SIGTERM');
    await seed(inside.id, open.id);
    service = await startServe(settings);
    ada = newVisitor(service);
    assert.equal((await signIn(ada, 'ada')).status, 303);
    assert.equal((await fetch(`${service.webUrl}/grace/copy-7`)).status, 200);
  });
  after(async () => {
    await service?.kill('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Copies the rows of two documents. Grace is let into all copies of the first, and owns the others. */
  async function seed(inside: string, open: string): Promise<void> {
    const context = await openContext(readConfig({ ...(await backEndsOf(settings)), ...settings }));
    try {
      await context.sql.transaction(async (tx) => {
        const grace = await tx
          .selectFrom('owner')
          .where('namespace', '=', 'grace')
          .select('id')
          .executeTakeFirstOrThrow();
        for (const [id, count] of [
          [inside, OUTSIDE],
          [open, PUBLIC],
        ] as const) {
          const row = await tx
            .selectFrom('stored_document')
            .where('id', '=', id)
            .selectAll()
            .executeTakeFirstOrThrow();
          const copies = Array.from({ length: count }, (_, number) => ({
            ...row,
            id: context.newId(),
            name: `copy-${number}`,
            ownerId: id === inside ? row.ownerId : grace.id,
          }));
          while (copies.length > 0) {
            const part = copies.splice(0, 500);
            await tx.insertInto('stored_document').values(part).execute();
            if (id !== inside) continue;
            const collaborators = part.map((document) => ({
              id: context.newId(),
              documentId: document.id,
              accountId: grace.id,
              permission: 'read' as const,
              addedAt: context.now(),
            }));
            await tx.insertInto('collaborator').values(collaborators).execute();
          }
        }
      });
    } finally {
      await closeContext(context);
    }
  }

  const effects = async () =>
    (await api('GET', '/orgs/guild/policies')) as unknown as {
      effects: { stoppedCollaborators: number; outsideCollaborators: number };
    };

  it('a policy for all outside collaborators, and its end', async (t) => {
    const change = async (outside: string) => {
      const form = { links: 'sharers', outside, public: 'yes' };
      const answer = await ada.post('/organizations/guild/policies', form);
      assert.equal(answer.status, 303, answer.text.slice(0, 500));
    };
    for (const [outside, stopped] of [
      ['nobody', OUTSIDE],
      ['sharers', 0],
    ] as const) {
      const held = await besideBystander(service, () => change(outside));
      const { stoppedCollaborators, outsideCollaborators } = (await effects()).effects;
      assert.deepEqual([stoppedCollaborators, outsideCollaborators], [stopped, OUTSIDE - stopped]);
      t.diagnostic(`the event loop was held for ${Math.round(held)} ms at most`);
      assert.ok(held < HELD_AT_MOST_MS, `the event loop was held for ${Math.round(held)} ms`);
    }
  });

  it('disabling an account with many public documents', async (t) => {
    const held = await besideBystander(service, async () => {
      const answer = await ada.post('/admin/people/grace/disable', {});
      assert.equal(answer.status, 303, answer.text.slice(0, 500));
    });
    assert.equal((await fetch(`${service.webUrl}/grace/copy-7`)).status, 404);
    t.diagnostic(`the event loop was held for ${Math.round(held)} ms at most`);
    assert.ok(held < HELD_AT_MOST_MS, `the event loop was held for ${Math.round(held)} ms`);
  });
});
