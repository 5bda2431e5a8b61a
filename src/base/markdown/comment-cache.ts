/** How much text of rendered comments to cache, Markdown and HTML, in UTF-16 code units. */
const CACHED_LENGTH = 2_000_000;

/** Caches rendered comments, because every reader of a document gets all of them. */
export function createCommentCache() {
  const htmlOf = new Map<string, string>();
  let length = 0;
  const forget = (body: string) => {
    length -= body.length + (htmlOf.get(body) ?? '').length;
    htmlOf.delete(body);
  };
  return {
    get(body: string): string | undefined {
      const html = htmlOf.get(body);
      if (html === undefined) return undefined;
      // Moves the comment to the end; the least recently used comes first.
      htmlOf.delete(body);
      htmlOf.set(body, html);
      return html;
    },
    add(body: string, html: string): void {
      if (htmlOf.has(body)) return;
      htmlOf.set(body, html);
      length += body.length + html.length;
      for (const oldest of htmlOf.keys()) {
        if (length <= CACHED_LENGTH) return;
        forget(oldest);
      }
    },
  };
}
