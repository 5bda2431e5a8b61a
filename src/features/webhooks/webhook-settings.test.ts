import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, startService } from '../../../test/harness.ts';
import { newVisitor, signUp } from '../../../test/sign-in/visitor.ts';
import { startReceiver } from '../../../test/webhook/receiver.ts';

const secretOn = ({ text }: Answer) => /whsec_[A-Za-z0-9+/=]+/.exec(text)?.[0];

describe('Webhooks in the web app', async () => {
  const service = await startService({ WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
  const receiver = await startReceiver();
  const ada = await signUp(service, 'ada');
  const grace = await signUp(service, 'grace');
  await ada.post('/organizations/new', [
    ['namespace', 'guild'],
    ['name', 'Guild'],
  ]);
  after(async () => {
    receiver.close();
    await service.stop();
  });

  for (const base of ['/settings/webhooks', '/organizations/guild/webhooks']) {
    it(`${base}: one is created, tested, changed and deleted without scripts`, async () => {
      const bad = await ada.post(base, [
        ['url', 'nonsense'],
        ['types', 'thread.opened'],
      ]);
      assert.equal(bad.status, 422);
      assert.match(bad.text, /Must be an https address/);

      const made = await ada.post(base, [
        ['url', receiver.url],
        ['types', 'thread.opened'],
      ]);
      assert.equal(made.status, 201);
      assert.ok(secretOn(made));
      const list = await ada.get(base);
      assert.equal(secretOn(list), undefined);
      const path = new RegExp(`href="(${base}/[0-9a-f-]{36})"`).exec(list.text)?.[1] ?? '';

      const before = receiver.received.length;
      assert.equal((await ada.post(`${path}/test`, [])).status, 303);
      await receiver.arrived(before + 1);
      for (;;) {
        const { text } = await ada.get(path);
        if (/Delivered \(204\)/.test(text)) break;
      }
      const rotated = await ada.post(`${path}/secret`, []);
      assert.ok(secretOn(rotated));
      assert.notEqual(secretOn(rotated), secretOn(made));
      await ada.post(`${path}/disable`, []);
      assert.match((await ada.get(path)).text, /Disabled/);
      await ada.post(`${path}/enable`, []);
      assert.match((await ada.get(path)).text, /Send test/);

      const isOrganization = base.startsWith('/organizations');
      assert.equal((await grace.get(path)).status, isOrganization ? 403 : 404);
      assert.equal((await newVisitor(service).get(path)).status, 303);
      assert.equal((await ada.get(`${path}/delete`)).status, 200);
      assert.equal((await ada.post(`${path}/delete`, [])).status, 303);
      assert.match((await ada.get(base)).text, /No webhooks/);
    });
  }
});
