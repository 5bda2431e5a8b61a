/** Adds a notice to a copy: that it is one, and when it was read. */
export function withNotice(html: string, at: Date): string {
  const time = at.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' });
  const notice =
    '<aside class="revision-banner" role="status"><p><strong>You’re offline.</strong> ' +
    `This is what you read on <time datetime="${at.toISOString()}">${time}</time>.</p></aside>`;
  return html.replace(/<main[^>]*>/, (main) => main + notice);
}

/**
 * Adds the list of copies to the offline page, which is shown for pages without a copy.
 *
 * @param copies the HTML of copies by path; the title in it is already escaped
 */
export function keptList(html: string, copies: ReadonlyMap<string, string>): string {
  const items = Array.from(copies, ([path, copy]) => {
    const title = /<title>(.*) — [^—]*<\/title>/.exec(copy)?.[1] ?? path;
    return `<li><a href="${path}">${title}</a></li>`;
  });
  const list = `<ul>${items.reverse().join('')}</ul>`;
  return html.replace(/<p id="copies">.*?<\/p>/, (none) => (items.length > 0 ? list : none));
}
