import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { backUp, backUpTo, restore, verifyBackup } from '../storage/backup.ts';

/** What a file is called that is standard output or input. */
const STANDARD_STREAM = '-';

/** `briefs backup`, `briefs backup verify` and `briefs restore`. */
export function addBackupCommands(program: Command): void {
  const backup = program
    .command('backup')
    .description('write a consistent copy of all data to a file, also while the service runs')
    .argument('<file>', 'must not exist yet; - is standard output')
    .action(async (file: string) => {
      const dataDir = embeddedDataDir(readConfig(process.env));
      if (file === STANDARD_STREAM) return backUpTo(dataDir, standardOutput);
      await backUp(dataDir, file);
      console.log(`Backed up to ${file}.`);
    });

  backup
    .command('verify')
    .description('compare a backup with the checksums in it; exit code 1 when it is damaged')
    .argument('<file>', 'a file that "briefs backup" wrote; - is standard input')
    .action(async (file: string) => {
      const { files, bytes } = await verifyBackup(sourceOf(file));
      console.log(`${file} is undamaged (files: ${files}, bytes: ${bytes}).`);
    });

  program
    .command('restore')
    .description('put the data of a backup in place; the service must be stopped')
    .argument('<file>', 'a file that "briefs backup" wrote; - is standard input')
    .option('--force', 'replace the data that is there')
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      const dataDir = embeddedDataDir(readConfig(process.env));
      const { verified } = await restore(dataDir, sourceOf(file), { replace: force });
      console.log(`Restored from ${shown(file)}.`);
      if (!verified) {
        console.log('It could not be verified: an earlier version wrote it without checksums.');
      }
    });
}

const shown = (file: string) => (file === STANDARD_STREAM ? 'standard input' : file);
const sourceOf = (file: string) => (file === STANDARD_STREAM ? process.stdin : file);

/** @throws Error when it is a terminal */
function standardOutput(): NodeJS.WriteStream {
  if (!process.stdout.isTTY) return process.stdout;
  throw new Error('Standard output is a terminal. Redirect it to a file, or name a file.');
}

/**
 * Where the data is.
 *
 * @throws Error when any of it is on a server
 */
function embeddedDataDir({ database, blobs, dataDir }: Config): string {
  const setting = database ? 'DATABASE_URL' : blobs ? 'BLOB_URL' : undefined;
  if (!setting) return dataDir;
  throw new Error(
    `${setting} is set, and backups are of the embedded database and the disk. Use pg_dump and the ` +
      'versions that the blob store keeps, or "briefs migrate-data" to a DATA_DIR and back that up.',
  );
}
