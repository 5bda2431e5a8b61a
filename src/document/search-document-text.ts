import type { Context } from '../context.ts';
import { loadContent } from './content.ts';
import { walkWithPauses } from './pausing.ts';
import { htmlText, isEnough, markdownText, tidy, type Written } from './search-text.ts';

type StoredRow = { content: string | null; storagePath: string | null };

/**
 * What is in a document; `undefined` when its content is gone, because it has been written or deleted
 * since the row was read.
 */
export async function loadWritten(context: Context, row: StoredRow): Promise<Written | undefined> {
  if (row.content !== null) return { markdown: row.content };
  const html = await loadContent(context, row);
  return html === undefined ? undefined : { html };
}

/** The text of a document as it is shown, made between pauses; `undefined` as {@link loadWritten}. */
export async function loadText(context: Context, row: StoredRow): Promise<string | undefined> {
  const written = await loadWritten(context, row);
  if (!written) return undefined;
  if ('markdown' in written) return markdownText(written.markdown);
  let text = '';
  await walkWithPauses(htmlText(written.html), 1, (piece) => {
    text += piece;
    return isEnough(text);
  });
  return tidy(text);
}
