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
