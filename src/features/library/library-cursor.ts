import { normaliseId } from '../../base/schema/id.ts';
import type { Position, Sort } from './library-sort.ts';

/** Sorts after every time and every id. */
const LAST = '~';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** In characters: more than the longest title or name needs, together with an id. */
const MAX_CURSOR = 2_000;

/** Where each list starts, and whether a text can be a key of it. */
const KEYS: Record<Sort, { start: Position; isKey: (key: string) => boolean }> = {
  changed: { start: { key: LAST, id: LAST }, isKey: (key) => TIME.test(key) },
  created: { start: { key: LAST, id: LAST }, isKey: (key) => TIME.test(key) },
  title: { start: { key: '', id: '' }, isKey: (key) => !key.includes('\0') },
};

/** Writes a position in a list as an opaque text. */
export function cursorOf({ key, id }: Position): string {
  return Buffer.from(`${key} ${id}`).toString('base64url');
}

/** Parses a cursor; the start if there is none; `undefined` for any other text. */
export function parseCursor(cursor: string | undefined, sort: Sort): Position | undefined {
  const { start, isKey } = KEYS[sort];
  if (cursor === undefined) return start;
  if (cursor.length > MAX_CURSOR) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const end = text.lastIndexOf(' ');
  const [key, id] = [text.slice(0, end), text.slice(end + 1)];
  const isOurs = end >= 0 && isKey(key) && normaliseId(id) === id && id !== '';
  return isOurs ? { key, id } : undefined;
}
