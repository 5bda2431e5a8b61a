import type { Command } from 'commander';
import { VERSION } from '../base/package.ts';
import { dataLocation } from '../core/config/data-location.ts';
import { readConfig } from '../core/config/read-config.ts';
import { openBlobs } from '../open-context.ts';
import { backUp, backUpTo, requireNewFile, verifyBackup } from '../storage/backup/backup.ts';
import { restore } from '../storage/backup/restore.ts';
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
    .description('write a consistent copy of all data to a file, even while the service runs')
    .argument('<file>', 'a new file; - for standard output')
    .action(async (file: string) => {
      const toStandardOutput = file === STANDARD_STREAM;
      if (toStandardOutput) requireNoTerminal();
      else requireNewFile(file);
      const { lost } = await withContext(({ sql, blobs }) => {
        const from = { sql, blobs, version: VERSION };
        return toStandardOutput ? backUpTo(from, process.stdout) : backUp(from, file);
      });
      if (!toStandardOutput) console.log(`Backed up to ${file}.`);
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

const sourceOf = (file: string) => (file === STANDARD_STREAM ? process.stdin : file);

function describe(lost: ReadonlySet<string>): string {
  const [first] = lost;
  return `${lost.size} pages, files or texts that the blob store has lost (such as ${first})`;
}

function requireNoTerminal(): void {
  if (!process.stdout.isTTY) return;
  throw new Error('Standard output is a terminal. Redirect it to a file, or give a file name.');
}
