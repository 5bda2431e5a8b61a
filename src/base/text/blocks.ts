import MarkdownIt, { type PluginSimple } from 'markdown-it';
import footnotePlugin from 'markdown-it-footnote';
import { MAX_BLOCK_NESTING } from '../markdown/limits.ts';
import { mathBrackets } from '../markdown/math-brackets.ts';
import { mathSyntax } from '../markdown/math-syntax.ts';
import { ruleOf } from '../markdown/references.ts';

/** What is put into a text, and what stands above and below. */
export interface Joint {
  above: string;
  added: string;
  below: string;
}

/** Reads blocks as the renderer does, but not what is in them. The types omit `maxNesting`. */
const options = { html: true, maxNesting: MAX_BLOCK_NESTING };
const parser = new MarkdownIt(options).use(footnotePlugin as unknown as PluginSimple);
mathSyntax(parser);
mathBrackets(parser);
parser.core.ruler.enableOnly(['normalize', 'block']);
const readDefinition = ruleOf(parser.block.ruler, 'reference');
parser.block.ruler.at('reference', (state, line, endLine, silent) => {
  if (!readDefinition(state, line, endLine, silent)) return false;
  if (silent) return true;
  const token = state.push('definition', '', 0);
  token.map = [line, state.line];
  token.content = state.getLines(line, state.line, state.blkIndent, false);
  return true;
});

/** Lists and tables can go on in what is added: what counts are their items and rows. */
const CONTINUED = /^(?:bullet_list|ordered_list|table|thead|tbody)_open$/;
const NESTING =
  /^(?:(?:bullet_list|ordered_list|table|blockquote|footnote_reference)_open|definition)$/;
/** Between the lines of a heading, or above the rows of a table, nothing has a place. */
const FIXED = /^(?:heading|table)_open$/;
const CODE = /^\d+ \S* (?:fence|code_block|html_block) /;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*(?:\n|$)/;
const RAW = /^(?:fence|html_block|math_block)$/;
const PARAGRAPH = /^0 {2}paragraph_open/;
/** An HTML block that goes on over blank lines, and its end. */
const LONG_HTML = /^\s*<(!--|\?|!\[CDATA\[|pre|script|style|textarea)/i;
const END_OF_HTML = /(?:-->|\?>|\]\]>|<\/(?:pre|script|style|textarea)>)\s*$/i;
const CLOSING: Readonly<Record<string, string>> = { '!--': '-->', '?': '?>', '![CDATA[': ']]>' };
const DETAILS = /<(\/?)details\b/gi;
/** Keeps a list from taking what is indented below it. */
const COMMENT = '\n\n<!-- -->\n\n';
const BLANK_LINES = /^(?:[ \t]*\n)*/;

interface Blocks {
  /** The lines of each outer block. */
  outer: { from: number; to: number; type: string }[];
  /** What the blocks and those in them are, and after NUL what they say, in order. */
  parts: string[];
  /** What ends the last outer block, if nothing else does. */
  closing: string | undefined;
  /** How many `<details>` are open at the end. */
  details: number;
}

/**
 * How something is put: as a block of its own; the same, but as lines where the text around is one
 * block; or exactly as it is given, if the text keeps its meaning so.
 */
export type Way = 'block' | 'lines' | 'exact';

function blocksOf(markdown: string): Blocks {
  const blocks: Blocks = { outer: [], parts: [], closing: undefined, details: 0 };
  const within: string[] = [];
  for (const { type, tag, level, map, markup, nesting, content, hidden, info } of parser.parse(
    markdown,
    {},
  )) {
    if (nesting < 0) within.pop();
    if (nesting < 0) continue;
    const [isFence, isHtml] = [type === 'fence', type === 'html_block'];
    if (level === 0 && map) {
      const last = blocks.outer.at(-1);
      const isNext = type === 'definition' && last?.type === type && last.to === map[0];
      if (isNext) last.to = map[1];
      else blocks.outer.push({ from: map[0], to: map[1], type });
      const [, name] = (isHtml && LONG_HTML.exec(content)) || [];
      const end = name && (CLOSING[name.toUpperCase()] ?? `</${name}>`);
      blocks.closing = isFence ? markup : end;
      for (const [, slash] of isHtml && !name ? content.matchAll(DETAILS) : [])
        blocks.details = Math.max(0, blocks.details + (slash ? -1 : 1));
    }
    const said = (isHtml ? content.replace(END_OF_HTML, '') : content).trimEnd();
    const kind = `${level} ${within.at(-1) ?? ''} ${type} ${tag} ${hidden} ${isFence ? info : ''}`;
    if (!CONTINUED.test(type)) blocks.parts.push(`${kind}\0${said}`);
    if (nesting > 0) within.push(type + markup);
  }
  return blocks;
}

