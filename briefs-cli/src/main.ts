import { Command, CommanderError } from 'commander';
import { addDocumentCommands } from './commands/documents.ts';
import { addLoginCommands } from './commands/login.ts';
import { addTransferCommands } from './commands/transfer.ts';
import { ApiError, CommandError, EXIT, oneLine } from './outcome.ts';

/** Filled in by rolldown.config.ts. */
declare const VERSION: string;

const program = new Command('briefs')
  .description(
    'Publishes Markdown and HTML files to a Briefs service, and keeps both sides in sync.',
  )
  .version(VERSION)
  .option('--server <address>', 'the server to use; by default BRIEFS_SERVER, or the last login')
  .option('--json', 'print one JSON object')
  .addHelpText(
    'after',
    '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 a conflict to resolve, 4 not signed in, ' +
      '5 no event before the timeout.',
  )
  .configureHelp({ showGlobalOptions: true })
  .showSuggestionAfterError();
addLoginCommands(program);
addTransferCommands(program);
addDocumentCommands(program);
for (const command of [program, ...program.commands]) {
  command.exitOverride().showHelpAfterError('(see --help)');
}

// Files are written synchronously, so a signal never interrupts a write. It doesn't undo requests.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(EXIT.interrupted));
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = fail(error);
}

/** Prints the error. @returns the exit code */
function fail(error: unknown): number {
  // The parser has already printed the error. For --help, its exit code is 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  const message = oneLine(error instanceof Error ? error.message : String(error));
  const code = error instanceof ApiError ? error.code : undefined;
  if (program.opts().json)
    console.log(JSON.stringify({ error: { message, ...(code && { code }) } }));
  console.error(`briefs: ${message}`);
  return error instanceof CommandError ? error.exitCode : EXIT.failed;
}
