import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { type Config, ConfigError } from '../core/config/config.ts';
import { blobLocation, databaseLocation } from '../core/config/data-location.ts';
import { readConfig } from '../core/config/read-config.ts';
import type { Context } from '../core/context.ts';
import { closeContext, openContext } from '../open-context.ts';
import { type MigratedData, migrateData } from '../storage/migrate-data/migrate-data.ts';
import { printTable, withContext } from './context.ts';
import { ProgressLine } from './progress.ts';
import { readSettingsFile } from './settings-file.ts';

const EXPLANATION = `
The source is the service's settings in the environment, as for every command. The target's settings
come from a file of lines such as DATABASE_URL=postgres://…. The command uses DATA_DIR, DATABASE_URL,
BLOB_URL and AWS_… from it, and you can use the same file for the service later. A database or blob
store that both have in common is not copied.

The service can run on the source, but what it writes meanwhile may be missing. So run this command
while the service runs, stop the service, and run it again with --resume to copy the changes. Start
the service on the target only after that.

At the end, the command reads everything from both sides and compares it. The exit code is 0 if all
of it is equal. If the command was interrupted, run it again with --resume.`;

/** Adds `briefs migrate-data`. */
export function addMigrateDataCommand(program: Command): void {
  program
    .command('migrate-data')
    .description('copy all data to another database or blob store, and verify the copy')
    .requiredOption('--to <file>', 'the target’s settings, one NAME=value per line (required)')
    .option(
      '--resume',
      'continue, or update an earlier copy; deletes what the source does not have',
    )
    .addHelpText('after', EXPLANATION)
    .action(async ({ to, resume = false }: { to: string; resume?: boolean }) => {
      const source = readConfig(process.env);
      const target = readTarget(to);
      const rows = databaseLocation(source) !== databaseLocation(target);
      const blobs = blobLocation(source) !== blobLocation(target);
      if (!rows && !blobs) {
        throw new Error(
          `${to} describes the same data as the environment: ${databaseLocation(source)}.`,
        );
      }
      const progress = new ProgressLine();
      const migrated = await withContext((from) =>
        withTarget(to, target, (into) =>
          migrateData(from, into, { rows, blobs, resume, progress }).finally(() => progress.end()),
        ),
      );
      if (rows) console.log(`${databaseLocation(source)} → ${databaseLocation(target)}`);
      if (blobs) console.log(`${blobLocation(source)} → ${blobLocation(target)}`);
      printComparison(migrated);
      requireAgreement(migrated);
      console.log('The copy is equal to the source.');
    });
}

/** @throws ConfigError that names the file and the setting */
function readTarget(file: string): Config {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
  const environment = readSettingsFile(file);
  try {
    return readConfig(environment);
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${file}: ${error.message}`) : error;
  }
}

/** @throws Error that names the file if a back end of the target does not answer */
async function withTarget<T>(
  file: string,
  config: Config,
  work: (target: Context) => Promise<T>,
): Promise<T> {
  const fail = (error: Error) => {
    throw new Error(`${file}: ${error.message}`, { cause: error });
  };
  const target = await openContext(config).catch(fail);
  try {
    await target.blobs.ping().catch(fail);
    return await work(target);
  } finally {
    await closeContext(target);
  }
}

/** Prints the counts of both sides; where they differ, the source's and the target's. */
function printComparison({ tables, blobs }: MigratedData): void {
  const both = (ours: string, theirs: string) => (ours === theirs ? ours : `${ours} / ${theirs}`);
  const yesOrNo = (isEqual: boolean) => (isEqual ? 'yes' : 'NO');
  if (tables) {
    printTable(
      ['TABLE', 'ROWS', 'SHA-256', 'OK'],
      tables.map(({ table, source, target, isEqual }) => [
        table,
        both(String(source.rows), String(target.rows)),
        both(source.hash.slice(0, 12), target.hash.slice(0, 12)),
        yesOrNo(isEqual),
      ]),
    );
  }
  if (blobs) {
    const { count, bytes, differing, gone } = blobs;
    const counts = [count, bytes, differing.length, gone.length].map(String);
    const isEqual = differing.length + gone.length === 0;
    printTable(['BLOBS', 'BYTES', 'DIFFERENT', 'GONE', 'OK'], [[...counts, yesOrNo(isEqual)]]);
  }
}

/** @throws Error that says what to do */
function requireAgreement({ tables = [], blobs }: MigratedData): void {
  const { differing = [], gone = [] } = blobs ?? {};
  if (tables.some(({ isEqual }) => !isEqual) || differing.length > 0) {
    throw new Error(
      'The target differs from the source. Make sure that nothing else writes to it, and run this ' +
        'again with --resume.',
    );
  }
  if (gone.length > 0) {
    throw new Error(
      `The content of ${gone.length} rows was deleted at the source meanwhile (such as ${gone[0]}). ` +
        'Stop the service, and run this again with --resume.',
    );
  }
}
