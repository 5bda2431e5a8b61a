import { alert } from '@mdit/plugin-alert';
import hljs from 'highlight.js';
import MarkdownIt, { type PluginSimple, type StateCore, type Token } from 'markdown-it';
import cjkFriendly from 'markdown-it-cjk-friendly';
import footnotePlugin from 'markdown-it-footnote';
import { noteFault } from '../threads/faults.ts';
import type { RenderEnvironment } from './environment.ts';
import { htmlInProse, htmlOfBlock } from './html-in-prose.ts';
import {
  MAX_BLOCK_NESTING,
  MAX_FOOTNOTES,
  MAX_HIGHLIGHTED_BLOCK,
  RenderLimitError,
} from './limits.ts';
import { linkLikeGitHub } from './links.ts';
import { mathRules, renderFormula } from './math.ts';
import { mathBrackets } from './math-brackets.ts';
import { mathSyntax } from './math-syntax.ts';
import { wikilinks } from './wikilinks.ts';

const MARKER = /^\[([ xX\u00a0])\][ \t\u00a0]+/;

/**
 * Adds GitHub's task lists: `- [ ] open` and `- [x] done` as disabled checkboxes.
 *
 * The box and its text share a `<label>`, which gives the box its accessible name.
 *
 * We don't use `@mdit/plugin-tasklist`: every item searches backwards for its list, which takes
 * minutes in a list of 100,000.
 */
function taskLists(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'task_lists', markTaskLists);
}

function markTaskLists(state: StateCore): void {
  const lists: Token[] = [];
  const { tokens } = state;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') {
      lists.push(token);
    } else if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') {
      lists.pop();
    } else if (token.type === 'inline') {
      const item = tokens[index - 2];
      if (item?.type !== 'list_item_open' || tokens[index - 1]?.type !== 'paragraph_open') continue;
      const first = token.children?.[0];
      const marker = first?.type === 'text' ? MARKER.exec(first.content) : null;
      if (!first || !marker || !token.children) continue;
      first.content = first.content.slice(marker[0].length);
      const label = new state.Token('label_open', 'label', 1);
      label.attrSet('class', 'task-list-item-label');
      const box = new state.Token('checkbox', 'input', 0);
      box.attrSet('type', 'checkbox');
      box.attrSet('class', 'task-list-item-checkbox');
      box.attrSet('disabled', '');
      if (marker[1] === 'x' || marker[1] === 'X') box.attrSet('checked', '');
      const space = new state.Token('text', '', 0);
      space.content = ' ';
      const end = new state.Token('label_close', 'label', -1);
      token.children = [label, box, space, ...token.children, end];
      item.attrSet('class', 'task-list-item');
      lists.at(-1)?.attrSet('class', 'contains-task-list');
    }
  }
}

/** Blocks whose rules write their element themselves and ignore the token's attributes. */
const WRITTEN_WHOLE = ['fence', 'math_block'];

/**
 * Adds `data-line`, the source line from 1, to the element of every block, if the environment asks
 * for it. HTML blocks get none, because they need not be elements.
 */
function sourceLines(md: MarkdownIt): void {
  md.core.ruler.push('source_lines', (state) => {
    if (!(state.env as RenderEnvironment).sourceLines) return;
    for (const token of state.tokens) {
      if (token.map && token.nesting >= 0 && token.tag !== '') token.attrSet(...mark(token.map));
    }
  });
  for (const type of WRITTEN_WHOLE) {
    const write = md.renderer.rules[type];
    if (!write) throw new Error(`Nothing writes ${type}.`);
    md.renderer.rules[type] = (tokens, index, options, env: RenderEnvironment, self) => {
      const html = write(tokens, index, options, env, self);
      const map = tokens[index]?.map;
      if (!env.sourceLines || !map) return html;
      const [name, line] = mark(map);
      return html.replace(/^\s*<[a-z]+/, (start) => `${start} ${name}="${line}"`);
    };
  }
}

