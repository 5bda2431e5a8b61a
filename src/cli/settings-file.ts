import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigError, refuseUnknownInFile } from '../config.ts';

/** `NAME=value`, or what a shell would take for it; a comment; nothing. */
const LINE = /^[ \t]*(?:(?:export +)?[A-Za-z_]\w*[ \t]*=.*|#.*)?$/;

/** A value in quotes, which may have several lines. */
const QUOTED = /=[ \t]*(["'`]).*?\1/gs;

/**
 * The settings in a file of `NAME=value` lines, as text. Node's reader passes over whatever else
 * there is, so that a colon in place of the sign would be the default without a word.
 *
 * @throws Error when the file cannot be read; ConfigError with the first line that sets nothing, or the first
 *   name that is no setting
 */
export function readSettingsFile(file: string): Record<string, string | undefined> {
  const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  const lines = text.replace(QUOTED, blanked).split(/\r?\n/);
  const at = lines.findIndex((line) => !LINE.test(line));
  if (at >= 0) {
    // What comes after the name may be a secret.
    const [name = ''] = /\w*/.exec((lines[at] as string).trim()) ?? [];
    const beginning = name && `, and begins with "${name}"`;
    throw new ConfigError(`${file}: line ${at + 1} must be NAME=value${beginning}.`);
  }
  const settings = parseEnv(text);
  try {
    refuseUnknownInFile(Object.keys(settings));
  } catch (error) {
    throw new ConfigError(`${file}: ${(error as Error).message}`);
  }
  return settings;
}

/** An empty value of as many lines. */
function blanked(value: string): string {
  return `=${value.replace(/[^\n]/g, '')}`;
}
