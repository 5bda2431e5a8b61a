/** Returns a text as text areas and the editor have it: each line break, also a lone CR, is LF. */
export function asInTextArea(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
