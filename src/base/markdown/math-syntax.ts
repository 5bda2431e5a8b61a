import type MarkdownIt from 'markdown-it';
import type { StateBlock, StateInline } from 'markdown-it';

const DOLLAR = 0x24;
const BACKSLASH = 0x5c;
const BACKTICK = 0x60;
const UNDERSCORE = 0x5f;
const OPENING_BRACE = 0x7b;

/** Keywords that CVS and Subversion put between dollars. */
const KEYWORD =
  /^(Author|CVSHeader|Date|Header|HeadURL|Id|Locker|Log|Name|RCSfile|Rev|Revision|Source|State)(:|$)/;

/**
 * Adds GitHub's math: `$…$`, `` $`…`$ `` and `$$…$$` within a line, and `$$` blocks. Pushes
 * `math_inline` and `math_block` tokens with the TeX as their content.
 *
 * Delimiters follow Pandoc's and GitHub's rules, so amounts stay text: no space after an opening
 * dollar, no letter, digit or `_` before it; no space before a closing dollar, no letter, digit or
 * `{` after it. So `_$folder$`, `${a}/${b}` and version control's keywords (`$Id$`) are text. Only
 * the next unescaped dollar can close, so a line of dollars is read once.
 *
 * We don't use `@mdit/plugin-tex`: its unclosed blocks swallow the rest of the document, it treats
 * `$HOME/$PATH` as math, and it lacks `$$` within a line.
 */
export function mathSyntax(md: MarkdownIt): void {
  md.inline.ruler.after('escape', 'math_inline', inlineMath);
  md.block.ruler.after('blockquote', 'math_block', blockMath, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
}

function inlineMath(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src.charCodeAt(pos) !== DOLLAR) return false;
  const found = dollarFormula(src, pos, posMax);
  if (!found) {
    // Skips the whole run of dollars: none of them can open anything now.
    let end = pos + 1;
    while (end < posMax && src.charCodeAt(end) === DOLLAR) end++;
    if (!silent) state.pending += src.slice(pos, end);
    state.pos = end;
    return true;
  }
  if (!silent) pushInline(state, src.slice(found.from, found.to), found.display ? '$$' : '$');
  state.pos = found.end;
  return true;
}

/** Where a formula's TeX is in a text, and where its closing signs end. */
export interface Formula {
  from: number;
  to: number;
  end: number;
  display: boolean;
}

/** Returns the formula that the dollar at `pos` opens; `undefined` if it is text. */
export function dollarFormula(src: string, pos: number, posMax: number): Formula | undefined {
  const before = src.charCodeAt(pos - 1);
  const canOpen = !isWord(before) && before !== UNDERSCORE;
  return canOpen ? formulaAt(src, pos, posMax) : undefined;
}

function formulaAt(src: string, pos: number, posMax: number): Formula | undefined {
  const second = src.charCodeAt(pos + 1);
  if (second === BACKTICK) {
    const to = src.indexOf('`', pos + 2);
    if (to <= pos + 2 || to + 1 >= posMax || src.charCodeAt(to + 1) !== DOLLAR) return undefined;
    return { from: pos + 2, to, end: to + 2, display: false };
  }
  const display = second === DOLLAR;
  const from = pos + (display ? 2 : 1);
  const to = nextDollar(src, from, posMax);
  if (to === -1 || to === from) return undefined;
  const end = to + (display ? 2 : 1);
  if (end > posMax || isWord(src.charCodeAt(end))) return undefined;
  if (display) {
    if (src.charCodeAt(to + 1) !== DOLLAR || src.charCodeAt(end) === DOLLAR) return undefined;
    return { from, to, end, display };
  }
  if (isSpace(src.charCodeAt(from)) || isSpace(src.charCodeAt(to - 1))) return undefined;
  if (src.charCodeAt(end) === OPENING_BRACE || KEYWORD.test(src.slice(from, to))) return undefined;
  // The first of two dollars doesn't close: `$a$$b$`.
  return src.charCodeAt(end) === DOLLAR ? undefined : { from, to, end, display };
}

