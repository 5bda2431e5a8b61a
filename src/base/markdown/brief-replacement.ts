import type { Token } from 'markdown-it';
import { addHtml, escapeTags } from '../text/page-replacement.ts';
import {
  ATOM,
  type Container,
  fitReplacement,
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
import { WIKILINK } from './wikilinks.ts';

/** Keeps escapes and entities apart, and notes where the source has them. */
const parser = createParser();
parser.core.ruler.disable(['text_join', 'footnote_tail']);

/**
 * Fits a replacement into a brief's source, as {@link fitReplacement} does.
 *
 * @param given its text is Markdown, or code where it stands in code
 * @throws RenderLimitError if the source exceeds a limit of `limits.ts`
 */
export function fitInBrief(source: string, given: Replacement): Replacement | undefined {
  return fitReplacement(source, given, (text) => read(text));
}

/** Blocks that are nothing without their text. A table keeps its first row. */
const CONTAINER =
  /^(?:paragraph|heading|list_item|bullet_list|ordered_list|blockquote|alert|table|tbody|tr)_open$|^(?:fence|code_block)$/;

/** The markers of the items that a line begins, and the space around them. */
const MARKERS = /^(?:[ \t>]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$))*[ \t>]*/;

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
  for (const token of tokens) {
    const { type, nesting, tag } = token;
    if (nesting < 0) {
      const { container } = open.pop() ?? {};
      if (container) container.last = leaves.length - 1;
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
    const isHead = open.some(({ token }) => token.type === 'thead_open');
    if (!map || !CONTAINER.test(type) || isHead) return undefined;
    // The lines of an alert begin after its title.
    const firstLine = type === 'alert_open' ? map[0] - 1 : map[0];
    const [start, end] = [lineStart(firstLine), lineStart(map[1])];
    const isInItem = ({ token }: { token: Token }) =>
      token.type === 'list_item_open' && token.map?.[0] === map[0];
    const isFirst = type === 'paragraph_open' && open.some(isInItem);
    const [prefix] = (isFirst ? MARKERS : /^[ \t>]*/).exec(source.slice(start, end)) ?? [''];
    const isInList = open.some(({ token }) => token.type === 'list_item_open');
    const isClose = /^(?:list_item|tr)_/.test(type) || (isInList && type.includes('_list_'));
    return {
      first: leaves.length,
      last: leaves.length,
      end,
      removal: (end) =>
        isFirst ? removalIn(start + prefix.length, end) : removal(start, end, isClose, prefix),
    };
  }

  /** Removes the first block of an item, so that the next comes after the item's marker. */
  function removalIn(start: number, end: number): Replacement {
    const [blank] = /^[\s>]*/.exec(source.slice(end)) ?? [''];
    return { start, end: end + blank.length, text: '' };
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
    if (isLast) return { start: endOfLine(before), end, text: '' };
    if (blankAfter.includes('\n')) {
      const isApart = before < start || before === 0;
      return isApart
        ? { start, end: nextLine, text: '' }
        : { start: endOfLine(start), end, text: '' };
    }
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
    const around: { mark: Mark; step: string }[] = [];
    let content: number | undefined;
    let steps = '';
    const leaf = leaves.length;
    const add = (text: string, start: number, end: number): void => {
      signs.push({ text, start, end, leaf, marks: steps });
    };
    for (const { token, part, start, end } of partsOf(block)) {
      content ??= start;
      if (part === undefined) addMark(token, start, end);
      else {
        const isVerbatim = source.slice(start, end) === part;
        for (const { 0: text, index: at } of part.matchAll(/\S/g)) {
          if (isVerbatim) add(text, start + at, start + at + 1);
          else add(text, start, end);
        }
      }
    }
    const [start, end] = [lineStart(map[0]), lineStart(map[1])];
    if (type !== 'inline' && from === signs.length) add(ATOM, start, end);
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
      written: writerOf(block, step, content ?? start),
    });

    function addMark(token: Token, start: number, end: number): void {
      const { type, markup } = token;
      const sign = source.slice(start, end);
      if (type === 'footnote_ref') add(NOTE, start, end);
      else if (/^(?:image|math_inline)$/.test(type)) add(ATOM, start, end);
      else if (type === 'html_inline') addTag(sign, start, end);
      else if (type === 'code_inline') {
        if (around.at(-1)?.mark.isCode) close(start, end);
        else openMark('code>', start, end).isCode = true;
      } else if (type === 'link_open') {
        const href = String(token.attrGet('href'));
        const mark = openMark(`${markup === 'autolink' ? 'auto' : 'a'}:${href}>`, start, end);
        if (markup === 'autolink') [mark.opening, mark.closing] = ['[', `](${href})`];
        mark.isNamed = markup === WIKILINK && (token.meta as Wikilink).label === undefined;
      } else if (token.nesting > 0) openMark(`${type}>`, start, end);
      else if (token.nesting < 0) {
        const mark = close(start, end);
        if (!mark || type !== 'link_close') return;
        const words = source.slice(mark.from, mark.to);
        if (mark.isNamed) mark.opening += `${words}${isCell ? '\\|' : '|'}`;
        else if (sign === ']' || sign === '][]') {
          mark.isNamed = true;
          mark.closing = `][${words}]`;
        }
      }
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
      const mark = {
        start,
        from,
        to: from,
        end: from,
        opening: source.slice(start, from),
        closing: '',
      };
      around.push({ mark, step });
      steps += step;
      return mark;
    }

    function close(to: number, end: number): Mark | undefined {
      const { mark } = around.pop() ?? {};
      steps = around.map(({ step }) => step).join('');
      if (!mark) return undefined;
      mark.closing ||= source.slice(to, end);
      marks.push(Object.assign(mark, { to, end }));
      return mark;
    }
  }

  /** Returns the function that writes texts into a block, in the ways of {@link Leaf}. */
  function writerOf(block: Token, step: string, content: number): Leaf['written'] {
    const { type, map } = block;
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
      const start = lineStart(first);
      const [markers] = MARKERS.exec(source.slice(start, content)) as RegExpExecArray;
      let prefix = markers.replaceAll(/[^>\s]/g, ' ');
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
