const TAG = /<[a-z][^>]*>/gi;
const STYLES_AND_HANDLERS = /([\s"'/])(style|on\w+)(?=\s*=)/gi;
const NOT_TEXT = /<style\b[\s\S]*?<\/style\s*>|<(?:base|link|meta)\b[^>]*>/gi;

/**
 * Parses HTML into a separate document, in which nothing runs or loads. Adds the prefix `data-` to
 * `style` and event handler attributes, because Chromium reports blocked ones even in such a
 * document. Safety doesn't depend on the prefix.
 */
export function parse(html: string): HTMLElement {
  const quiet = html
    .replace(NOT_TEXT, '')
    .replace(TAG, (tag) => tag.replace(STYLES_AND_HANDLERS, '$1data-$2'));
  return new DOMParser().parseFromString(quiet, 'text/html').body;
}
