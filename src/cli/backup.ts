import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { backUp, restore } from '../storage/backup.ts';

/** `briefs backup` and `briefs restore`. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write a consistent copy of all data to a file, also while the service runs')
    .argument('<file>', 'must not exist yet')
    .action(async (file: string) => {
      await backUp(readConfig(process.env).dataDir, file);
      console.log(`Backed up to ${file}.`);
    });

  program
    .command('restore')
    .description('put the data of a backup in place; the service must be stopped')
    .argument('<file>', 'a file that "briefs backup" wrote')
    .option('--force', 'replace the data that is there')
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      await restore(readConfig(process.env).dataDir, file, { replace: force });
      console.log(`Restored from ${file}.`);
    });
}
