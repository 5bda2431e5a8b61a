import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';

// Otherwise it keeps a mark of each rule of each text for ever.
secretLintProfiler.setEnabled(false);

const AWS = '@secretlint/secretlint-rule-aws';

const CONFIG = {
  rules: [
    {
      id: '@secretlint/secretlint-rule-preset-recommend',
      rule: creator,
      // Where there is a key's id, the key is near.
      rules: [{ id: AWS, options: { enableIDScanRule: true } }],
    },
  ],
};

/** The most secrets to list. */
const MAX_LISTED = 10;

/** How much of a secret is shown, which names its kind (`ghp_`, `AKIA`). */
const SHOWN = 4;

export interface Secret {
  /** What it is, such as `GitHub Token`. */
  what: string;
  /** From 1. */
  line: number;
  /** Its first characters. Never more. */
  start: string;
}

/** Tokens of this service, as `core/identity/token.ts` forms them. */
const OWN_TOKEN = /\bbrf_[0-9A-Za-z]{36}\b/g;

/** Addresses with a name and password that stand for others: `https://user:pass@example.com`. */
const SAMPLE_PASSWORD = /:\/\/[^\s/:@]*:(?:pass(?:word|wd)?|pwd?|secret|token)@/i;

/** The last characters of a secret, which are random. */
const TAIL = 12;

/**
 * Finds keys, tokens and passwords in a text by the published patterns of those who issue them, but
 * not what only stands for one (`ghp_xxxx…`); at most 10.
 */
export async function findSecrets(text: string): Promise<Secret[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: 'text.txt', ext: '.txt', contentType: 'text' },
    options: { config: CONFIG, maskSecrets: true },
  });
  const own = Array.from(text.matchAll(OWN_TOKEN), ({ 0: token, index }) => ({
    what: 'Briefs token',
    from: index,
    to: index + token.length,
  }));
  return messages
    .map(({ message, range: [from, to] }) => ({ what: nameOf(message), from, to }))
    .concat(own)
    .filter(({ from, to }) => !isSample(text.slice(from, to)))
    .sort((one, other) => one.from - other.from)
    .slice(0, MAX_LISTED)
    .map(({ what, from, to }) => ({
      what,
      line: text.slice(0, from).split('\n').length,
      start: text.slice(from, Math.min(from + SHOWN, to)).replaceAll(/[^\w+/=:.-]/g, ''),
    }));
}

/** Tells whether a text only shows what a secret looks like. */
function isSample(secret: string): boolean {
  return SAMPLE_PASSWORD.test(secret) || new Set(secret.slice(-TAIL)).size === 1;
}

/** The message is `found GitHub Token(***): ***`. */
function nameOf(message: string): string {
  return message
    .replace(/^found /i, '')
    .replace(/\s*[(:*][\s\S]*$/, '')
    .trim();
}
