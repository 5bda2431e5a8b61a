import { parse } from 'secure-json-parse';

/** What is wrong with bytes that should be JSON, as a phrase that follows their name. */
export type JsonProblem =
  | 'is not UTF-8'
  | 'is not well-formed JSON'
  | 'has a forbidden field name (__proto__ or constructor)'
  | 'is nested more than 100 levels deep';

const MAX_DEPTH = 100;

/** JSON defines no parameters (RFC 8259, section 11); a charset that says UTF-8 is common. */
const JSON_TYPE = /^application\/json *(; *charset=(utf-8|"utf-8") *)?$/i;

/** Whether a `Content-Type` says JSON, and nothing that would have to be read otherwise. */
export function isJsonType(contentType: string | undefined): boolean {
  return JSON_TYPE.test(contentType ?? '');
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads JSON from a stranger. Keys such as `__proto__` are refused rather than dropped. So is deep
 * nesting, before it is parsed: that takes time out of all proportion to its length.
 */
export function readJson(bytes: Buffer): { value: unknown } | { problem: JsonProblem } {
  if (isDeep(bytes)) return { problem: 'is nested more than 100 levels deep' };
  try {
    const text = utf8.decode(bytes);
    return { value: parse(text, { protoAction: 'error', constructorAction: 'error' }) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) return { problem: 'is not UTF-8' };
    return {
      problem: /forbidden prototype/.test(error.message)
        ? 'has a forbidden field name (__proto__ or constructor)'
        : 'is not well-formed JSON',
    };
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

function isDeep(bytes: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (OPENING.includes(byte)) depth++;
    else if (CLOSING.includes(byte)) depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Where the string ends that begins at `from`: the next quote that no backslash makes part of it. */
function endOfString(bytes: Buffer, from: number): number {
  for (
    let quote = bytes.indexOf(QUOTE, from);
    quote >= 0;
    quote = bytes.indexOf(QUOTE, quote + 1)
  ) {
    let backslashes = 0;
    while (quote - backslashes > from && bytes[quote - backslashes - 1] === BACKSLASH)
      backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
  return bytes.length;
}
