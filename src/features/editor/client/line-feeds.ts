/** Converts line breaks to LF, as in text areas and the editor. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
