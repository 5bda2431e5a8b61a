import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError } from '../config.ts';

/** `NAME=value`, or what a shell would take for it; a comment; nothing. */
const LINE = /^\s*(?:(?:export\s+)?[A-Za-z_]\w*\s*=.*|#.*)?$/;

/**
 * The settings in a file of `NAME=value` lines, as text. Node's reader passes over whatever else
 * there is, so that a colon in place of the sign would be the default without a word.
 *
 * @throws Error when the file cannot be read; ConfigError with the first line that sets nothing
 */
export function readSettingsFile(file: string): Record<string, string | undefined> {
  const text = readFileSync(file, 'utf8');
  const lines = text.split(/\r?\n/);
  const at = lines.findIndex((line) => !LINE.test(line));
  if (at >= 0) {
    const line = (lines[at] as string).trim().slice(0, 60);
    throw new ConfigError(`${file}: line ${at + 1} must be NAME=value, and is "${line}".`);
  }
  return parseEnv(text);
}
