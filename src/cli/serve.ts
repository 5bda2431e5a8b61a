import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { withContext } from './context.ts';

/** `briefs serve` and `briefs migrate`. */
export function addServeCommands(program: Command): void {
  program
    .command('serve')
    .description('run the service until it is told to stop (SIGTERM or Ctrl-C)')
    .action(async () => {
      const config = readConfig(process.env);
      // The other commands need none of what this loads.
      const { serve } = await import('../main.ts');
      await serve(config);
    });

  program
    .command('migrate')
    .description('bring the database up to date, as the start of the service does')
    .action(async () => {
      const difference = await withContext(async ({ sql }) => sql.schemaDifference, {
        create: true,
      });
      if (difference) throw new Error(difference);
      console.log('The database is up to date.');
    });
}
