import { Command, CommanderError } from 'commander';
import { addCompletion } from './commands/completion.ts';
import { addDocumentCommands } from './commands/documents.ts';
import { addLoginCommands } from './commands/login.ts';
import { addManagement } from './commands/manage.ts';
import { addPull } from './commands/pull.ts';
import { addPush } from './commands/push.ts';
import { addResolve } from './commands/resolve.ts';
import { addSync } from './commands/sync.ts';
import { ApiError, CommandError, EXIT, oneLine } from './outcome.ts';
import { printError } from './run.ts';

/** Filled in by rolldown.config.ts. */
declare const VERSION: string;

const program = new Command('briefs')
  .description(
    'Publishes Markdown and HTML files to a Briefs service, and keeps both sides in sync.',
  )
  .version(VERSION)
  .option('--server <address>', 'the server to use; by default BRIEFS_SERVER, or the last login')
  .option('--json', 'print one JSON object')
  .option('--verbose', 'also print unchanged files, and progress without a terminal')
  .addHelpText(
    'after',
    '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 a conflict to resolve, 4 not signed in, ' +
      '5 no event before the timeout.',
  )
  .configureHelp({ showGlobalOptions: true })
  .showSuggestionAfterError();
addLoginCommands(program);
addPush(program);
addPull(program);
addSync(program);
addResolve(program);
addManagement(program);
addDocumentCommands(program);
addCompletion(program);
for (const command of [program, ...program.commands]) {
  command.exitOverride().showHelpAfterError('(see --help)');
}

// Files are written synchronously, so a signal never interrupts a write. It doesn't undo requests.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(EXIT.interrupted));
}

// A reader that has seen enough, such as `head`, doesn't end the work.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  console.error(`briefs: the output can’t be written: ${error.message}`);
  process.exit(EXIT.failed);
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = fail(error);
}

/** Prints the error. @returns the exit code */
function fail(error: unknown): number {
  const flags = { json: isJsonWanted() };
  if (error instanceof CommanderError) {
    // For --help, its exit code is 0. Otherwise the parser has already said what is wrong.
    if (error.exitCode === 0) return 0;
    const said = error.code === 'commander.help' ? 'Name a command.' : error.message;
    const message = oneLine(said.replace(/^error: /, ''));
    if (flags.json) console.log(JSON.stringify({ error: { message, code: 'USAGE' } }));
    return EXIT.usage;
  }
  const message = oneLine(error instanceof Error ? error.message : String(error));
  printError(flags, message, error instanceof ApiError ? error.code : undefined);
  return error instanceof CommandError ? error.exitCode : EXIT.failed;
}

/** Tells whether `--json` is among the options, even if the parser didn't come to it. */
function isJsonWanted(): boolean {
  const end = process.argv.indexOf('--');
  return process.argv.slice(0, end < 0 ? undefined : end).includes('--json');
}
