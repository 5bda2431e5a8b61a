/**
 * Inserts briefs without a server: one writer, one row per transaction, with the service's settings.
 *
 *   node dist/bench/commits.js <data directory or postgres://…> <owner's id> <file with content> <seconds>
 */
import { readFileSync } from 'node:fs';
import { openFloorDatabase } from './floor-database.ts';
import { writeAndReport } from './one-writer.ts';

const [location = '', ownerId = '', contentFile = '', seconds = ''] = process.argv.slice(2);
const content = readFileSync(contentFile, 'utf8');
const database = await openFloorDatabase(location);
await writeAndReport(
  (number) => database.insertBrief(ownerId, `raw-${process.pid}-${number}`, content),
  Number(seconds),
);
database.close();
