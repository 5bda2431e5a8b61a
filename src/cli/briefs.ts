import { Command, CommanderError } from 'commander';
import { ConfigError } from '../base/config-error.ts';
import { ServiceError } from '../base/errors.ts';
import { VERSION } from '../base/package.ts';
import { addAuditCommand } from './audit.ts';
import { addAuthorizationKeyCommands } from './authorization-keys.ts';
import { addBackupCommands } from './backup.ts';
import { addDocumentCommands } from './documents.ts';
import { addFileCommands } from './files.ts';
import { addInvitationCommands } from './invitations.ts';
import { addOrganizationCommands } from './organizations.ts';
import { addQuotaCommands } from './quotas.ts';
import { addReportCommands } from './reports.ts';
import { addServeCommands } from './serve.ts';
import { readSettingsFile } from './settings-file.ts';
import { addStorageCommands } from './storage.ts';
import { addTokenCommands } from './tokens.ts';
import { addUserCommands } from './users.ts';

/** Exit codes. 0 means success. */
const FAILED = 1;
const INVALID_USAGE = 2;

const program = new Command('briefs')
  .description('Stores and shares Markdown briefs and single-file HTML pages.')
  .version(VERSION)
  .addHelpText(
    'after',
    '\nSettings come from the environment (DATA_DIR, PORT, …): see docs/operate/settings.md.\n' +
      'Every command except restore also works while the service runs.',
  )
  .option(
    '--settings <file>',
    'read settings from a file of NAME=value lines; the environment overrides it',
  )
  .hook('preAction', (command) => {
    const { settings } = command.opts<{ settings?: string }>();
    if (settings !== undefined) loadSettings(settings);
  })
  .configureHelp({ showGlobalOptions: true })
  .showSuggestionAfterError();
addServeCommands(program);
addUserCommands(program);
addOrganizationCommands(program);
addTokenCommands(program);
addInvitationCommands(program);
addDocumentCommands(program);
addFileCommands(program);
addReportCommands(program);
addStorageCommands(program);
addAuditCommand(program);
addQuotaCommands(program);
addAuthorizationKeyCommands(program);
addBackupCommands(program);
everyCommand(program, (command) => command.exitOverride().showHelpAfterError('(see --help)'));

// Only the owner can read new files: they hold keys and private documents, and an existing data
// directory may be open to others.
process.umask(0o077);

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = report(error);
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** @throws Error if the file cannot be read; ConfigError for its content */
function loadSettings(file: string): void {
  try {
    // Read once: it may be a pipe.
    for (const [name, text] of Object.entries(readSettingsFile(file))) process.env[name] ??= text;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new Error(`--settings: ${file} cannot be read.`, { cause: error });
  }
}

/** Prints the error to standard error. @returns the exit code */
function report(error: unknown): number {
  // The parser has already printed the error. For --help, its exit code is 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : INVALID_USAGE;
  console.error(`briefs: ${error instanceof Error ? error.message : String(error)}`);
  const expected = error instanceof ServiceError || error instanceof ConfigError;
  if (!expected && process.env.LOG_LEVEL === 'debug') console.error(error);
  return error instanceof ConfigError ? INVALID_USAGE : FAILED;
}

function everyCommand(command: Command, change: (command: Command) => void): void {
  change(command);
  for (const child of command.commands) everyCommand(child, change);
}
