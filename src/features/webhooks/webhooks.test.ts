import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as pathOf } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { assertError, type Client, type Service, startService } from '../../../test/harness.ts';
import {
  expectStatus,
  join,
  makeDocument,
  makeOrganization,
  users,
} from '../../../test/rest/scenario.ts';
import { stackSettings } from '../../../test/stack.ts';
import { until } from '../../../test/until.ts';
import { type Received, type Receiver, startReceiver } from '../../../test/webhook/receiver.ts';
import { createApp } from '../../app.ts';
import { EVENT_TYPES } from '../../base/schema/event.ts';
import { DAY_MS, MINUTE_MS } from '../../base/time/clock.ts';
import { readConfig } from '../../core/config/read-config.ts';
import { setAccountDisabled } from '../../core/identity/account-service.ts';
import { closeContext, openContext } from '../../open-context.ts';
import { deleteUser } from '../accounts/account-deletion-service.ts';
import { sweepDeliveries } from './sweep-service.ts';

describe('Webhooks', () => {
  let service: Service;
  let ada: Client;
  let grace: Client;
  let receiver: Receiver;
  const created: (() => Promise<unknown>)[] = [];

  before(async () => {
    service = await startService({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
    ({ ada, grace } = await users(service, 'ada', 'grace'));
    await makeOrganization(ada, 'guild');
    receiver = await startReceiver();
  });
  after(async () => {
    receiver.close();
    await service.stop();
  });
  afterEach(async () => {
    for (const remove of created.splice(0)) await remove();
    receiver.received = [];
    receiver.respond = () => ({ status: 204 });
  });

  async function makeWebhook(
    client: Client,
    { path = '/user/webhooks', types = EVENT_TYPES as readonly string[], url = receiver.url } = {},
  ) {
    const { data } = await expectStatus(client.post(path, { url, types }), 201);
    created.push(() => client.delete(`${path}/${data.id}`));
    return { ...data, path: `${path}/${data.id}` };
  }

  const verifies = (secret: string, { body, headers }: Received) =>
    new Webhook(secret).verify(body, headers);

  /** Waits until a delivery list satisfies a condition, and returns it. */
  async function deliveriesWhen(
    path: string,
    // biome-ignore lint/suspicious/noExplicitAny: as the API answers
    isSo: (deliveries: any[]) => boolean,
  ) {
    for (;;) {
      const { data } = await expectStatus(ada.get(`${path}/deliveries`), 200);
      if (isSo(data)) return data;
      await sleep(20);
    }
  }

  it('of a new owner send events after the move; those of the former owner don’t', async () => {
    const [own, guild] = [
      await makeWebhook(ada),
      await makeWebhook(ada, { path: '/orgs/guild/webhooks' }),
    ];
    receiver.respond = () => ({ status: 204 });
    const path = await makeDocument(ada, 'handed', { visibility: 'private' });
    await receiver.arrived(1);
    await expectStatus(ada.post(`${path}/move`, { owner: 'guild', name: 'received' }), 200);
    await expectStatus(ada.patch('/briefs/guild/received', { content: 'x' }), 200);
    await receiver.arrived(3);
    const sent = receiver.received.map((request) => {
      const isOwn = [own, guild].find(({ secret }) => {
        try {
          return verifies(secret, request);
        } catch {
          return false;
        }
      });
      const { type, data } = request.json;
      return [isOwn === own ? 'ada' : 'guild', type, data.document.owner, data.document.name];
    });
    // Deliveries of one webhook can arrive out of order.
    sent.sort();
    assert.deepEqual(sent, [
      ['ada', 'revision.created', 'ada', 'handed'],
      ['guild', 'document.changed', 'guild', 'received'],
      ['guild', 'revision.created', 'guild', 'received'],
    ]);
  });

  it('send events of the owner’s documents, signed, without the text', async () => {
    const { secret, id, ...webhook } = await makeWebhook(ada);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const path = await makeDocument(ada, 'plans', { content: 'A secret text.' });
    await makeDocument(grace, 'others');
    await makeDocument(ada, 'theirs', { org: 'guild' });
    await expectStatus(ada.delete(path), 204);
    await receiver.arrived(2);
    const deliveries = await deliveriesWhen(webhook.path, (all) =>
      all.every(({ status }) => status === 'delivered'),
    );
    assert.equal(deliveries.length, 2);
    assert.deepEqual(
      new Set(receiver.received.map(({ json }) => json.type)),
      new Set(['revision.created', 'document.deleted']),
    );
    for (const one of receiver.received) {
      assert.deepEqual(verifies(secret, one), one.json);
      assert.throws(() => verifies(secret, { ...one, body: `${one.body} ` }));
      assert.doesNotMatch(one.body, /secret text/);
      assert.ok(deliveries.some(({ id }: { id: string }) => id === one.headers['webhook-id']));
    }
    const written = receiver.received.find(({ json }) => json.type === 'revision.created');
    const { data, timestamp } = written?.json ?? {};
    assert.ok(Date.parse(timestamp) <= Date.now());
    const { id: documentId, ...document } = data.document;
    assert.match(documentId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      { ...data, document },
      {
        document: { kind: 'brief', owner: 'ada', name: 'plans' },
        revision: 1,
        firstRevision: null,
        thread: null,
        coAuthors: [],
        actor: 'ada',
        via: 'token',
      },
    );
    const got = (await ada.get(webhook.path)).data;
    assert.deepEqual([got.id, got.enabled, 'secret' in got], [id, true, false]);
  });

  it('of an organization send events of all its documents', async () => {
    const { secret } = await makeWebhook(ada, { path: '/orgs/guild/webhooks' });
    await makeDocument(ada, 'mine');
    await makeDocument(ada, 'ours', { org: 'guild', visibility: 'private' });
    await receiver.arrived(1);
    const [one] = receiver.received;
    assert.ok(one);
    verifies(secret, one);
    assert.deepEqual(one.json.data.document.owner, 'guild');
    assert.equal(one.json.data.document.name, 'ours');
  });

  it('send only the chosen types', async () => {
    const { path } = await makeWebhook(ada, { types: ['thread.opened'] });
    const document = await makeDocument(ada, 'talk');
    const thread = await expectStatus(ada.post(`${document}/threads`, { body: 'Why?' }), 201);
    await receiver.arrived(1);
    const [one] = receiver.received;
    assert.equal(one?.json.type, 'thread.opened');
    assert.equal(one.json.data.thread, thread.data.id);
    assert.doesNotMatch(one.body, /Why/);
    assert.equal((await ada.get(`${path}/deliveries`)).data.length, 1);
  });

  it('sign with both secrets for a day after a rotation', async () => {
    const { secret, path } = await makeWebhook(ada);
    const { data } = await expectStatus(ada.patch(path, { rotateSecret: true }), 200);
    assert.notEqual(data.secret, secret);
    await expectStatus(ada.post(`${path}/test`), 201);
    await receiver.arrived(1);
    const [both] = receiver.received;
    assert.ok(both);
    verifies(secret, both);
    verifies(data.secret, both);
    service.advance(DAY_MS + 1);
    await expectStatus(ada.post(`${path}/test`), 201);
    await receiver.arrived(2);
    // The library refuses times that differ from its own clock, so the header is compared.
    assert.equal(receiver.received[1]?.headers['webhook-signature']?.split(' ').length, 1);
  });

  it('a failed test reports its result and is not retried', async () => {
    const { path, secret } = await makeWebhook(ada);
    receiver.respond = () => ({ status: 500 });
    const { id } = (await expectStatus(ada.post(`${path}/test`), 201)).data;
    const [delivery] = await deliveriesWhen(path, ([one]) => one.status !== 'pending');
    const { id: sentId, type, status, attempts, code, fault, nextAttemptAt } = delivery;
    assert.deepEqual(
      { sentId, type, status, attempts, code, fault, nextAttemptAt },
      {
        sentId: id,
        type: 'webhook.test',
        status: 'failed',
        attempts: 1,
        code: 500,
        fault: 'status',
        nextAttemptAt: null,
      },
    );
    assert.match(secret, /^whsec_/);
    assert.deepEqual(receiver.received[0]?.json.data, {});
    assert.equal((await ada.get(path)).data.failingSince, null);
  });

  it('retry with the same id until success, by the schedule and Retry-After', async () => {
    const { path } = await makeWebhook(ada, { types: ['revision.created'] });
    const answers = [{ status: 500 }, { status: 503, headers: { 'retry-after': '7200' } }];
    receiver.respond = () => answers[receiver.received.length - 1] ?? { status: 200 };
    await makeDocument(ada, 'again');
    type Attempted = { nextAttemptAt: string; attemptedAt: string };
    const waitOf = ([one]: Attempted[]) =>
      one && Date.parse(one.nextAttemptAt) - Date.parse(one.attemptedAt);
    const first = await deliveriesWhen(path, ([one]) => one?.attempts === 1);
    const wait = waitOf(first) ?? 0;
    assert.ok(wait >= 5_000 && wait <= 5_501, `${wait}`);
    assert.notEqual((await ada.get(path)).data.failingSince, null);
    service.advance(MINUTE_MS);
    const second = await deliveriesWhen(path, ([one]) => one.attempts === 2);
    assert.equal(waitOf(second), 7_200_000);
    assert.deepEqual([second[0].status, second[0].code], ['pending', 503]);
    service.advance(121 * MINUTE_MS);
    const [third] = await deliveriesWhen(path, ([one]) => one.status === 'delivered');
    assert.deepEqual([third.attempts, third.code, third.fault], [3, 200, null]);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal((await ada.get(path)).data.failingSince, null);
  });

  it('that wait tell a former owner no new name', async () => {
    const { path } = await makeWebhook(ada, { types: ['revision.created'] });
    receiver.respond = () => ({ status: receiver.received.length === 1 ? 500 : 204 });
    const document = await makeDocument(ada, 'ours', { visibility: 'private' });
    await deliveriesWhen(path, ([one]) => one?.attempts === 1);
    await expectStatus(ada.post(`${document}/move`, { owner: 'guild', name: 'not-yours' }), 200);
    service.advance(MINUTE_MS);
    await receiver.arrived(2);
    const [first, second] = receiver.received.map(({ json }) => json.data.document);
    assert.deepEqual([first.name, second.id, second.owner], ['ours', first.id, 'ada']);
    assert.equal(second.name, null);
  });

  it('wait while the account is disabled', async () => {
    const path = await makeWebhook(grace, { types: ['revision.created'] });
    receiver.respond = () => ({ status: receiver.received.length === 1 ? 500 : 204 });
    await makeDocument(grace, 'waiting');
    await until('the first attempt', async () => {
      const { data } = await grace.get(`${path.path}/deliveries`);
      return data[0]?.attempts === 1;
    });
    const { context } = service.app;
    await setAccountDisabled(context, 'grace', true);
    service.advance(MINUTE_MS);
    // Another webhook’s event is sent meanwhile.
    await makeWebhook(ada, { types: ['revision.created'] });
    await makeDocument(ada, 'sent-meanwhile');
    await receiver.arrived(2);
    assert.equal(receiver.received[1]?.json.data.actor, 'ada');
    await setAccountDisabled(context, 'grace', false);
    await receiver.arrived(3);
    assert.equal(receiver.received[2]?.json.data.actor, 'grace');
  });

  it('don’t follow redirects', async () => {
    const { path } = await makeWebhook(ada);
    receiver.respond = () => ({ status: 307, headers: { location: receiver.url } });
    await expectStatus(ada.post(`${path}/test`), 201);
    const [one] = await deliveriesWhen(path, ([one]) => one.status === 'failed');
    assert.equal(one.code, 307);
    assert.equal(receiver.received.length, 1);
  });

  it('are disabled by 410, and can be enabled again', async () => {
    const { path } = await makeWebhook(ada);
    receiver.respond = () => ({ status: 410 });
    await makeDocument(ada, 'gone');
    const [gone] = await deliveriesWhen(path, ([one]) => one?.status === 'failed');
    assert.equal(gone.code, 410);
    const disabled = (await ada.get(path)).data;
    assert.deepEqual([disabled.enabled, disabled.disabledBecause], [false, 'gone']);
    assertError(await ada.post(`${path}/test`), 422, 'UNPROCESSABLE');
    receiver.respond = () => ({ status: 204 });
    const enabled = await expectStatus(ada.patch(path, { enabled: true }), 200);
    assert.deepEqual([enabled.data.enabled, enabled.data.disabledBecause], [true, null]);
    await makeDocument(ada, 'back');
    await receiver.arrived(2);
  });

  it('are disabled after five days without a success', async () => {
    const { path } = await makeWebhook(ada, { types: ['revision.created'] });
    receiver.respond = () => ({ status: 500 });
    await makeDocument(ada, 'failing');
    await deliveriesWhen(path, ([one]) => one?.attempts === 1);
    service.advance(4 * DAY_MS);
    await deliveriesWhen(path, ([one]) => one.attempts === 2);
    assert.equal((await ada.get(path)).data.enabled, true);
    service.advance(DAY_MS);
    await deliveriesWhen(path, ([one]) => one.status === 'failed');
    assert.equal((await ada.get(path)).data.disabledBecause, 'failing');
  });

  it('resend an interrupted delivery with the same id after a restart', async () => {
    const home = mkdtempSync(pathOf(tmpdir(), 'briefs-test-'));
    const settings = { WEBHOOK_PRIVATE_ADDRESSES: 'allow', DATA_DIR: home };
    const first = await startService(settings);
    const alan = await first.user('alan');
    const body = { url: receiver.url, types: ['revision.created'] };
    await expectStatus(alan.post('/user/webhooks', body), 201);
    receiver.respond = () => undefined;
    await makeDocument(alan, 'cut-short');
    await receiver.arrived(1);
    await first.stop();

    const second = await startService(settings);
    await receiver.arrived(2);
    await second.stop();

    // A process that is killed leaves its claim, which expires.
    const until = new Date(Date.now() + MINUTE_MS).toISOString();
    const config = readConfig({ DATA_DIR: home, ...(await stackSettings(home)) });
    const context = await openContext(config);
    await context.sql.transaction((tx) =>
      tx.updateTable('webhook_delivery').set({ nextAt: until }).execute(),
    );
    await closeContext(context);
    receiver.respond = () => ({ status: 204 });
    const third = await startService(settings);
    third.advance(MINUTE_MS + 1);
    await receiver.arrived(3);
    await third.stop();
    rmSync(home, { recursive: true, force: true });
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  });

  it('several processes send each delivery once', async () => {
    const { path } = await makeWebhook(ada);
    const other = await createApp(service.config, { now: service.app.context.now });
    try {
      for (let index = 0; index < 20; index += 1) await makeDocument(ada, `each-${index}`);
      await deliveriesWhen(
        `${path}`,
        (all) => all.length === 20 && all.every(({ status }) => status === 'delivered'),
      );
    } finally {
      await other.close();
    }
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(ids.length, 20);
    assert.equal(new Set(ids).size, 20);
    const second = await ada.get(`${path}/deliveries?per_page=15&page=2`);
    assert.equal(second.data.length, 5);
  });

  it('of one person, however many, delay nobody else’s while their receiver hangs', async () => {
    const hanging = await startReceiver();
    hanging.respond = () => undefined;
    try {
      const slow: string[] = [];
      for (let org = 0; org < 12; org++) {
        const name = `front-${org}`;
        await makeOrganization(grace, name);
        const path = `/orgs/${name}/webhooks`;
        slow.push((await makeWebhook(grace, { path, url: hanging.url })).path);
      }
      for (let round = 0; round < 4; round++) {
        for (const path of slow) await expectStatus(grace.post(`${path}/test`), 201);
      }
      await hanging.arrived(8);
      const { path } = await makeWebhook(ada);
      await expectStatus(ada.post(`${path}/test`), 201);
      await receiver.arrived(1);
      assert.equal(hanging.received.length, 8, 'as many as one account may have');
    } finally {
      hanging.close();
    }
  });

  it('are visible only to their owner', async () => {
    const { path } = await makeWebhook(ada);
    assertError(await grace.get(path), 404, 'NOT_FOUND');
    assertError(await grace.delete(path), 404, 'NOT_FOUND');
    assertError(await grace.patch(path, { enabled: false }), 404, 'NOT_FOUND');
    assertError(await grace.get(`${path}/deliveries`), 404, 'NOT_FOUND');
    const org = await makeWebhook(ada, { path: '/orgs/guild/webhooks' });
    const id = org.path.split('/').at(-1);
    assertError(await ada.get(`/user/webhooks/${id}`), 404, 'NOT_FOUND');
    assertError(await grace.get(org.path), 403, 'FORBIDDEN');
    const member = await service.user('member');
    await join(ada, 'guild', member);
    for (const [method, address] of [
      ['GET', '/orgs/guild/webhooks'],
      ['POST', '/orgs/guild/webhooks'],
      ['GET', org.path],
      ['DELETE', org.path],
      ['POST', `${org.path}/test`],
      ['GET', `${org.path}/deliveries`],
    ] as const) {
      assertError(await member.request(address, { method }), 403, 'FORBIDDEN');
    }
  });

  it('are limited to ten per owner', async () => {
    for (let index = 0; index < 10; index += 1) await makeWebhook(ada);
    const body = { url: receiver.url, types: ['thread.opened'] };
    assertError(await ada.post('/user/webhooks', body), 422, 'UNPROCESSABLE', /10 webhooks/);
    await makeWebhook(grace);
  });

  it('deliveries are stored for 30 days, and deleted with their webhook, document and owner', async () => {
    const { context } = service.app;
    const leftOf = async (table: 'webhook' | 'webhook_delivery') =>
      (await context.sql.read.selectFrom(table).select('id').execute()).length;
    const { path } = await makeWebhook(ada);
    await expectStatus(ada.post(`${path}/test`), 201);
    await deliveriesWhen(path, ([one]) => one?.status === 'delivered');
    service.advance(29 * DAY_MS);
    assert.equal(await sweepDeliveries(context), 0);
    service.advance(DAY_MS + 1);
    assert.equal(await sweepDeliveries(context), 1);

    const document = await makeDocument(ada, 'short');
    await deliveriesWhen(path, ([one]) => one?.status === 'delivered');
    const { id } = (await ada.get(document)).data;
    await expectStatus(ada.delete(document), 204);
    await deliveriesWhen(path, (all) => all.length === 2);
    await expectStatus(ada.delete(`/trash/${id}`), 204);
    assert.deepEqual((await ada.get(`${path}/deliveries`)).data, []);

    const [webhooks, deliveries] = [await leftOf('webhook'), await leftOf('webhook_delivery')];
    const leaver = await service.user('leaver');
    await makeOrganization(leaver, 'brief-guild');
    await makeWebhook(leaver);
    await makeWebhook(leaver, { path: '/orgs/brief-guild/webhooks' });
    await makeDocument(leaver, 'x');
    await makeDocument(leaver, 'y', { org: 'brief-guild' });
    await receiver.arrived(2);
    await expectStatus(leaver.delete('/orgs/brief-guild'), 204);
    await deleteUser(context, 'leaver');
    assert.deepEqual(
      [await leftOf('webhook'), await leftOf('webhook_delivery')],
      [webhooks, deliveries],
    );
    created.splice(-2);
  });
});

describe('Addresses of webhooks', () => {
  let service: Service;
  let ada: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
  });
  after(() => service.stop());

  it('must be https without a port, user or fragment, and not in a private network', async () => {
    for (const url of [
      '',
      'example.com/x',
      '//example.com/x',
      'ftp://example.com',
      'javascript:1',
      'http://example.com/x',
      'https://example.com:8443/x',
      'https://u:p@example.com/',
      'https://example.com/#x',
      'https://localhost/',
      'https://a.localhost/',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://[::ffff:10.0.0.1]/',
      'https://169.254.169.254/',
      `https://example.com/${'x'.repeat(1_000)}`,
    ]) {
      const answer = await ada.post('/user/webhooks', { url, types: ['thread.opened'] });
      assertError(answer, 400, 'BAD_REQUEST', /^url: must /);
    }
  });

  it('whose names lead to a private network are refused', async () => {
    const receiver = await startReceiver();
    const body = { url: 'https://example.com/', types: ['thread.opened'] };
    const { id } = (await expectStatus(ada.post('/user/webhooks', body), 201)).data;
    // As if it had been created while private addresses were allowed, or while the name led
    // elsewhere.
    for (const url of [receiver.url, 'https://localhost/hook', 'https://127.0.0.1/hook']) {
      await service.app.context.sql.transaction((tx) =>
        tx.updateTable('webhook').set({ url }).where('id', '=', id).execute(),
      );
      const test = (await expectStatus(ada.post(`/user/webhooks/${id}/test`), 201)).data;
      for (;;) {
        const [delivery] = (await ada.get(`/user/webhooks/${id}/deliveries`)).data;
        assert.equal(delivery.id, test.id);
        if (delivery.status === 'failed') {
          assert.deepEqual([delivery.fault, delivery.code], ['address', null]);
          break;
        }
        await sleep(20);
      }
    }
    assert.deepEqual(receiver.received, []);
    receiver.close();
  });
});
