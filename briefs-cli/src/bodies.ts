import type { LocalFile } from './files.ts';
import { isSame, withBreaksOf } from './line-breaks.ts';

const BOM = '\ufeff';

/** A file's content in parts. */
export interface Parts {
  /** A byte order mark or nothing. It isn't sent, and stays in the file. */
  mark: string;
  rest: string;
}

export function partsOf(whole: string): Parts {
  const mark = whole.startsWith(BOM) ? BOM : '';
  return { mark, rest: whole.slice(mark.length) };
}

/** How the text of a file differs from the text of its document, though neither was changed. */
export class Bodies {
  /** Returns what is sent of a file's text. */
  toDocument(_file: LocalFile, body: string): string {
    return body;
  }

  /**
   * Returns what is written to a file of its document's text. Keeps the file's text if nothing
   * differs, and its line breaks otherwise.
   *
   * @param body the file's text until now; `undefined` for a new file
   */
  toFile(file: LocalFile, body: string | undefined, text: string): string {
    if (body === undefined) return text;
    if (isSame(this.toDocument(file, body), text)) return body;
    return withBreaksOf(body, text);
  }
}