function mark([firstLine]: [number, number]): ['data-line', string] {
  return ['data-line', String(firstLine + 1)];
}

/** Matches the size at the end of an image's alternative text: `|300` or `|300x200`. */
const SIZE = /\s*\|([1-9]\d{0,3})(?:x([1-9]\d{0,3}))?$/;

/**
 * Reads the sizes of images, as Obsidian writes them: `![a gear|300](…)` is 300 pixels wide. Other
 * readers of the Markdown show the size as part of the alternative text. An escaped pipe is text,
 * except in a table, where it has to be escaped.
 */
function imageSizes(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'image_sizes', ({ tokens }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        if (token.type !== 'image') continue;
        takeSize(token);
        keepAllText(token);
      }
    }
  });
}

function takeSize(image: Token): void {
  const last = image.children?.at(-1);
  const [size, width, height] = (last?.type === 'text' && SIZE.exec(last.content)) || [];
  if (!last || size === undefined || width === undefined) return;
  last.content = last.content.slice(0, -size.length);
  image.content = image.content.replace(SIZE, '');
  image.attrSet('width', width);
  if (height !== undefined) image.attrSet('height', height);
}

/** What markdown-it leaves out of an alternative text: escaped characters, code and formulas. */
const LEFT_OUT = new Set(['text_special', 'code_inline', 'math_inline']);

function keepAllText(image: Token): void {
  for (const token of image.children ?? []) if (LEFT_OUT.has(token.type)) token.type = 'text';
}

/**
 * Creates markdown-it with GitHub's additions. Its output is unsafe until the sanitizer has run,
 * because HTML passes through.
 */
export function createParser(): MarkdownIt {
  const options = { html: true, linkify: true, maxNesting: MAX_BLOCK_NESTING };
  const md = new MarkdownIt(options);
  // The sanitizer decides about addresses. Here, a refused one would turn its link into text.
  md.validateLink = () => true;
  linkLikeGitHub(md);
  nestingGuard(md);
  htmlInProse(md);
  md.use(cjkFriendly);
  md.use(alert, { deep: true });
  footnotes(md);
  mathSyntax(md);
  mathBrackets(md);
  mathRules(md);
  wikilinks(md);
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
    const token = tokens[index];
    env.rawHtml = true;
    return token ? htmlOfBlock(token).html : '';
  };
  md.renderer.rules.html_block = (tokens, index, _options, env) => note(tokens, index, env);
  md.renderer.rules.html_inline = (tokens, index, _options, env) => note(tokens, index, env);
}

const { unescapeAll } = new MarkdownIt().utils;

/** Languages that are rendered, as agents and people write them: `Mermaid`. */
const RENDERED = /^(?:math|mermaid)$/i;

/** Returns the language of fenced code as written; those that are rendered in lower case. */
export function fenceLanguage({ info }: Token): string {
  const language = unescapeAll(info).trim().split(/\s/, 1)[0] ?? '';
  return RENDERED.test(language) ? language.toLowerCase() : language;
}

/**
 * Renders fenced code: `math` as a formula, `mermaid` as a diagram, other known languages
 * highlighted.
 *
 * A diagram stays readable source, which the browser's script replaces: `<pre
 * class="mermaid-source" data-diagram="mermaid"><code>…</code></pre>`.
 */
function codeBlocks(md: MarkdownIt): void {
  const { escapeHtml } = md.utils;
  md.renderer.rules.fence = (tokens, index, _options, env: RenderEnvironment) => {
    const token = tokens[index];
    if (!token) return '';
    const language = fenceLanguage(token);
    const code = token.content;
    if (language === 'math') return `${renderFormula(code.trim(), true, env)}\n`;
    if (language === 'mermaid') {
      env.diagrams = true;
      return `<pre class="mermaid-source" data-diagram="mermaid"><code>${escapeHtml(code)}</code></pre>\n`;
    }
    if (language === '') return `<pre><code>${escapeHtml(code)}</code></pre>\n`;
    const highlighted = highlightCode(code, language, env);
    const classes = `${highlighted === undefined ? '' : 'hljs '}language-${escapeHtml(language)}`;
    return `<pre><code class="${classes}">${highlighted ?? escapeHtml(code)}</code></pre>\n`;
  };
}

