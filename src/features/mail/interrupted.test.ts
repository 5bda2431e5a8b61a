import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { type Client, makeClient, type Service, startService } from '../../../test/harness.ts';
import {
  eventsPlaced,
  openPostOffice,
  type PostOffice,
  queued,
  sendAll,
  verify,
} from '../../../test/mail/post-office.ts';
import { startServe, succeed } from '../../../test/process.ts';
import { collaborate, expectStatus, makeDocument } from '../../../test/rest/scenario.ts';
import { until } from '../../../test/until.ts';

const home = mkdtempSync(join(tmpdir(), 'briefs-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

let office: PostOffice;
let settings: Record<string, string>;
let ada: Client;
let document: string;

/** Works with the service in this process, whose clock can be moved. */
async function serving<T>(more: object, work: (service: Service) => Promise<T>): Promise<T> {
  const service = await startService({ ...settings, ...more });
  return work(service).finally(() => service.stop());
}

describe('Interrupted mails', () => {
  beforeEach(async () => {
    office = await openPostOffice();
    settings = { DATA_DIR: mkdtempSync(join(home, 'data-')), ...office.settings };
    await serving({ SMTP_URL: '', MAIL_FROM: '' }, async (service) => {
      ada = await service.user('ada');
      const grace = await service.user('grace');
      await service.user('alan');
      for (const name of ['ada', 'grace', 'alan']) await verify(service, name);
      document = await makeDocument(ada, 'plans');
      await collaborate(ada, document, grace, 'write');
      await eventsPlaced(service);
    });
  });
  afterEach(() => office.close());

  /** Starts the service as a process, does something there, and kills it. */
  async function doAndKill(work: (ada: Client) => Promise<unknown>): Promise<void> {
    const server = await startServe(settings);
    await work(makeClient(server.baseUrl, () => {}, ada.token, 'ada'));
    await server.kill('SIGKILL');
  }

  it('are sent once after a kill right after the comment, or while queued', async () => {
    await doAndKill((client) =>
      expectStatus(client.post(`${document}/threads`, { body: '@grace One.' }), 201),
    );
    await doAndKill(async (client) => {
      await expectStatus(client.post(`${document}/threads`, { body: '@grace Two.' }), 201);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
    });
    assert.equal(office.mails.length, 0);
    await serving({}, sendAll);
    const { text = '' } = await office.waitFor(1);
    assert.match(text, /One\.[\s\S]*Two\./);
  });

  /** Ends a process while the mail server has a mail and hasn’t acknowledged it. */
  async function endWhileSending(end: () => Promise<void>): Promise<void> {
    let release = () => {};
    office.onMail = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    await end();
    office.onMail = () => {};
    release();
  }

  const inviteAlan = async (client: Client) => {
    await expectStatus(client.put(`${document}/collaborators/alan`, { permission: 'read' }), 201);
    await until('a mail under way', () => office.mails.length === 1);
  };

  async function assertSentOnceMore(): Promise<void> {
    await serving({}, async (service) => {
      // Another process may still be sending it.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      assert.equal(office.mails.length, 1);
      await sendAll(service);
      const again = await office.waitFor(2);
      assert.equal(again.messageId, office.mails[0]?.messageId, 'a repetition that can be known');
      assert.deepEqual(again.recipients, ['alan@example.com']);
      service.advance(60 * 60_000);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      assert.equal(office.mails.length, 2);
    });
  }

  it('are sent again after a kill while the mail server processes them', async () => {
    await endWhileSending(() => doAndKill(inviteAlan));
    await assertSentOnceMore();
  });

  it('are sent again if the mail server hangs at a shutdown, which doesn’t wait for it', async () => {
    await endWhileSending(() => serving({}, ({ client }) => inviteAlan(client(ada.token))));
    await assertSentOnceMore();
  });

  it('are sent once by two processes together', async () => {
    await serving({}, (one) =>
      serving({}, async (other) => {
        const client = one.client(ada.token);
        for (let number = 1; number <= 5; number++) {
          const path = `/briefs/ada/note-${number}`;
          await expectStatus(
            client.post('/user/briefs', { name: `note-${number}`, content: 'Text.' }),
            201,
          );
          await expectStatus(
            client.put(`${path}/collaborators/grace`, { permission: 'read' }),
            201,
          );
        }
        await until('an empty queue', async () => (await queued(other)) === 0);
      }),
    );
    assert.equal(new Set(office.mails.map(({ subject }) => subject)).size, 5);
    assert.equal(office.mails.length, 5);
  });

  it('are still queued after a move to other back ends', async () => {
    await serving({}, async (service) => {
      const client = service.client(ada.token);
      await expectStatus(client.post(`${document}/threads`, { body: '@grace Hello.' }), 201);
      await eventsPlaced(service);
      assert.equal(await queued(service), 1);
    });
    const target = {
      DATA_DIR: mkdtempSync(join(home, 'target-')),
      DATABASE_URL: '',
      REDIS_URL: '',
      BLOB_URL: '',
    };
    const file = join(home, 'moved.tar');
    await succeed(['backup', file], settings);
    await succeed(['restore', file], target);
    await serving(target, sendAll);
    assert.match((await office.waitFor(1)).text ?? '', /Hello\./);
  });
});
