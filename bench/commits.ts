/**
 * Stores briefs as fast as one writer can that waits for each to be on the disk, and no client asks
 * for: one row in one transaction, with the settings that the service has.
 *
 *   node dist/bench/commits.js <data directory or postgres://…> <owner's id> <file with content> <seconds>
 *
 * Prints one line of JSON: how many, and in how many microseconds.
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { openFloorDatabase } from './floor-database.ts';

const [location = '', ownerId = '', contentFile = '', seconds = ''] = process.argv.slice(2);
const content = readFileSync(contentFile, 'utf8');
const database = await openFloorDatabase(location);
const times: number[] = [];
const before = process.cpuUsage();
const begin = performance.now();
const end = begin + Number(seconds) * 1000;
for (let now = begin; now < end; ) {
  await database.insertBrief(ownerId, `raw-${process.pid}-${times.length}`, content);
  const after = performance.now();
  times.push(after - now);
  now = after;
}
database.close();
const { user, system } = process.cpuUsage(before);
times.sort((a, b) => a - b);
const at = (share: number) => Math.round((times[Math.floor(share * times.length)] ?? 0) * 1000);
const micros = Math.round(times.reduce((sum, time) => sum + time, 0) * 1000);
console.log(
  JSON.stringify({
    requests: times.length,
    micros,
    bytes: 0,
    p50: at(0.5),
    p99: at(0.99),
    cpu: user + system,
  }),
);
