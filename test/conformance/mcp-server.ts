import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startService } from '../harness.ts';

/*
 * Runs the protocol's own conformance suite and the official inspector against the tool-call
 * surface. Not a part of `npm test`: both are fetched by npx.
 *
 *   npm run build:server && node dist/test/conformance/mcp-server.js
 */

const CONFORMANCE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const INSPECTOR = '@modelcontextprotocol/inspector@2';
const EXPECTED = new URL('../../../test/conformance/', import.meta.url);
const REVISIONS = ['2025-11-25', '2026-07-28'];

const service = await startService();
const { token } = await service.user('ada');
const proxy = await startProxy(new URL(`${service.baseUrl}/mcp`), token ?? '');

for (const revision of REVISIONS) {
  const expected = fileURLToPath(new URL(`expected-failures-${revision}.yml`, EXPECTED));
  const options = ['--requirements', revision, '--expected-failures', expected];
  await run(CONFORMANCE, 'server', '--url', proxy.url, ...options);
}
await run(INSPECTOR, '--cli', proxy.url, '--transport', 'http', '--method', 'tools/list');
proxy.close();
await service.stop();

/** Passes requests on with a token, which the suite has no way to send. */
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

async function run(...command: string[]): Promise<void> {
  const child = spawn('npx', ['--yes', ...command], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exitCode = 1;
}
