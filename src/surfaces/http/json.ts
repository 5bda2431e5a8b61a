import { parse } from 'secure-json-parse';

/** What is wrong with bytes that should be JSON, as a phrase that follows their name. */
export type JsonProblem =
  | 'is not UTF-8'
  | 'is not well-formed JSON'
  | 'has a forbidden field name (__proto__ or constructor)'
  | 'is nested more than 100 levels deep'
  | `has more than ${string} values`;

const MAX_DEPTH = 100;

/** JSON has no parameters (RFC 8259, section 11), but `charset=utf-8` is common. */
const JSON_TYPE = /^application\/json *(; *charset=(utf-8|"utf-8") *)?$/i;

/** Tells whether a `Content-Type` is JSON in UTF-8. */
export function isJsonType(contentType: string | undefined): boolean {
  return JSON_TYPE.test(contentType ?? '');
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses JSON from an untrusted sender. First checks nesting and the number of values, whose cost
 * in parsing and validation is out of proportion to the length. Rejects keys such as `__proto__`
 * instead of dropping them.
 *
 * @param maxValues the limit of objects, lists, strings, numbers, `true`, `false` and `null`, at
 *   any depth; field names don't count
 */
export function readJson(
  bytes: Buffer,
  maxValues: number,
): { value: unknown } | { problem: JsonProblem } {
  const problem = shapeProblem(bytes, maxValues);
  if (problem) return { problem };
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

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Scans the text once and stops at the first exceeded limit. In well-formed JSON a value follows
 * each comma and each opening bracket, except in an empty list or object. The parser checks the
 * rest.
 */
function shapeProblem(bytes: Buffer, maxValues: number): JsonProblem | undefined {
  let depth = 0;
  let values = 1;
  let justOpened = false;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case TAB:
      case LINE_FEED:
      case CARRIAGE_RETURN:
      case SPACE:
        continue;
      case QUOTE:
        at = endOfString(bytes, at + 1);
        justOpened = false;
        break;
      case COMMA:
        values++;
        justOpened = false;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth++;
        values++;
        justOpened = true;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        if (justOpened) values--;
        justOpened = false;
        break;
      default:
        justOpened = false;
    }
    if (depth > MAX_DEPTH) return 'is nested more than 100 levels deep';
    // The last list or object may turn out to be empty.
    if (values - (justOpened ? 1 : 0) > maxValues) {
      return `has more than ${maxValues.toLocaleString('en')} values`;
    }
  }
  return undefined;
}

/** Returns the index of the quote that ends the string whose text begins at `from`. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return bytes.length;
}
