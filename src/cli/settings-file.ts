import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from '../base/config-error.ts';
import { refuseUnknownInFile } from '../core/config/unknown-settings.ts';

/** `NAME=value`, optionally with `export`; a comment; or an empty line. */
const LINE = /^[ \t]*(?:(?:export +)?[A-Za-z_]\w*[ \t]*=.*|#.*)?$/;

/** A quoted value, which can span lines. */
const QUOTED = /=[ \t]*(["'`]).*?\1/gs;

/**
 * Reads a file of `NAME=value` lines. Refuses other lines, which Node's parser would ignore, such
 * as those with a colon instead of `=`.
 *
 * @throws Error if the file cannot be read; ConfigError for the first invalid line or unknown
 *   setting
 */
export function readSettingsFile(file: string): Record<string, string | undefined> {
  const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  const lines = text.replace(QUOTED, blanked).split(/\r?\n/);
  const at = lines.findIndex((line) => !LINE.test(line));
  if (at >= 0) {
    // The rest of the line may be a secret.
    const [name = ''] = /\w*/.exec((lines[at] as string).trim()) ?? [];
    const start = name && ` (it begins with "${name}")`;
    throw new ConfigError(`${file}: line ${at + 1} must be NAME=value${start}.`);
  }
  const settings = parseEnv(text);
  try {
    refuseUnknownInFile(Object.keys(settings));
  } catch (error) {
    throw new ConfigError(`${file}: ${(error as Error).message}`);
  }
  return settings;
}

/** Removes all of a value but its line breaks, to keep line numbers. */
function blanked(value: string): string {
  return `=${value.replace(/[^\n]/g, '')}`;
}
