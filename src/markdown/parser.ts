import { alert } from '@mdit/plugin-alert';
import type { Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';
import { codeBlocks } from './code-blocks.ts';
import type { RenderEnvironment } from './environment.ts';
import { footnotes } from './footnotes.ts';
import { MAX_BLOCK_NESTING } from './limits.ts';
import { mathRules } from './math.ts';
import { mathSyntax } from './math-syntax.ts';
import { nestingGuard } from './nesting.ts';
import { sourceLines } from './source-lines.ts';
import { taskLists } from './task-list.ts';

/** Links that lead somewhere the sanitizer lets them: the others stay text. */
const BAD_PROTOCOL = /^(?:vbscript|javascript|file|data):/i;

/**
 * markdown-it with GitHub's additions. Its output is not safe: HTML passes through until the
 * sanitizer, which runs last.
 */
export function createParser(): MarkdownIt {
  const options = { html: true, linkify: true, maxNesting: MAX_BLOCK_NESTING };
  const md = new MarkdownIt(options);
  md.validateLink = (url) => !BAD_PROTOCOL.test(url.trim());
  linkLikeGitHub(md);
  nestingGuard(md);
  md.use(alert);
  footnotes(md);
  mathSyntax(md);
  mathRules(md);
  codeBlocks(md);
  taskLists(md);
  md.core.ruler.push('cell_alignment', (state) => alignCells(state.tokens));
  sourceLines(md);
  noteRawHtml(md);
  return md;
}

/**
 * GitHub links `http(s)://…`, `www.…` and addresses of mail, and no other bare host name.
 * (GitHub Flavored Markdown, section 6.9, "Autolinks (extension)".)
 */
function linkLikeGitHub(md: MarkdownIt): void {
  const { linkify } = md;
  linkify.set({ fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false });
  // Any top-level domain for mail; bare host names, for which the list is meant, are off.
  linkify.tlds(['[a-z]{2,63}']);
  linkify.add('ftp:', null);
  linkify.add('//', null);
  // The number of labels is bounded, or `www.www.…` would be read to its end at every dot.
  let www: RegExp | undefined;
  linkify.add('www.', {
    validate: (text, pos, self) => {
      const { re } = self as unknown as { re: Record<string, string> };
      www ??= new RegExp(
        `^(?:(?:${re.src_domain})\\.){1,8}${re.src_domain_root}${re.src_port}` +
          `${re.src_host_terminator}${re.src_path}`,
        'i',
      );
      return www.exec(text.slice(pos))?.[0].length ?? 0;
    },
    normalize: (match) => {
      match.url = `http://${match.url}`;
    },
  });
}

/** `style="text-align:…"` on table cells becomes `align`, which a strict policy leaves alone. */
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
