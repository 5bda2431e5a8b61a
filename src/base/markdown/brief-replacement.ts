import type { Token } from 'markdown-it';
import { addHtml, escapeTags } from '../text/page-replacement.ts';
import {
  ATOM,
  type Container,
  fitReplacement,
  type Given,
  type Leaf,
  type Mark,
  NOTE,
  type Reading,
  type Replacement,
  type Sign,
} from '../text/replacement.ts';
import type { Wikilink } from './document-links.ts';
import type { RenderEnvironment } from './environment.ts';
import { readFrontMatter } from './front-matter.ts';
import type { HtmlMeta } from './html-in-prose.ts';
import { MAX_SOURCE_LENGTH, RenderLimitError } from './limits.ts';
import { createParser } from './parser.ts';
import { shownParts } from './rendered-text.ts';
import { startsOfLines } from './source-places.ts';
import { MAX_WIKILINK, WIKILINK } from './wikilinks.ts';

/** Keeps escapes and entities apart, and notes where the source has them. */
const parser = createParser();
parser.core.ruler.disable(['text_join', 'footnote_tail']);

/**
 * Fits a replacement into a brief's source, as {@link fitReplacement} does.
 *
 * @param given its text is Markdown, or code where it stands in code
 * @throws RenderLimitError if the source exceeds a limit of `limits.ts`
 */
export function fitInBrief(source: string, given: Given): Replacement | undefined {
  return fitReplacement(source, given, (text) => read(text));
}

/** Blocks that are nothing without their text. A table keeps its first row. */
const CONTAINER =
  /^(?:paragraph|heading|list_item|footnote_reference|bullet_list|ordered_list|blockquote|alert|table|tbody|tr)_open$|^(?:fence|code_block)$/;

const ITEM = '(?:[-+*]|\\d{1,9}[.)])';
const BEGINS_LIST = new RegExp(`^${ITEM}[ \\t]`);

