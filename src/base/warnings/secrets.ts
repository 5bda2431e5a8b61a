import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';

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

/** A secret in a text. */
export interface Secret {
  /** What it is, such as `GitHub Token`. */
  what: string;
  /** From 1. */
  line: number;
  /** Its first characters. Never more. */
  start: string;
}

/**
 * Finds keys, tokens and passwords in a text by the published patterns of those who issue them; at
 * most 10.
 */
export async function findSecrets(text: string): Promise<Secret[]> {
  const { messages } = await lintSource({
    source: { content: text, filePath: 'text.txt', ext: '.txt', contentType: 'text' },
    options: { config: CONFIG, maskSecrets: true },
  });
  return messages.slice(0, MAX_LISTED).map(({ message, range: [from, to] }) => ({
    what: nameOf(message),
    line: text.slice(0, from).split('\n').length,
    start: text.slice(from, Math.min(from + SHOWN, to)).replaceAll(/[^\w+/=:.-]/g, ''),
  }));
}

/** The message is `found GitHub Token(***): ***`. */
function nameOf(message: string): string {
  return message
    .replace(/^found /i, '')
    .replace(/\s*[(:*][\s\S]*$/, '')
    .trim();
}
