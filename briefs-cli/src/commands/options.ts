import { Option } from 'commander';
import { VISIBILITIES } from '../../../src/base/schema/visibility.ts';

/** Options that several commands have. */
export const NEW_VISIBILITY = new Option('--visibility <who>', 'who can read new documents')
  .choices(VISIBILITIES)
  .default('private');

export const MESSAGE = new Option('--message <text>', 'what changed, for the history');

export const DRY_RUN = new Option('--dry-run', 'say what would happen, and change nothing');

export const EXCLUDE = new Option(
  '--exclude <pattern>',
  'leave these files out, as .briefsignore does; can be repeated',
)
  .argParser((pattern: string, others: string[] = []) => [...others, pattern])
  .default([], 'none');

/** What a target can be. */
export const TARGET = 'a file that was pushed, owner/name, or an address';
