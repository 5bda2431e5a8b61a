import type { Command } from 'commander';
import type { Config } from '../core/config/config.ts';
import { readConfig } from '../core/config/read-config.ts';
import { backUp, backUpTo, verifyBackup } from '../storage/backup/backup.ts';
import { restore } from '../storage/backup/restore.ts';

/** The file name for standard output or input. */
const STANDARD_STREAM = '-';

/** Adds `briefs backup`, `briefs backup verify` and `briefs restore`. */
export function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup')
    .description('write a consistent copy of all data to a file, even while the service runs')
    .argument('<file>', 'a new file; - for standard output')
    .action(async (file: string) => {
      const dataDir = embeddedDataDir(readConfig(process.env));
      if (file === STANDARD_STREAM) return backUpTo(dataDir, standardOutput);
      await backUp(dataDir, file);
      console.log(`Backed up to ${file}.`);
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
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      const dataDir = embeddedDataDir(readConfig(process.env));
      const { verified } = await restore(dataDir, sourceOf(file), { replace: force });
      console.log(`Restored from ${shown(file)}.`);
      if (!verified) {
        console.log('Not verified: this backup of an earlier version has no checksums.');
      }
    });
}

const shown = (file: string) => (file === STANDARD_STREAM ? 'standard input' : file);
const sourceOf = (file: string) => (file === STANDARD_STREAM ? process.stdin : file);

/** @throws Error if it is a terminal */
function standardOutput(): NodeJS.WriteStream {
  if (!process.stdout.isTTY) return process.stdout;
  throw new Error('Standard output is a terminal. Redirect it to a file, or give a file name.');
}

/** Returns the data directory. @throws Error if any data is on a server */
function embeddedDataDir({ database, blobs, dataDir }: Config): string {
  const setting = database ? 'DATABASE_URL' : blobs ? 'BLOB_URL' : undefined;
  if (!setting) return dataDir;
  throw new Error(
    `${setting} is set, but this command works only with the embedded database and the disk. Use pg_dump ` +
      'and the versioning of the blob store, or run "briefs migrate-data" to a DATA_DIR and back that up.',
  );
}
