import { normaliseId } from '../schema/id.ts';
import type { Position } from './library-store.ts';

/** Before everything: greater than every time and every id. */
const START: Position = { updatedAt: '~', id: '~' };

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Where a list goes on, as an opaque text. */
export function cursorOf({ updatedAt, id }: Position): string {
  return Buffer.from(`${updatedAt} ${id}`).toString('base64url');
}

/** The place that a cursor means, the start where there is none; `undefined` for any other text. */
export function parseCursor(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return START;
  const [updatedAt = '', id = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const isOurs = TIME.test(updatedAt) && normaliseId(id) === id && id !== '' && rest.length === 0;
  return isOurs ? { updatedAt, id } : undefined;
}
