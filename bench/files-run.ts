/**
 * Counts the files of `src/` that one warm request runs, as `V8` sees it:
 *
 *   npm run build && npx node dist/bench/files-run.js [--list create]
 *
 * A file counts if one of its functions is called; background work of a pause as long as the request
 * is not counted.
 */
import { Session } from 'node:inspector/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startService } from '../test/harness.ts';
import { connect } from '../test/mcp/agent.ts';

const { values } = parseArgs({ options: { list: { type: 'string' } } });

const service = await startService();
const client = await service.user('ada');
const agent = await connect(service, client.token);
await client.post('/user/briefs', { name: 'plan', content: 'One.\n\nTwo.\n' });

let count = 0;
const next = () => {
  count += 1;
  return count;
};
const PATHS: Record<string, () => Promise<unknown>> = {
  'read a brief': () => client.get('/briefs/ada/plan'),
  'create a brief': () => client.post('/user/briefs', { name: `brief-${next()}`, content: 'One.' }),
  'comment on a brief': () => client.post('/briefs/ada/plan/threads', { body: `Hi ${next()}` }),
  edit_document: () =>
    agent.call('edit_document', {
      name: 'plan',
      edits: [{ old: 'Two', new: 'Two' }],
      dry_run: true,
    }),
  search: () => client.get('/search?q=one'),
};

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const files = async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return new Set(
    result.flatMap(({ url, functions }) => {
      // The first function is the file itself, which runs once.
      const isCalled = functions.some(
        ({ functionName, ranges }) => functionName && ranges[0]?.count,
      );
      const path = /\/dist\/src\/(.*)\.js$/.exec(url)?.[1];
      return isCalled && path ? [path] : [];
    }),
  );
};

for (const [name, run] of Object.entries(PATHS)) {
  for (let warm = 0; warm < 3; warm++) await run();
  await pause(2_000);
  await files();
  const start = performance.now();
  await run();
  const found = await files();
  await pause(performance.now() - start + 50);
  const idle = await files();
  const own = [...found].filter((file) => !idle.has(file) || found.size < idle.size).sort();
  console.log(`${name.padEnd(20)} ${String(found.size).padStart(4)} files`);
  if (values.list && name.startsWith(values.list))
    console.log(own.map((file) => `  ${file}`).join('\n'));
}
await agent.close();
await service.stop();
process.exit();
