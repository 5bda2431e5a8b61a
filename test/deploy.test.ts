import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { nginxMissing, startDeployedProxy } from './servers/nginx.ts';
import type { ServerProcess } from './servers/server-process.ts';

const MB = 1024 * 1024;

describe('deploy/nginx.conf', { skip: nginxMissing() }, () => {
  /** Says what reached it. */
  const replica = createServer(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += chunk.length;
    const { host, 'x-forwarded-for': client } = request.headers;
    if (request.url === '/tagged') {
      response.setHeader('content-type', 'application/json');
      response.setHeader('etag', '"tag"').end(JSON.stringify('x'.repeat(10_000)));
      return;
    }
    response.end(JSON.stringify({ bytes, host, client }));
  });
  let proxy: ServerProcess & { url: string };

  before(async () => {
    await once(replica.listen(0, '127.0.0.1'), 'listening');
    proxy = await startDeployedProxy((replica.address() as AddressInfo).port);
  });
  after(async () => {
    await proxy?.kill('SIGTERM');
    replica.close();
    replica.closeAllConnections();
  });

  const post = (path: string, bytes: number) =>
    fetch(proxy.url + path, {
      method: 'POST',
      headers: { 'x-forwarded-for': '192.0.2.1' },
      body: new Uint8Array(bytes),
    });

  for (const [path, most] of [
    ['/api/user/files', 12 * MB],
    ['/import', 202 * MB],
    ['/settings/uploads', 202 * MB],
  ] as const) {
    it(`${path}: bodies of ${most / MB} MB, with the host and the client’s own address`, async () => {
      const response = await post(path, most);
      assert.deepEqual(await response.json(), {
        bytes: most,
        host: new URL(proxy.url).host,
        client: '127.0.0.1',
      });
    });
  }

  it('entity tags stay strong, since If-Match takes no others', async () => {
    const response = await fetch(`${proxy.url}/tagged`, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(response.headers.get('etag'), '"tag"');
    assert.equal(response.headers.get('content-encoding'), null);
    assert.equal((await response.text()).length, 10_002);
  });

  it('elsewhere no more', async () => {
    for (const path of ['/', '/import/', '/settings/uploads/1/delete']) {
      const response = await post(path, 12 * MB + 1).catch(() => undefined);
      // It may end the connection while the body is still on its way.
      assert.ok(response === undefined || response.status === 413, path);
      await response?.body?.cancel();
    }
  });
});
