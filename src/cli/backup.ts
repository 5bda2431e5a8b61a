import type { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { backUp, restore } from '../storage/backup.ts';

/** `briefs backup` and `briefs restore`. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write a consistent copy of all data to a file, also while the service runs')
    .argument('<file>', 'must not exist yet')
    .action(async (file: string) => {
      await backUp(embeddedDataDir(readConfig(process.env)), file);
      console.log(`Backed up to ${file}.`);
    });

  program
    .command('restore')
    .description('put the data of a backup in place; the service must be stopped')
    .argument('<file>', 'a file that "briefs backup" wrote')
    .option('--force', 'replace the data that is there')
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      await restore(embeddedDataDir(readConfig(process.env)), file, { replace: force });
      console.log(`Restored from ${file}.`);
    });
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