/**
 * Returns how many quotes a line is in, where its block begins, and whether what is put above another
 * line is code (or HTML).
 */
export function placeOf(
  markdown: string,
  line: number,
  below: number,
): { quotes: number; from: number; isCode: boolean } {
  const place = { quotes: 0, from: line, isCode: false };
  for (const { type, map } of parser.parse(markdown, {})) {
    if (!map || line < map[0] || line >= map[1]) continue;
    if (type === 'blockquote_open') place.quotes++;
    if (type === 'paragraph_open') place.from = map[0];
    const isInside = map[0] < below && below < map[1];
    if (type === 'code_block' || (isInside && RAW.test(type))) place.isCode = true;
  }
  return place;
}

/**
 * Puts Markdown between two parts of a text, so that all three mean what they mean alone: on lines of
 * its own, after a blank line, or without one where it goes on with a list or table. Ends blocks that
 * would go on to the end of the text. Takes linear time.
 */
export function putBetween(joint: Joint, way: Way = 'block'): string {
  const { above, core, below, gaps } = partsOf(joint);
  const isGiven = way !== 'block';
  const exactly = joint.above + joint.added + joint.below;
  if (core === '') return exactly;
  const { outer, details } = blocksOf(joint.above + joint.below);
  const ended = `${above}\n\n${'</details>\n'.repeat(details)}\n`;
  const isOpen = below === '' && details > 0 && !core.startsWith('</');
  if (isOpen && blocksOf(ended).details === 0) return putBetween({ ...joint, above: ended }, way);
  const line = lineBreaksIn(joint.above + joint.below.slice(0, joint.below.length - below.length));
  const upper =
    above === '' ? undefined : outer.findLast(({ from }) => from <= lineBreaksIn(above));
  const lower = below === '' ? undefined : outer.find(({ to }) => to > line);
  const isInside = upper !== undefined && upper === lower;
  const isFixed = isInside && FIXED.test(upper.type);
  if (isGiven && isInside && upper.type === 'paragraph_open') {
    // Between the lines of a paragraph, a rule would make a heading of those above.
    const [first = ''] = blocksOf(core).parts;
    const isLine = PARAGRAPH.test(first) ? !UNDERLINE.test(core) : / html_block /.test(first);
    return isLine ? exactly : setApart(joint);
  }
  if (isGiven && isInside && !isFixed && !NESTING.test(upper.type)) return exactly;
  // What is farther away than these blocks isn't touched.
  const start = above === '' || !upper ? 0 : startOfLine(above, upper.from + 1);
  const end = startOfLine(joint.above + joint.below, (lower?.to ?? 1e9) + 1) - joint.above.length;
  const [head, foot] = [above.slice(start), below.slice(0, end - joint.below.length || undefined)];
  const near = { above: joint.above.slice(start), below: joint.below.slice(0, end) };
  const old = blocksOf(near.above + near.below);
  const alone = blocksOf(core);
  const isParagraph = PARAGRAPH.test(alone.parts[0] ?? '');
  const rows = (isParagraph && rowsOf(core, head)) || alone.parts;
  if (way === 'exact') {
    const made = blocksOf(near.above + joint.added + near.below).parts;
    const isWords = alone.parts.length === 2 && isParagraph;
    const isLines = /^\n|\n$/.test(joint.added) && upper?.type !== 'paragraph_open';
    const runsOn = runsInto(joint) && lower?.type === 'paragraph_open';
    const canBe = isWords && rows === alone.parts && !isLines && !runsOn;
    if (isWithin(old.parts, made, rows) || (canBe && isSame(kindsOf(old.parts), kindsOf(made)))) {
      return exactly;
    }
  }
  const befores = above === '' ? [gaps.above] : waysOver(gaps.above, blocksOf(head).closing);
  const afters = below === '' ? [gaps.below] : [...waysOver(gaps.below, alone.closing), COMMENT];
  const ways = befores.flatMap((before) => afters.map((after) => ({ before, after })));
  const fits = ({ before, after }: (typeof ways)[number], isIndented: boolean) => {
    const made = blocksOf(head + before + core + after + foot);
    const continued = Number(above && before === '\n') + Number(below && after === '\n');
    const fewer = old.outer.length + alone.outer.length - made.outer.length;
    if (continued > 0 && fewer < (isInside ? 1 : continued)) return false;
    const added = after === COMMENT ? blocksOf(core + COMMENT).parts : alone.parts;
    return isWithin(old.parts, made.parts, isIndented ? undefined : continued > 0 ? rows : added);
  };
  const isIndented = /^[ \t]/.test(core);
  const found =
    ways.find((each) => fits(each, false)) ??
    // It can go on in the item above it.
    ways.find((each) => isIndented && fits(each, true));
  if (found) return above + found.before + core + found.after + below;
  if (!isGiven) return setApart(joint);
  if (!isFixed) return runsInto(joint) && !isInside ? setApart(joint) : exactly;
  const rest = { above: joint.above + near.below, below: joint.below.slice(end) };
  return putBetween({ ...joint, ...rest }, way);
}

