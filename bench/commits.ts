/**
 * Stores briefs as fast as one writer can that waits for each to be on the disk, and no client asks
 * for: one row in one transaction, with the settings that the service has.
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