/** A sign of an image's description. */
const DESCRIBING = /\\[!-/:-@[-`{-~]|\S/g;

/** Lines with nothing but the marker of a quotation, before and after a block. */
const BLANK_BEFORE = /(?:(?<=^|\n)[ \t>]*\r?\n)*$/;
const BLANK_AFTER = /^[ \t]*(?:\r?\n[ \t>]*(?=\r?\n|$))*/;

/** What has a meaning in Markdown. */
const SIGNS = /[\\`*_[\]<>~$&|]|(?<=^[ \t]*)[#+=-]|(?<=^[ \t]*\d+)[.)]/gm;

/** Elements without content. */
const VOID = /^(?:area|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/** What the parser has collected: definitions, and notes. */
type Definitions = RenderEnvironment & { references?: object };

function read(source: string, env = {} as Definitions): Reading {
  if (source.length > MAX_SOURCE_LENGTH) throw new RenderLimitError('The source is too long.');
  const tokens = parser.parse(readFrontMatter(source).body, env);
  const partsOf = shownParts(source, tokens);
  const lines = startsOfLines(source);
  const lineStart = (line: number): number => lines[line] ?? source.length;
  const signs: Sign[] = [];
  const leaves: Leaf[] = [];
  const open: { token: Token; step: string; container: Container | undefined }[] = [];
  let column = 0;
  let end = 0;
  for (const [index, token] of tokens.entries()) {
    const { type, nesting, tag } = token;
    // The notes' parser doesn't say where they are.
    if (type === 'footnote_reference_open') token.map = tokens[index + 1]?.map ?? null;
    end = Math.max(end, token.map?.[1] ?? 0);
    if (nesting < 0) {
      const { container } = open.pop() ?? {};
      if (container) container.last = leaves.length - 1;
      if (container && type === 'footnote_reference_close') container.end = lineStart(end);
    } else if (nesting > 0) {
      if (type === 'tr_open') column = 0;
      const step = /^t[dh]_open$/.test(type) ? `${tag}${column++}>` : `${type}${tag}>`;
      open.push({
        token,
        step: type === 'paragraph_open' ? '' : step,
        container: containerOf(token),
      });
    } else addLeaf(token);
  }
  return { signs, leaves, shown };

  function shown(text: string): string[] {
    const { footnotes, references } = env;
    const again = { ...env, footnotes: { ...footnotes }, references: { ...references } };
    const parsed = read(text, again)
      .signs.map((sign) => sign.text)
      .join('');
    const literal = text.replaceAll(/\s+/g, '');
    return parsed === '' ? [literal] : [parsed, literal];
  }

  function containerOf({ type, map }: Token): Container | undefined {
    const around = open.map(({ token }) => token);
    const isHead = around.some(({ type }) => type === 'thead_open');
    if (!map || !CONTAINER.test(type) || isHead) return undefined;
    // The lines of an alert begin after its title.
    const firstLine = type === 'alert_open' ? map[0] - 1 : map[0];
    const [start, end] = [lineStart(firstLine), lineStart(map[1])];
    const isInList = around.some(({ type }) => type === 'list_item_open');
    const isClose = /^(?:list_item|tbody|tr)_/.test(type) || (isInList && type.includes('_list_'));
    const range = { first: leaves.length, last: leaves.length, end };
    return { ...range, removal: (end) => removalIn(around, end) };

    function removalIn(outer: readonly Token[], end: number): Replacement {
      const prefix = markersOf(outer, firstLine);
      const isFirst = /[^\s>]/.test(prefix);
      if (!isFirst) return removal(start, end, isClose || outer !== around, prefix);
      // What comes next comes after the marker.
      const marker = `(?:[ \\t]*>){0,${outer.filter(isQuotation).length}}[ \\t]*`;
      const [blank = ''] =
        new RegExp(`^(?:${marker}\\r?\\n)*${marker}`).exec(source.slice(end)) ?? [];
      const next = end + blank.length;
      // An item goes with its words; its lists don't.
      const item = outer.findLastIndex(({ type }) => type === 'list_item_open');
      const isOfItem = outer === around && item === outer.length - 1;
      if (isOfItem && BEGINS_LIST.test(source.slice(next))) {
        return removalIn(around.slice(0, item), end);
      }
      return { start: start + prefix.length, end: next, text: '' };
    }
  }

  /** Returns the markers of blocks that a line begins with. */
  function markersOf(blocks: readonly Token[], line: number): string {
    const markers = blocks.map((block) => {
      if (isQuotation(block)) return '>?[ \\t]*';
      if (block.type === 'footnote_reference_open') return '(?:\\[\\^[^\\]]+\\]:)?[ \\t]*';
      return block.type === 'list_item_open' && block.map?.[0] === line ? `${ITEM}[ \\t]*` : '';
    });
    const pattern = new RegExp(`^[ \\t]*${markers.join('')}`);
    return pattern.exec(source.slice(lineStart(line)))?.[0] ?? '';
  }

  /** Removes whole lines, so that what is before and after is as far apart as before. */
  function removal(start: number, to: number, isClose: boolean, prefix: string): Replacement {
    const end = to - (/(?:\r?\n[ \t>]*)+$/.exec(source.slice(start, to))?.[0].length ?? 0);
    const [blankBefore] = BLANK_BEFORE.exec(source.slice(0, start)) as RegExpExecArray;
    const [blankAfter] = BLANK_AFTER.exec(source.slice(end)) as RegExpExecArray;
    const next = end + blankAfter.length;
    const nextLine = next + (/^\r?\n/.exec(source.slice(next))?.[0].length ?? 0);
    const before = start - blankBefore.length;
    const isLast = source.slice(nextLine).trim() === '';
    const endOfLine = (line: number) =>
      line - (/\r?\n$/.exec(source.slice(0, line))?.[0].length ?? 0);
    // With its own end of line, so that its neighbours can be removed, too.
    const [line = ''] = /^[ \t]*\r?\n/.exec(source.slice(end)) ?? [];
    if (before === start && before > 0 && line !== '' && (isLast || blankAfter.includes('\n'))) {
      return { start, end: end + line.length, text: '' };
    }
    if (isLast) return { start: endOfLine(before), end, text: '' };
    if (blankAfter.includes('\n')) return { start, end: nextLine, text: '' };
    const needsBlank = before === start && before > 0 && !isClose;
    return needsBlank ? { start, end, text: prefix.trimEnd() } : { start, end: nextLine, text: '' };
  }

  function addLeaf(block: Token): void {
    const { type, map } = block;
    if (!map || type === 'alert_title') return;
    const path = open.map(({ step }) => step).join('');
    const hasTextTags = ((block.meta as HtmlMeta | null)?.asText ?? []).length > 0;
    const isHtml = type === 'html_block' && !hasTextTags;
    if (isHtml && source.startsWith(block.content, lineStart(map[0]))) {
      const known = signs.length;
      addHtml(block.content, { signs, leaves }, lineStart(map[0]), `${path}html>`);
      if (signs.length > known) return;
    }
    const step = open.at(-1)?.step ?? '';
    const isCell = /^t[dh]\d/.test(step);
    const from = signs.length;
    const marks: Mark[] = [];
    const around: Mark[] = [];
    let steps = '';
    const leaf = leaves.length;
    const add = (text: string, start: number, end: number): void => {
      signs.push({ text, start, end, leaf, marks: steps });
    };
    for (const { token, part, start, end } of partsOf(block)) {
      if (part === undefined) addMark(token, start, end);
      else {
        const isVerbatim = source.slice(start, end) === part;
        for (const { 0: text, index: at } of part.matchAll(/\S/g)) {
          if (isVerbatim) add(text, start + at, start + at + 1);
          else add(text, start, end);
        }
      }
    }
    if (type !== 'inline' && from === signs.length) {
      add(ATOM, lineStart(map[0]), lineStart(map[1]));
    }
    const own = type === 'inline' ? '' : `${type}>`;
    const containers = open.flatMap(({ container }) => container ?? []);
    const container = containerOf(block);
    leaves.push({
      from,
      to: signs.length,
      path: path + own,
      isCell,
      marks: marks.toSorted((one, other) => one.start - other.start),
      containers: container ? [...containers, container] : containers,
      written: writerOf(block, step),
    });

    function addMark(token: Token, start: number, end: number): void {
      const { type, markup } = token;
      if (type === 'footnote_ref') add(NOTE, start, end);
      else if (type === 'math_inline') add(ATOM, start, end);
      else if (type === 'image') addImage(token, start, end);
      else if (type === 'html_inline') addTag(source.slice(start, end), start, end);
      else if (type === 'code_inline') {
        if (around.at(-1)?.isCode) close(start, end);
        else openMark('code>', start, end).isCode = true;
      } else if (type === 'link_open') {
        const href = String(token.attrGet('href'));
        const mark = openMark(`${markup === 'autolink' ? 'auto' : 'a'}:${href}>`, start, end);
        const spelled = { opening: '[', closing: `](${/[()]/.test(href) ? `<${href}>` : href})` };
        if (markup === 'autolink') Object.assign(mark, spelled);
        if (markup !== WIKILINK) return;
        const hasLabel = (token.meta as Wikilink).label !== undefined;
        mark.holding = (text) => {
          const length = mark.end - mark.start + text.length;
          if (length > MAX_WIKILINK || /[[\]\n]/.test(text)) return spelled;
          return hasLabel ? undefined : mark;
        };
      } else if (token.nesting > 0) openMark(`${type}>`, start, end);
      else if (token.nesting < 0) close(start, end);
    }

    function addImage({ content, attrs }: Token, start: number, end: number): void {
      const from = start + 2;
      const description = isCell ? content.replaceAll('|', '\\|') : content;
      if (content.trim() === '' || !source.startsWith(description, from)) {
        add(ATOM, start, end);
        return;
      }
      openMark(`img:${Object.fromEntries(attrs ?? []).src}>`, start, from);
      for (const { 0: sign, index } of description.matchAll(DESCRIBING)) {
        add(sign.slice(-1), from + index, from + index + sign.length);
      }
      close(from + description.length, end);
    }

    function addTag(tag: string, start: number, end: number): void {
      const [, slash, name = ''] = /^<(\/?)([a-z][a-z\d]*)/i.exec(tag) ?? [];
      if (/^img$/i.test(name)) add(ATOM, start, end);
      if (slash === '') {
        if (!VOID.test(name) && !tag.endsWith('/>')) openMark(tag, start, end);
      } else if (around.at(-1)?.step.toLowerCase().startsWith(`<${name.toLowerCase()}`)) {
        close(start, end);
      }
    }

    function openMark(step: string, start: number, from: number): Mark {
      const opening = source.slice(start, from);
      const mark = { start, from, to: from, end: from, opening, closing: '', step };
      around.push(mark);
      steps += step;
      return mark;
    }

    function close(to: number, end: number): void {
      const mark = around.pop();
      steps = around.map(({ step }) => step).join('');
      if (!mark) return;
      const [words, sign] = [source.slice(mark.from, to), source.slice(to, end)];
      mark.closing ||= sign;
      // A link without an address or a label of its own is named by its words.
      if (/^!?\[\[$/.test(mark.opening)) mark.opening += `${words}${isCell ? '\\|' : '|'}`;
      else if (sign === ']' || sign === '][]') {
        mark.closing = `][${words}]`;
        mark.holding = () => mark;
      } else if (mark.isCode) {
        mark.holding = (text) => (text.includes('`') ? longerCode(words + text) : undefined);
      }
      marks.push(Object.assign(mark, { to, end }));
    }
  }

  /** Returns the function that writes texts into a block, in the ways of {@link Leaf}. */
  function writerOf(block: Token, step: string): Leaf['written'] {
    const { type, map } = block;
    const blocks = open.map(({ token }) => token);
    const isBlockOfCode = type === 'fence' || type === 'code_block';
    return (text, code) => {
      const isInLine = code !== undefined || /^(?:heading|t[dh]\d)/.test(step);
      const escaped = type === 'html_block' ? escapeTags(text) : text.replaceAll(SIGNS, '\\$&');
      const ways = isBlockOfCode || code ? [text] : [text, escaped];
      const isCell = /^t[dh]\d/.test(step);
      const lineBreak = isCell && !code ? '<br>' : ' ';
      const lines = ways.map((way) => way.replaceAll(/\s*\n\s*/g, lineBreak));
      if (isCell) return lines.map((way) => way.replaceAll(/(?<!\\)\|/g, '\\|'));
      // A mark can't hold two paragraphs.
      return isInLine ? lines : [...ways.map(withPrefix), ...(isBlockOfCode ? [] : lines)];
    };

    function withPrefix(text: string): string {
      const [first] = map as [number, number];
      let prefix = markersOf(blocks, first)
        .replace(/\[\^.*:[ \t]*/, '    ')
        .replaceAll(/[^>\s]/g, ' ');
      if (isBlockOfCode) {
        // Its lines differ only in what is before the code.
        const [line = ''] = source
          .slice(lineStart(type === 'fence' ? first + 1 : first))
          .split(/\r?\n/, 1);
        const [code = ''] = block.content.split('\n', 1);
        prefix = line.slice(0, Math.max(0, line.length - code.length));
      }
      const lineBreak = source.includes('\r\n') ? '\r\n' : '\n';
      const lines = text
        .split('\n')
        .map((line, at) => (at === 0 ? line : (prefix + line).trimEnd()));
      return lines.join(lineBreak);
    }
  }
}

function isQuotation({ type }: Token): boolean {
  return type === 'blockquote_open' || type === 'alert_open';
}

/** Returns the signs around code that has backticks. */
function longerCode(text: string): Pick<Mark, 'opening' | 'closing'> {
  const runs = text.match(/`+/g) ?? [];
  const sign = '`'.repeat(Math.max(...runs.map(({ length }) => length)) + 1);
  return { opening: `${sign} `, closing: ` ${sign}` };
}
