import type { Command } from 'commander';
import { readConfig } from '../core/config/read-config.ts';
import { withContext } from './context.ts';

/** Adds `briefs serve` and `briefs migrate`. */
export function addServeCommands(program: Command): void {
  program
    .command('serve')
    .description('run the service until SIGTERM or Ctrl-C')
    .action(async () => {
      const config = readConfig(process.env);
      // Imported here to keep other commands fast.
      const { serve } = await import('../main.ts');
      await serve(config);
    });

  program
    .command('migrate')
    .description('run missing database migrations, as the service does at start')
    .action(async () => {
      await withContext(async () => {}, { create: true });
      console.log('The database is up to date.');
    });
}
