/**
 * Escapes a text area's content. Preact's own escaping of `value` differs between versions, and
 * HTML parsers drop the first line break, so this adds one.
 */
export function textAreaContent(text: string): { __html: string } {
  return { __html: `\n${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}` };
}
