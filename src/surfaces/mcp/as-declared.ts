import type { TObject, TSchema } from 'typebox';
import { readJson } from '../http/json.ts';
import { declaredName } from './other-names.ts';

/** The parts of a JSON schema that decide how a value is read. */
interface Declared {
  type?: unknown;
  enum?: readonly unknown[];
  minLength?: number;
  minItems?: number;
  items?: Declared;
  properties?: Readonly<Record<string, Declared>>;
  required?: readonly string[];
}

/** The most values in one text that should be a list or an object; as in a message. */
const MAX_VALUES = 2_000;

/**
 * Reads a call's arguments as their schema declares them. Some hosts send everything as text, a
 * list of one as its item, or `null` or an empty text for what their user left out. The model can't
 * correct what its host does, so each of these is read if the schema leaves only one reading:
 *
 * - JSON in a text where a list or an object is declared
 * - one value, or a list of JSON texts, where a list is declared
 * - `"12"` for a number, `"true"` for a boolean
 * - a whole number or a boolean where a text is declared: `2024` for `"2024"`
 * - another name of an argument that isn't given: `old_string` for `old` ({@link declaredName})
 * - `null` for anything optional, and `""`, `"null"` and an empty list, too, unless they can be a
 *   value
 *
 * Everything else stays as it is, for the schema to refuse.
 */
export function asDeclared(args: unknown, schema: TObject): unknown {
  return readAs(args ?? {}, schema as TSchema as Declared);
}

function readAs(value: unknown, schema: Declared): unknown {
  switch (schema.type) {
    case 'object':
      return readObject(value, schema);
    case 'array':
      return readList(value, schema);
    case 'integer':
    case 'number':
      return isText(value) && NUMBER.test(value.trim()) ? Number(value) : value;
    case 'boolean':
      return isText(value) ? (BOOLEANS.get(value.trim().toLowerCase()) ?? value) : value;
    case 'string':
      return Number.isSafeInteger(value) || typeof value === 'boolean' ? String(value) : value;
    default:
      return value;
  }
}

/**
 * Returns the arguments of a message as the protocol wants them: `null`, an empty list and an empty
 * text are no arguments, and a text can be JSON. Anything else stays as it is.
 */
export function argumentsAsSent(args: unknown): unknown {
  if (args === null || args === '' || (Array.isArray(args) && args.length === 0)) return {};
  const given = isText(args) ? parsed(args) : args;
  return isObject(given) ? given : args;
}

const NUMBER = /^-?\d{1,15}(\.0+)?$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const isText = (value: unknown): value is string => typeof value === 'string';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readObject(value: unknown, { properties, required = [] }: Declared): unknown {
  const given = isText(value) ? parsed(value) : value;
  if (!isObject(given)) return value;
  if (!properties) return given;
  const taken = { ...given };
  const entries = Object.entries(given).flatMap(([sent, part]): [string, unknown][] => {
    const isKnown = Object.hasOwn(properties, sent);
    const name = isKnown ? sent : (declaredName(sent, properties, taken) ?? sent);
    taken[name] = part;
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!declared) return [[name, part]];
    if (part === null || (!required.includes(name) && isNothing(part, declared))) return [];
    return [[name, readAs(part, declared)]];
  });
  return Object.fromEntries(entries);
}

/** Tells whether a value means that an optional argument is absent. */
function isNothing(value: unknown, schema: Declared): boolean {
  if (schema.type === 'array' && schema.minItems && /^\s*\[\s*\]\s*$/.test(textOf(value)))
    return true;
  if (value !== '' && value !== 'null') return false;
  if (schema.enum) return !schema.enum.includes(value);
  return schema.type !== 'string' || (value === '' && (schema.minLength ?? 0) > 0);
}

/** Returns a text as it is, and an empty list as JSON. */
function textOf(value: unknown): string {
  return isText(value) ? value : Array.isArray(value) && value.length === 0 ? '[]' : '';
}

function readList(value: unknown, { items = {} }: Declared): unknown {
  const given = isText(value) ? (parsed(value) ?? value) : value;
  if (Array.isArray(given)) return given.map((item) => readAs(item, items));
  const one = items.type === 'object' ? given : value;
  const isItem = items.type === 'object' ? isObject(one) : one !== '' && !isObject(one);
  return isItem ? [readAs(one, items)] : value;
}

/** Parses a text that is a JSON list or object. @returns `undefined` for any other */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const read = readJson(Buffer.from(text), MAX_VALUES);
  return 'value' in read ? read.value : undefined;
}
