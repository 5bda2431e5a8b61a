import hljs from 'highlight.js';
import type { RenderEnvironment } from './environment.ts';
import { MAX_HIGHLIGHTED_BLOCK } from './limits.ts';

/**
 * Highlights code of a known language as HTML with `hljs-…` classes.
 *
 * Never guesses. Returns undefined for a missing or unknown language, a block longer than
 * `MAX_HIGHLIGHTED_BLOCK`, or if the document's budget is spent; show the code plain then.
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
