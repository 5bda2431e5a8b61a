import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startService } from '../harness.ts';
import { REVISIONS, runSuite } from './suite.ts';

/*
 * Runs the protocol's own conformance suite against the tool-call surface, for each revision: all of
 * its scenarios, those included that the suite does not count yet. What may fail, and why, is in
 * expected-failures-*.yml, check by check; the run fails when anything else fails, or when something
 * there does not. Not a part of `npm test`: the suite is fetched by npx.
 *
 *   npm run build:server && node dist/test/conformance/mcp-server.js
 */

const EXPECTED = new URL('../../../test/conformance/', import.meta.url);

const service = await startService();
const ada = await service.user('ada');
// Scenarios that read any listed resource need one.
await ada.post('/user/briefs', { name: 'hello', content: '# Hello' });
const proxy = await startProxy(new URL(`${service.baseUrl}/mcp`), ada.token ?? '');

for (const revision of REVISIONS) {
  const expected = fileURLToPath(new URL(`expected-failures-${revision}.yml`, EXPECTED));
  const { passed, checks } = await runSuite([
    'server',
    '--url',
    proxy.url,
    '--suite',
    'all',
    '--spec-version',
    revision,
    '--expected-failures',
    expected,
  ]);
  console.log(`${revision}: ${passed ? 'as expected' : 'NOT AS EXPECTED'}`, checks, '\n');
  if (!passed) process.exitCode = 1;
}
proxy.close();
await service.stop();

/** Forwards requests with a token, which the suite can't send. */
async function startProxy(target: URL, bearer: string): Promise<{ url: string; close(): void }> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${bearer}` };
    const passed = forward(target, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://localhost:${port}/mcp`, close: () => server.close() };
}
