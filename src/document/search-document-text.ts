import type { Context } from '../context.ts';
import { loadContent } from './content.ts';
import { walkWithPauses } from './pausing.ts';
import { htmlText, MAX_TEXT_LENGTH, markdownText, tidy } from './search-text.ts';

/**
 * The text of a document as it is searched and shown; `undefined` when its content is gone, because
 * it has been written or deleted since the row was read.
 */
export async function loadText(
  context: Context,
  row: { content: string | null; storagePath: string | null },
): Promise<string | undefined> {
  if (row.content !== null) return markdownText(row.content);
  const html = await loadContent(context, row);
  if (html === undefined) return undefined;
  let text = '';
  await walkWithPauses(htmlText(html), 1, (piece) => {
    text += piece;
    return text.length > 2 * MAX_TEXT_LENGTH;
  });
  return tidy(text);
}