/** Returns the index of the next unescaped dollar, or -1. */
function nextDollar(src: string, from: number, posMax: number): number {
  for (let at = src.indexOf('$', from); at !== -1 && at < posMax; at = src.indexOf('$', at + 1)) {
    let start = at;
    while (start > from && src.charCodeAt(start - 1) === BACKSLASH) start--;
    if ((at - start) % 2 === 0) return at;
  }
  return -1;
}

function blockMath(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  const { src, bMarks, tShift, eMarks, sCount, blkIndent } = state;
  const start = (bMarks[startLine] ?? 0) + (tShift[startLine] ?? 0);
  if (src.charCodeAt(start) !== DOLLAR || src.charCodeAt(start + 1) !== DOLLAR) return false;
  if ((sCount[startLine] ?? 0) - blkIndent >= 4) return false;

  const firstEnd = state.skipSpacesBack(eMarks[startLine] ?? 0, start);
  if (endsInDollars(src, start + 2, firstEnd)) {
    const content = src.slice(start + 2, firstEnd - 2);
    if (content.includes('$') || content.trim() === '') return false;
    if (!silent) pushBlock(state, startLine, startLine, content, '$$');
    return true;
  }
  // A line with more dollars is text: `$$x$$ and more`.
  if (src.slice(start + 2, firstEnd).includes('$')) return false;

  const line = closingLine(state, startLine, endLine);
  if (line === undefined) return false;
  if (!silent) {
    const from = (bMarks[line] ?? 0) + (tShift[line] ?? 0);
    const to = state.skipSpacesBack(eMarks[line] ?? 0, from) - 2;
    const content =
      `${src.slice(start + 2, firstEnd)}\n` +
      state.getLines(startLine + 1, line, tShift[startLine] ?? 0, true) +
      src.slice(from, to);
    pushBlock(state, startLine, line, content, '$$');
  }
  return true;
}

/** Pushes the token of a formula within a line. */
export function pushInline(state: StateInline, content: string, markup: string): void {
  const token = state.push('math_inline', 'math', 0);
  token.content = content;
  token.markup = markup;
}

/** Pushes the token of a block from one line to another, and goes on after it. */
export function pushBlock(
  state: StateBlock,
  first: number,
  last: number,
  content: string,
  markup: string,
): void {
  state.line = last + 1;
  const token = state.push('math_block', 'math', 0);
  token.block = true;
  token.content = content;
  token.map = [first, last + 1];
  token.markup = markup;
}

/**
 * Lines that end with `$$`, collected once per document, so that looking for a closing line is
 * fast.
 */
const closingLines = new WeakMap<object, { lines: number[]; src: string }>();

function closingLine(state: StateBlock, startLine: number, endLine: number): number | undefined {
  const { src, bMarks, tShift, eMarks, sCount, blkIndent } = state;
  const env = state.env as object;
  let known = closingLines.get(env);
  if (known?.src !== src) {
    const lines: number[] = [];
    for (let line = 0; line < eMarks.length - 1; line++) {
      const end = state.skipSpacesBack(eMarks[line] ?? 0, bMarks[line] ?? 0);
      if (endsInDollars(src, bMarks[line] ?? 0, end)) lines.push(line);
    }
    known = { lines, src };
    closingLines.set(env, known);
  }
  const closing = firstAbove(known.lines, startLine);
  if (closing === undefined || closing >= endLine) return undefined;
  for (let line = startLine + 1; line <= closing; line++) {
    const from = (bMarks[line] ?? 0) + (tShift[line] ?? 0);
    if (from < (eMarks[line] ?? 0) && (sCount[line] ?? 0) < blkIndent) return undefined;
  }
  return closing;
}

function firstAbove(sorted: number[], value: number): number | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return sorted[low];
}

function endsInDollars(src: string, from: number, end: number): boolean {
  return (
    end - from >= 2 &&
    src.charCodeAt(end - 1) === DOLLAR &&
    src.charCodeAt(end - 2) === DOLLAR &&
    src.charCodeAt(end - 3) !== BACKSLASH
  );
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a;
}

function isWord(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a)
  );
}
