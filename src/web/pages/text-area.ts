/**
 * What a text area holds, as it is: a renderer's own escaping of its value differs between versions,
 * and a form's parser drops the first line break.
 */
export function textAreaContent(text: string): { __html: string } {
  return { __html: `\n${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}` };
}
