const TAG = /<[a-z][^>]*>/gi;
const STYLES_AND_HANDLERS = /([\s"'/])(style|on\w+)(?=\s*=)/gi;
const NOT_TEXT = /<style\b[\s\S]*?<\/style\s*>|<(?:base|link|meta)\b[^>]*>/gi;

/**
 * Parses HTML into a document of its own, in which nothing runs and nothing loads. Attributes `style`
 * become `data-style`: Chromium reports styles and handlers that the page's policy blocks even in such
 * a document. Safety doesn't depend on it.
 */
export function parse(html: string): HTMLElement {
  const quiet = html
    .replace(NOT_TEXT, '')
    .replace(TAG, (tag) => tag.replace(STYLES_AND_HANDLERS, '$1data-$2'));
  return new DOMParser().parseFromString(quiet, 'text/html').body;
}
