import type MarkdownIt from 'markdown-it';
import type { StateBlock, StateInline } from 'markdown-it';
import { MAX_FORMULA_LENGTH } from './limits.ts';
import { type Formula, pushBlock, pushInline } from './math-syntax.ts';

const BACKSLASH = 0x5c;

/** The closing sign of each opening one. */
const CLOSING: Readonly<Record<string, string>> = { '\\(': '\\)', '\\[': '\\]' };

/**
 * Adds LaTeX's own math, which agents write: `\(…\)` within a line, `\[…\]` within a line or as a
 * block. Pushes the tokens of `math-syntax.ts`.
 *
 * In Markdown these are escaped brackets, so only what looks like a formula is one: `\[see below\]`
 * and `\[1\]` stay text. A formula has no blank line.
 */
export function mathBrackets(md: MarkdownIt): void {
  md.inline.ruler.before('escape', 'math_brackets', inlineMath);
  md.block.ruler.after('blockquote', 'math_brackets_block', blockMath, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
}

function inlineMath(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const found = bracketFormula(src, pos, posMax);
  if (!found) return false;
  if (!silent) pushInline(state, src.slice(found.from, found.to), src.slice(pos, pos + 2));
  state.pos = found.end;
  return true;
}

/** Returns the formula that the backslash at `pos` opens within a line; `undefined` if it is text. */
export function bracketFormula(src: string, pos: number, posMax: number): Formula | undefined {
  if (src.charCodeAt(pos) !== BACKSLASH) return undefined;
  const display = src[pos + 1] === '[';
  const to = closingPlace(src, pos, posMax);
  if (to === undefined) return undefined;
  const content = src.slice(pos + 2, to);
  const isAlone = pos === 0 && to + 2 === posMax;
  if (!isFormula(content, !display || isAlone)) return undefined;
  const isInWord = WORD_BEFORE.test(src.slice(Math.max(0, pos - 1), pos));
  return isInWord && !TEX.test(content) ? undefined : { from: pos + 2, to, end: to + 2, display };
}

function blockMath(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  const { src, bMarks, tShift, eMarks, sCount, blkIndent } = state;
  const start = (bMarks[startLine] ?? 0) + (tShift[startLine] ?? 0);
  if (src.charCodeAt(start) !== BACKSLASH || src[start + 1] !== '[') return false;
  if ((sCount[startLine] ?? 0) - blkIndent >= 4) return false;
  const to = closingPlace(src, start, src.length);
  if (to === undefined) return false;
  let line = startLine;
  while (line < endLine && (eMarks[line] ?? 0) < to + 2) {
    line++;
    if (line === endLine || state.isEmpty(line) || (sCount[line] ?? 0) < blkIndent) return false;
  }
  if (src.slice(to + 2, eMarks[line]).trim() !== '') return false;
  const from = (bMarks[line] ?? 0) + (tShift[line] ?? 0);
  const content =
    line === startLine
      ? src.slice(start + 2, to)
      : `${src.slice(start + 2, eMarks[startLine])}\n` +
        state.getLines(startLine + 1, line, tShift[startLine] ?? 0, true) +
        src.slice(Math.min(from, to), to);
  if (!isFormula(content, true)) return false;
  if (!silent) pushBlock(state, startLine, line, content, '\\[');
  return true;
}

/** Returns where the formula that opens at `pos` closes, before another opens. */
function closingPlace(src: string, pos: number, posMax: number): number | undefined {
  const opening = src.slice(pos, pos + 2);
  const closing = CLOSING[opening];
  if (closing === undefined) return undefined;
  // Cut, so that a text full of opening signs is read once.
  const part = src.slice(pos + 2, Math.min(posMax, pos + 2 + MAX_FORMULA_LENGTH));
  const next = unescapedIndex(part, opening);
  const to = unescapedIndex(part, closing);
  return to === -1 || (next !== -1 && next < to) ? undefined : pos + 2 + to;
}

function unescapedIndex(text: string, sign: string): number {
  let at = text.indexOf(sign);
  while (at > 0 && text.charCodeAt(at - 1) === BACKSLASH) at = text.indexOf(sign, at + 2);
  return at;
}

/** A command, an exponent, or an index: `\frac`, `x^2`, `a_{ij}`, but not `my_file`. */
const TEX = /\\[a-zA-Z]+|\^|_\{|(?<![\p{L}\d]{2})_[\p{L}\d]/u;
/** A word, which a formula has only beside commands. */
const WORD = /\p{L}{4}|\p{L}{2,}\s+\p{L}{2,}/u;
const OPERATION = /[\p{L}\p{N})\]|']\s*(?:[-+*/=<>≤≥≠≈×·∈→,!]|\(\s*[\p{L}\d])/u;
/** A symbol or number alone. */
const SYMBOL = /^\s*(?:\p{L}'*|\d+(?:[.,]\d+)?(?:\\%)?)\s*$/u;
/** Brackets right after it belong to a word, unless there is TeX in them: `item\(s\)`. */
const WORD_BEFORE = /[\p{Script=Latin}\d_]$/u;

/** @param canBeSymbol whether a letter or number alone is a formula */
function isFormula(tex: string, canBeSymbol: boolean): boolean {
  if (/^\s*$/.test(tex) || /\n\s*\n/.test(tex)) return false;
  if (TEX.test(tex)) return true;
  if (WORD.test(tex)) return false;
  return OPERATION.test(tex) || (canBeSymbol && SYMBOL.test(tex));
}
