import { type Command, InvalidArgumentError } from 'commander';
import { VERSION } from '../base/package.ts';
import { dataLocation } from '../core/config/data-location.ts';
import { readConfig } from '../core/config/read-config.ts';
import type { Context } from '../core/context.ts';
import { setInstanceFact } from '../core/instance-state-store.ts';
import { openBlobs } from '../open-context.ts';
import {
  type Backends,
  backUp,
  backUpTo,
  requireNewFile,
  verifyBackup,
} from '../storage/backup/backup.ts';
import { restore } from '../storage/backup/restore.ts';
import { backUpInto } from '../storage/backup/scheduled.ts';
import { withContext } from './context.ts';

/** The file name for standard output or input. */
const STANDARD_STREAM = '-';

const ELSEWHERE = `
The backup can come from other back ends: one of SQLite and files can be restored to PostgreSQL and
S3, and the other way round. See docs/operate/backup.md.`;

/** Adds `briefs backup`, `briefs backup verify` and `briefs restore`. */
export function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup')
    .description('write a consistent copy of all data, even while the service runs')
    .argument('[file]', 'a new file; - for standard output')
    .option('--into <folder>', 'write it under the name of the time, and verify it')
    .option('--keep <count>', 'with --into: remove the oldest ones there but this many', readCount)
    .action(async (file: string | undefined, { into, keep }: { into?: string; keep?: number }) => {
      if ((file === undefined) === (into === undefined)) {
        backup.error('error: give either a file or --into <folder>');
      }
      if (keep !== undefined && into === undefined) backup.error('error: --keep needs --into');
      const lost = await withContext(async (context) => {
        const at = context.now();
        const from = { sql: context.sql, blobs: context.blobs, version: VERSION };
        const done =
          into === undefined ? await one(from, file ?? '') : await scheduled(from, into, keep, at);
        if (done.size === 0) await record(context, at);
        return done;
      });
      if (lost.size > 0) throw new Error(`The backup is complete except for ${describe(lost)}.`);
    });

  backup
    .command('verify')
    .description('compare a backup with its checksums; exit code 1 if it is damaged')
    .argument('<file>', 'a backup; - for standard input')
    .action(async (file: string) => {
      const { files, bytes } = await verifyBackup(sourceOf(file));
      console.log(`${file} is undamaged (files: ${files}, bytes: ${bytes}).`);
    });

  program
    .command('restore')
    .description('restore all data from a backup; stop the service first')
    .argument('<file>', 'a backup; - for standard input')
    .option('--force', 'replace existing data')
    .addHelpText('after', ELSEWHERE)
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      const config = readConfig(process.env);
      const { dataDir, database } = config;
      const blobs = await openBlobs(config);
      try {
        const target = { dataDir, database, blobs, shownAs: dataLocation(config) };
        const { lost } = await restore(target, sourceOf(file), { replace: force });
        console.log(`Restored from ${file === STANDARD_STREAM ? 'standard input' : file}.`);
        if (lost.size > 0) console.log(`Missing since before the backup: ${describe(lost)}.`);
      } finally {
        await blobs.close();
      }
    });
}

async function one(from: Backends, file: string): Promise<ReadonlySet<string>> {
  if (file === STANDARD_STREAM) {
    requireNoTerminal();
    return (await backUpTo(from, process.stdout)).lost;
  }
  requireNewFile(file);
  const { lost } = await backUp(from, file);
  console.log(`Backed up to ${file}.`);
  return lost;
}

async function scheduled(
  from: Backends,
  folder: string,
  keep: number | undefined,
  at: string,
): Promise<ReadonlySet<string>> {
  const { file, bytes, lost, removed } = await backUpInto(from, folder, { keep, at });
  console.log(`Backed up to ${file} and verified it (bytes: ${bytes}).`);
  for (const old of removed) console.log(`Removed ${old}.`);
  return lost;
}

/** Notes when the last complete backup began, for metrics. A backup counts without that, too. */
async function record({ sql }: Context, at: string): Promise<void> {
  await sql
    .transaction((tx) => setInstanceFact(tx, 'last_backup_at', at))
    .catch((error: Error) => {
      console.error(`briefs: The time of the backup could not be noted: ${error.message}`);
    });
}

function readCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

const sourceOf = (file: string) => (file === STANDARD_STREAM ? process.stdin : file);

function describe(lost: ReadonlySet<string>): string {
  const [first] = lost;
  return `${lost.size} pages, files or texts that the blob store has lost (such as ${first})`;
}

function requireNoTerminal(): void {
  if (!process.stdout.isTTY) return;
  throw new Error('Standard output is a terminal. Redirect it to a file, or give a file name.');
}
