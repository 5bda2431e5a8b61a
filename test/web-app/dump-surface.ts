/**
 * Writes what programs and people see of the service into a folder: the OpenAPI document, the tools,
 * and the HTML of each screen, with what is random replaced. After a change that should change nothing
 * of it, the folders made before and after are equal:
 *
 *     node dist/test/web-app/dump-surface.js /tmp/before
 *     diff -r /tmp/before /tmp/after
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setAdmin } from '../../src/core/identity/admin.ts';
import { startService } from '../harness.ts';
import { openPostOffice } from '../mail/post-office.ts';
import { newVisitor, type Visitor } from '../sign-in/visitor.ts';
import { SCREENS } from './screens.ts';
import { makePerson, makeWorld } from './world.ts';

const folder = process.argv[2];
if (!folder) throw new Error('Name the folder to write to.');
mkdirSync(folder, { recursive: true });

const office = await openPostOffice();
const service = await startService(office.settings);
const { ada } = await makeWorld(service);
const people = new Map<string, Visitor>([
  ['nobody', newVisitor(service)],
  ['ada', ada.visitor],
  ['newcomer', (await makePerson(service, 'newcomer')).visitor],
  ['steward', (await makePerson(service, 'steward')).visitor],
]);
await setAdmin(service.app.context, undefined, { username: 'steward', isAdmin: true });

// The inbox, and the packing of older texts, follow within seconds.
await sleep(8_000);

/** Replaces ids, times, nonces, ports and the hashes in names of built files. */
function steady(text: string): string {
  return (
    text
      .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY')
      .replaceAll(/\d\d:\d\d(:\d\d)?( [AP]M)?/g, 'HOUR')
      .replaceAll(/(name="expected" value=")[^"]*/g, '$1RANDOM')
      .replaceAll(/exp=\d+/g, 'exp=TIME')
      // The second factor's key, as a picture and as text.
      .replaceAll(/(M\d+ \d+h1v1h-1z)+/g, 'SQUARES')
      .replaceAll(/([A-Z2-7]{4} ){7}[A-Z2-7]{4}/g, 'KEY')
      .replaceAll(/localhost%3A\d+/g, 'localhost%3APORT')
      .replaceAll(/\b(127\.0\.0\.1|localhost|render\.localhost):\d+/g, '$1:PORT')
      .replaceAll(/-[\w-]{8}\.(js|css|woff2|svg|png)\b/g, '-HASH.$1')
      .replaceAll(/[\w-]{22,}={0,2}/g, (word) =>
        /\d/.test(word) && /[A-Z]/.test(word) ? 'RANDOM' : word,
      )
  );
}

/** A line for each element, so that differences are readable. */
const byElement = (html: string): string => html.replaceAll(/>\s*</g, '>\n<');

function write(name: string, text: string): void {
  writeFileSync(join(folder as string, name), `${steady(text)}\n`);
}

const openApi = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
write('openapi.json', JSON.stringify(openApi, undefined, 1));
const tools = await fetch(`${service.baseUrl}/mcp`, {
  method: 'POST',
  headers: {
    authorization: `Bearer ${ada.client.token}`,
    accept: 'application/json',
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-11-25',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
});
write('tools.json', JSON.stringify(await tools.json(), undefined, 1));
for (const { name, path, as = 'ada' } of SCREENS) {
  const { status, text } = await (people.get(as) as Visitor).get(path);
  write(`${name}.html`, `${status}\n${byElement(text)}`);
}
await service.stop();
await office.close();
process.exit(0);