/**
 * Adds footnotes like GitHub's: `[^name]` and `[^name]: text`, collected at the end, with links
 * back to each reference. Inline footnotes (`^[text]`) are off, because GitHub has none.
 *
 * @throws RenderLimitError while parsing, above `MAX_FOOTNOTES`
 */
function footnotes(md: MarkdownIt): void {
  // The plugin's types describe the CommonJS build of markdown-it.
  md.use(footnotePlugin as unknown as PluginSimple);
  md.inline.ruler.disable('footnote_inline');
  md.core.ruler.before('footnote_tail', 'footnote_limit', (state) => {
    const list = (state.env as RenderEnvironment).footnotes?.list;
    if (list && list.length > MAX_FOOTNOTES) {
      throw new RenderLimitError(`More than ${MAX_FOOTNOTES} footnotes.`);
    }
  });
  const { rules } = md.renderer;
  rules.footnote_ref = (tokens, index) => {
    const { number, reference } = place(tokens[index]);
    return (
      `<sup class="footnote-ref"><a href="#fn-${number}" id="fnref-${reference}" ` +
      `aria-label="Footnote ${number}">${number}</a></sup>`
    );
  };
  rules.footnote_block_open = () =>
    '<section class="footnotes" role="doc-endnotes" aria-label="Footnotes">\n<ol>\n';
  rules.footnote_block_close = () => '</ol>\n</section>\n';
  rules.footnote_open = (tokens, index) => `<li id="fn-${place(tokens[index]).number}">`;
  rules.footnote_anchor = (tokens, index) => {
    const { reference } = place(tokens[index]);
    return (
      ` <a href="#fnref-${reference}" class="footnote-backref" ` +
      `aria-label="Back to reference ${reference}">\u21a9\ufe0e</a>`
    );
  };
}

/** Returns a footnote's number, from 1, and the name of this reference: `2`, then `2-2`, `2-3`. */
function place(token: Token | undefined): { number: number; reference: string } {
  const meta = token?.meta as { id: number; subId?: number };
  const number = meta.id + 1;
  return { number, reference: meta.subId ? `${number}-${meta.subId + 1}` : `${number}` };
}

/**
 * Highlights code of a known language as HTML with `hljs-…` classes.
 *
 * Never guesses. Returns undefined for a missing or unknown language, a block longer than
 * `MAX_HIGHLIGHTED_BLOCK`, or if the document's budget is spent; show the code plain then.
 */
function highlightCode(code: string, language: string, env: RenderEnvironment): string | undefined {
  if (language === '' || !hljs.getLanguage(language)) return undefined;
  if (code.length > MAX_HIGHLIGHTED_BLOCK || code.length > env.highlightLeft) return undefined;
  env.highlightLeft -= code.length;
  const { value, errorRaised } = hljs.highlight(code, { language, ignoreIllegals: true });
  if (errorRaised) noteFault(errorRaised);
  return value;
}

/**
 * Throws if blocks nest deeper than markdown-it's `maxNesting`, where it would silently lose text.
 *
 * A list raises the level by two at once, so this stops two levels earlier. Runs before all other
 * block rules.
 *
 * @throws RenderLimitError while parsing
 */
function nestingGuard(md: MarkdownIt): void {
  md.block.ruler.before(
    'table',
    'nesting_guard',
    (state) => {
      if (state.level >= MAX_BLOCK_NESTING - 2) {
        throw new RenderLimitError(`Blocks nest deeper than ${MAX_BLOCK_NESTING - 2} levels.`);
      }
      return false;
    },
    { alt: [] },
  );
}
