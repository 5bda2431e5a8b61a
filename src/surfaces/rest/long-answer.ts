import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { characterStart } from '../../base/text/character-start.ts';
import { keepsText } from '../http/unread.ts';

/** Longer texts are written in pieces of this many UTF-16 code units. */
const PIECE = 64 * 1024;

/** Placeholder for the text while the rest of the response is serialized. */
const PLACEHOLDER = '\u{f8ff}text\u{f8ff}';

/**
 * Serializes a response with a long text as a stream of pieces. Escaping 5 MB at once can block the
 * event loop for more than 100 ms; between pieces, other requests get a turn.
 *
 * @param data the response's `data`; one of its direct fields may be a long text
 * @param serialize serializes a response as JSON
 * @returns `undefined` if no text is long, or if another field contains the placeholder
 */
export function inPieces(
  data: object,
  serialize: (answer: { data: object }) => string,
): Readable | undefined {
  const long = Object.entries(data).find(
    (field): field is [string, string] => typeof field[1] === 'string' && field[1].length > PIECE,
  );
  if (!long) return undefined;
  const [name, text] = long;
  const frame = serialize({ data: { ...data, [name]: PLACEHOLDER } });
  const [head, tail, ...more] = frame.split(PLACEHOLDER);
  if (head === undefined || tail === undefined || more.length > 0) return undefined;
  return keepsText(Readable.from(pieces(head, text, tail), { objectMode: false }), text);
}

async function* pieces(head: string, text: string, tail: string): AsyncGenerator<string> {
  yield head;
  for (let at = 0; at < text.length; ) {
    // JSON would escape each half of a surrogate pair.
    const end = characterStart(text, at + PIECE);
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
    await nextTurn();
  }
  yield tail;
}
