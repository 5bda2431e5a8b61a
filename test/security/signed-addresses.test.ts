import { strict as assert } from 'node:assert';
import { createHmac } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { type Service, startService } from '../harness.ts';
import { ask, assertNothing, targetOf } from '../render/expected.ts';

const HTML = '<title>Signed</title>';

describe('Signed addresses', async () => {
  const service = await startService();
  after(() => service.stop());
  const ada = await service.user('ada');
  for (const name of ['one', 'two']) {
    await ada.post('/user/pages', { html: HTML + name, name, visibility: 'private' });
  }

  async function sign(name = 'one'): Promise<string> {
    return targetOf((await ada.get(`/pages/ada/${name}/render-url`)).data.url);
  }

  async function assertDead(targets: string[], at: Service = service): Promise<void> {
    for (const target of targets) await assertNothing(at, await ask(at, target), target);
  }

  it('contain page, version and expiry, but not the viewer', async () => {
    const { id } = (await ada.get('/pages/ada/one')).data;
    const { id: viewer } = (await ada.get('/user')).data;
    const target = await sign();
    assert.match(target, new RegExp(`^/s/${id}/1\\?exp=\\d{10}&for=[\\w-]+&sig=[\\w-]+$`));
    const sealed = new URLSearchParams(target.split('?')[1]).get('for') ?? '';
    assert.ok(!target.includes(viewer));
    assert.ok(!Buffer.from(sealed, 'base64url').includes(viewer));
    assert.notEqual(target, await sign(), 'sealed anew each time');
    assert.equal((await ask(service, target)).body, `${HTML}one`);
  });

  it('with any character changed: 404', async () => {
    const target = await sign();
    const classes = ['0', 'a', 'Z', '-', '_', '%', '/', '&', '=', '?', '.', ' ', '+'];
    for (let at = 1; at < target.length; at++) {
      const now = target[at] ?? '';
      const next = String.fromCharCode(now.charCodeAt(0) ^ 1);
      // Each character is replaced by its neighbour and by characters of other classes in turn.
      const others = [next, classes[at % classes.length], classes[(at + 5) % classes.length]];
      const changed = others.filter((other) => other !== now && other !== ' ' && other);
      await assertDead(changed.map((other) => target.slice(0, at) + other + target.slice(at + 1)));
    }
    assert.equal((await ask(service, target)).status, 200);
  });

  it('with any character dropped or doubled, or cut short: 404', async () => {
    const target = await sign();
    for (let at = 1; at < target.length; at++) {
      await assertDead([
        target.slice(0, at) + target.slice(at + 1),
        target.slice(0, at) + target[at] + target.slice(at),
      ]);
      if (at % 9 === 0) await assertDead([target.slice(0, at)]);
    }
  });

  it('with parameters repeated, reordered, missing, added or respelled: 404', async () => {
    const target = await sign();
    const [path = '', query = ''] = target.split('?');
    const [exp = '', viewer = '', sig = ''] = query.split('&');
    const later = `exp=${Number(exp.slice(4)) + 600}`;
    const of = (...parameters: string[]) => `${path}?${parameters.join('&')}`;
    assert.equal((await ask(service, of(exp, viewer, sig))).status, 200);
    await assertDead([
      of(exp, exp, viewer, sig),
      of(exp, viewer, viewer, sig),
      of(exp, viewer, sig, sig),
      of(later, exp, viewer, sig),
      of(exp, later, viewer, sig),
      of(exp, viewer, sig, later),
      of(viewer, exp, sig),
      of(sig, exp, viewer),
      of(exp, sig, viewer),
      of(exp, viewer),
      of(exp, sig),
      of(viewer, sig),
      of(exp),
      of(),
      path,
      of(later, viewer, sig),
      of('exp=0', viewer, sig),
      of('exp=', viewer, sig),
      of(exp, viewer, sig, 'x=1'),
      of('x=1', exp, viewer, sig),
      of(exp, viewer, `${sig}&`),
      of(`exp=0${exp.slice(4)}`, viewer, sig),
      of(`exp=+${exp.slice(4)}`, viewer, sig),
      of(`${exp}.0`, viewer, sig),
      of(`exp=${Number(exp.slice(4)).toString(16)}`, viewer, sig),
      of(exp.toUpperCase(), viewer, sig),
      of(exp, viewer, sig.toUpperCase()),
      of(exp, viewer, `${sig}=`),
      of(exp, viewer, sig.replace('sig=', 'sig[]=')),
      of(exp, viewer, 'sig='),
      of(exp, viewer, `sig=${'A'.repeat(43)}`),
      of(exp, 'for=', sig),
      of(exp, `for=${'A'.repeat(86)}`, sig),
      `${path}?${query.replaceAll('&', ';')}`,
      `${path}?${query.replaceAll('&', '%26')}`,
      `${path}/?${query}`,
      `${path}//?${query}`,
      `${path}%20?${query}`,
      `${target}%0a`,
      `/S${target.slice(2)}`,
      `/x${target}`,
      target.replace('/s/', '/%73/'),
      path.toUpperCase() + target.slice(path.length),
      `${path}?${encodeURIComponent(query)}`,
    ]);
  });

  it('used for another page, version or viewer: 404', async () => {
    const one = await sign('one');
    const two = await sign('two');
    const id = (target: string) => target.slice(3, 39);
    const query = (target: string) => target.split('?')[1];
    const viewer = (target: string) => /for=[\w-]+/.exec(target)?.[0] ?? '';
    await assertDead([
      one.replace(id(one), id(two)),
      `${two.split('?')[0]}?${query(one)}`,
      one.replace(viewer(one), viewer(two)),
      ...['0', '2', '01', '1.0', '-1', '1e0', '9999999999', ''].map((version) =>
        one.replace('/1?', `/${version}?`),
      ),
    ]);
  });

  it('created without the key: 404', async () => {
    const target = await sign();
    const open = target.slice(0, target.lastIndexOf('&sig='));
    const keys = ['', 'secret', service.renderUrl, Buffer.alloc(32)];
    const forged = keys.map((key) => {
      const mac = createHmac('sha256', key).update(service.renderUrl + open);
      return `${open}&sig=${mac.digest('base64url')}`;
    });
    await assertDead(forged);
  });

  it('signed for one host don’t work at another with the same data', async () => {
    const target = await sign();
    const { dataDir } = service.config;
    const other = await startService({ DATA_DIR: dataDir });
    try {
      assert.notEqual(other.renderUrl, service.renderUrl);
      await assertDead([target], other);
      const { data } = await other.client(ada.token).get('/pages/ada/one/render-url');
      assert.equal((await ask(other, targetOf(data.url))).status, 200);
      await assertDead([targetOf(data.url)]);
    } finally {
      await other.stop();
    }
    assert.equal((await ask(service, target)).status, 200);
  });

  it('don’t work on the web host and the API', async () => {
    const target = await sign();
    for (const at of [service.webUrl, service.baseUrl]) {
      const { status } = await fetch(at + target);
      assert.ok(status === 404 || status === 401, `${status}`);
    }
  });

  it('expire after about ten minutes', async () => {
    const target = await sign();
    service.advance(9.5 * 60_000);
    assert.equal((await ask(service, target)).status, 200);
    service.advance(60_000);
    await assertDead([target]);
    assert.equal((await ask(service, await sign())).status, 200);
  });
});
