import { normaliseId } from '../schema/id.ts';
import type { Position } from './library-store.ts';

/** Sorts before every position in the list. */
const START: Position = { updatedAt: '~', id: '~' };

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Writes a position in a list as an opaque text. */
export function cursorOf({ updatedAt, id }: Position): string {
  return Buffer.from(`${updatedAt} ${id}`).toString('base64url');
}

/** Parses a cursor; the start if there is none; `undefined` for any other text. */
export function parseCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return START;
  const [updatedAt = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const isOurs = TIME.test(updatedAt) && normaliseId(id) === id && id !== '' && rest.length === 0;
  return isOurs ? { updatedAt, id } : undefined;
}