/** Tells whether what is added is lines right above others. */
function runsInto({ added, below }: Joint): boolean {
  return added.endsWith('\n') && /^[^\n]/.test(below);
}

/** Puts Markdown between two parts of a text with blank lines around it. */
export function setApart(joint: Joint): string {
  const { above, core, below, gaps } = partsOf(joint);
  const before = above === '' ? gaps.above : blankLine(gaps.above);
  return above + before + core + (below === '' ? gaps.below : blankLine(gaps.below)) + below;
}

/** Cuts off the blank lines between what is joined. `core` is what is added without them. */
function partsOf({ above: upper, added, below: lower }: Joint) {
  const [above, below] = [withoutEnd(upper), lower.replace(BLANK_LINES, '')];
  const begun = added.replace(BLANK_LINES, '');
  const core = withoutEnd(begun);
  const after = begun.slice(core.length) + lower.slice(0, lower.length - below.length);
  return { above, core, below, gaps: { above: upper.slice(above.length), below: after } };
}

/** Returns a text without its last line break and the blank lines at its end. */
function withoutEnd(text: string): string {
  const end = text.trimEnd().length;
  const lineBreak = text.indexOf('\n', end);
  return end === 0 ? '' : text.slice(0, lineBreak < 0 ? text.length : lineBreak);
}

/** Returns what can stand between two parts, best first. @param closing what ends the first */
function waysOver(gap: string, closing: string | undefined): string[] {
  return ['\n', blankLine(gap), ...(closing ? [`${gap || '\n'}${closing}\n\n`] : [])];
}

function blankLine(gap: string): string {
  return lineBreaksIn(gap) > 1 ? gap : '\n\n';
}

/** Returns the parts that a text has below a table; `undefined` if it doesn't begin with a row. */
function rowsOf(text: string, above: string): string[] | undefined {
  const lines = text
    .split(/\n[ \t]*\n/, 1)
    .join()
    .split('\n');
  const isOpen = !/^\s*\|/.test(above.slice(above.lastIndexOf('\n') + 1));
  if (!lines.every((line) => /^ {0,3}\|/.test(line) || (isOpen && line.includes('|'))))
    return undefined;
  const parts = blocksOf(`${above}\n${text}`).parts.slice(blocksOf(above).parts.length);
  return / tr_open /.test(parts[0] ?? '') ? parts : undefined;
}

/** Returns what the parts are, and of code what it says. */
function kindsOf(parts: readonly string[]): string[] {
  return parts.map((part) => (CODE.test(part) ? part : part.slice(0, part.indexOf('\0'))));
}

/** Tells whether what was made is the old text with what was added at one place. */
function isWithin(
  old: readonly string[],
  made: readonly string[],
  added?: readonly string[],
): boolean {
  const count = made.length - old.length;
  const changed = old.findIndex((part, index) => part !== made[index]);
  const start = changed < 0 ? old.length : changed;
  if (count < 0 || !isSame(old.slice(start), made.slice(start + count))) return false;
  if (!added) return true;
  for (let at = start; at >= 0 && (at === start || old[at] === made[at + count]); at--) {
    if ((count === 0 || made[at] === added[0]) && isSame(added, made.slice(at, at + count)))
      return true;
  }
  return false;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

function lineBreaksIn(text: string): number {
  return text.split('\n').length - 1;
}

/** Returns where a line begins, from 1; the length of the text if it has no such line. */
export function startOfLine(text: string, line: number): number {
  let at = 0;
  for (let current = 1; current < line; current++) {
    const lineBreak = text.indexOf('\n', at);
    if (lineBreak < 0) return text.length;
    at = lineBreak + 1;
  }
  return at;
}
