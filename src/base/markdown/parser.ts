import { alert } from '@mdit/plugin-alert';
import type { Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';
import { codeBlocks } from './code-blocks.ts';
import type { RenderEnvironment } from './environment.ts';
import { footnotes } from './footnotes.ts';
import { imageSizes } from './image-size.ts';
import { MAX_BLOCK_NESTING } from './limits.ts';
import { linkLikeGitHub } from './links.ts';
import { mathRules } from './math.ts';
import { mathSyntax } from './math-syntax.ts';
import { nestingGuard } from './nesting.ts';
import { sourceLines } from './source-lines.ts';
import { taskLists } from './task-list.ts';

/** Links that the sanitizer would remove stay text. */
const BAD_PROTOCOL = /^(?:vbscript|javascript|file|data):/i;

/**
 * Creates markdown-it with GitHub's additions. Its output is unsafe until the sanitizer has run,
 * because HTML passes through.
 */
export function createParser(): MarkdownIt {
  const options = { html: true, linkify: true, maxNesting: MAX_BLOCK_NESTING };
  const md = new MarkdownIt(options);
  md.validateLink = (url) => !BAD_PROTOCOL.test(url.trim());
  linkLikeGitHub(md);
  nestingGuard(md);
  md.use(alert, { deep: true });
  footnotes(md);
  mathSyntax(md);
  mathRules(md);
  codeBlocks(md);
  taskLists(md);
  imageSizes(md);
  md.core.ruler.push('cell_alignment', (state) => alignCells(state.tokens));
  sourceLines(md);
  noteRawHtml(md);
  return md;
}

/** Replaces `style="text-align:…"` on table cells with `align`: the page's policy blocks styles. */
function alignCells(tokens: Token[]): void {
  for (const token of tokens) {
    if (token.type !== 'th_open' && token.type !== 'td_open') continue;
    const side = token.attrGet('style')?.slice('text-align:'.length);
    if (side) token.attrs = [['align', side]];
  }
}

function noteRawHtml(md: MarkdownIt): void {
  const note = (tokens: Token[], index: number, env: RenderEnvironment): string => {
    env.rawHtml = true;
    return tokens[index]?.content ?? '';
  };
  md.renderer.rules.html_block = (tokens, index, _options, env) => note(tokens, index, env);
  md.renderer.rules.html_inline = (tokens, index, _options, env) => note(tokens, index, env);
}
