import hljs from 'highlight.js';
import type { RenderEnvironment } from './environment.ts';
import { MAX_HIGHLIGHTED_BLOCK } from './limits.ts';

/**
 * Highlights code of a known language as HTML with `hljs-…` classes.
 *
 * Nothing is guessed: an unnamed or unknown language, a block above `MAX_HIGHLIGHTED_BLOCK` and
 * what exceeds the document's budget give undefined, and the caller shows the code plain.
 */
export function highlightCode(
  code: string,
  language: string,
  env: RenderEnvironment,
): string | undefined {
  if (language === '' || !hljs.getLanguage(language)) return undefined;
  if (code.length > MAX_HIGHLIGHTED_BLOCK || code.length > env.highlightLeft) return undefined;
  env.highlightLeft -= code.length;
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
