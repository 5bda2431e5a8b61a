import GithubSlugger from 'github-slugger';
import { readFrontMatter } from '../markdown/front-matter.ts';
import { fold } from './alike.ts';
import { indexOf } from './places.ts';

/** A heading of a Markdown text, or of a page. */
export interface OutlineEntry {
  /** The line it begins in, from 1. */
  line: number;
  /** The column it begins in, from 1: always 1 in a Markdown text. */
  column: number;
  /** The line after the heading; an underlined heading has two lines. */
  bodyLine: number;
  level: number;
  /** Its text with its markup, at most 120 UTF-16 code units. */
  text: string;
}

const MAX_TEXT = 120;

const ATX = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** Lines that can't be a paragraph, so an underline doesn't make them a heading. */
const NO_PARAGRAPH = /^( {4}|\t| {0,3}([>#*+-]|\d+[.)])( |\t|$))/;

/**
 * Finds the headings of a Markdown text: ATX and setext, outside of fenced code. Takes linear time.
 * Ignores headings inside other blocks, such as lists, and lines of front matter.
 */
export function outlineOf(markdown: string): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  let fence: string | undefined;
  let paragraph: string | undefined;
  for (const [index, raw] of readFrontMatter(markdown).body.split('\n').entries()) {
    // No heading is that long.
    const line = raw.slice(0, 1_000).replace(/\r$/, '');
    const marker = FENCE.exec(line)?.[1];
    if (fence) {
      if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined;
      continue;
    }
    const atx = ATX.exec(line);
    const underline = paragraph === undefined ? undefined : SETEXT.exec(line)?.[1];
    const bodyLine = index + 2;
    if (atx) {
      entries.push(entry([index + 1, bodyLine], atx[1]?.length ?? 1, atxText(line, atx[0].length)));
    } else if (underline) {
      entries.push(entry([index, bodyLine], underline[0] === '=' ? 1 : 2, paragraph ?? ''));
    }
    fence = marker;
    const heading = atx || underline || marker;
    paragraph = heading || line.trim() === '' || NO_PARAGRAPH.test(line) ? undefined : line.trim();
  }
  return entries;
}

/** Returns the heading of the section that a line of a Markdown text is in. */
export function sectionAt(outline: readonly OutlineEntry[], line: number): string | undefined {
  return outline.findLast((entry) => entry.line <= line)?.text;
}

/** Returns an ATX heading's text without the closing `#`. */
function atxText(line: string, from: number): string {
  const text = line.slice(from).trim();
  let end = text.length;
  while (text[end - 1] === '#') end--;
  return end === 0 || /[ \t]/.test(text[end - 1] ?? '') ? text.slice(0, end) : text;
}

function entry([line, bodyLine]: [number, number], level: number, text: string): OutlineEntry {
  return { line, column: 1, bodyLine, level, text: text.trim().slice(0, MAX_TEXT).toWellFormed() };
}

/** A part of an outline. */
export interface ShortOutline {
  shown: OutlineEntry[];
  /** The deepest level that is shown whole; deeper ones are left out. Absent if nothing is. */
  deepest?: number;
  /** The first heading that is left out, if the rest of the outline is. */
  next?: OutlineEntry;
}

/**
 * Shortens an outline to `count` entries: leaves out the deepest levels, unless hardly a heading
 * would remain; then, the last entries.
 */
export function shortOutline(entries: OutlineEntry[], count: number): ShortOutline {
  if (entries.length <= count) return { shown: entries };
  for (let deepest = 5; deepest > 0; deepest--) {
    const shown = entries.filter(({ level }) => level <= deepest);
    if (shown.length <= count) {
      if (shown.length < LEAST_SHOWN) break;
      return { shown, deepest };
    }
  }
  const next = entries[count];
  return { shown: entries.slice(0, count), ...(next && { next }) };
}

/** An outline of fewer headings, such as the title alone, helps nobody to go on. */
const LEAST_SHOWN = 2;

/** A section, or the candidates if the heading doesn't match exactly one. */
export type SectionSearch = Section | { problem: 'none' | 'several'; candidates: OutlineEntry[] };

export interface Section {
  heading: OutlineEntry;
  /** Whether the heading is written differently: see {@link findSection}. */
  isAlike: boolean;
  /** The heading that ends the section; absent if the text does. */
  next?: OutlineEntry;
}

/**
 * Finds the section under a heading, which ends before the next heading of its level or higher.
 *
 * @param heading the heading's text, its anchor on the web, its line and text ("5: Setup", or
 *   "1:70: Setup" with the column, as in an outline), its path ("Guide > Setup"; levels can be missing), or the start of its text, tried in
 *   this order; case is ignored. If no heading matches, the same with quotes, dashes and spaces
 *   that look alike ({@link fold}), or then without the marks of emphasis and code
 */
export function findSection(entries: OutlineEntry[], heading: string): SectionSearch {
  const exact = headingsAt(entries, heading);
  const [found, ...others] = exact.length > 0 ? exact : headingsAlike(entries, heading);
  if (!found) return { problem: 'none', candidates: entries };
  if (others.length > 0) return { problem: 'several', candidates: [found, ...others] };
  const next = entries[entries.indexOf(found) + 1 + endOf(entries, found)];
  return { heading: found, isAlike: exact.length === 0, ...(next && { next }) };
}

/** Of more headings, none is looked for that is written differently: it takes too long. */
const MAX_ALIKE = 10_000;

function headingsAlike(entries: OutlineEntry[], heading: string): OutlineEntry[] {
  if (entries.length > MAX_ALIKE) return [];
  const folded = entries.map((entry) => ({ ...entry, text: fold(entry.text).text }));
  const wanted = fold(heading).text;
  const alike = headingsAt(folded, wanted);
  const words = withoutMarks(plain(wanted));
  const isSame = ({ text }: OutlineEntry) => words !== '' && withoutMarks(plain(text)) === words;
  const found = new Set(alike.length > 0 ? alike : folded.filter(isSame));
  return entries.filter((_, index) => found.has(folded[index] as OutlineEntry));
}

/** Returns a heading without the marks of emphasis and code. */
function withoutMarks(text: string): string {
  return text
    .replaceAll(/\*+|`+|~~|__/g, '')
    .trim()
    .slice(0, MAX_TEXT);
}

/** Returns the headings that match in the first way in which any does. */
function headingsAt(entries: OutlineEntry[], heading: string): OutlineEntry[] {
  const wanted = plain(heading).replace(/^user-content-/, '');
  const start = wanted.slice(0, MAX_TEXT);
  const withText = (matches: (text: string) => boolean) =>
    entries.filter(({ text }) => matches(text.toLowerCase()));
  const ways = [
    () => withText((text) => text === start),
    () => withSlug(entries, wanted),
    () => atLine(entries, heading),
    () => atPath(entries, wanted, (text, step) => text === step),
    () => atPath(entries, wanted, (text, step) => text.startsWith(step)),
    () => withText((text) => start !== '' && text.startsWith(start)),
  ];
  return firstFound(ways);
}

/** Returns how many headings are below one. */
function endOf(entries: OutlineEntry[], heading: OutlineEntry): number {
  const after = entries.slice(entries.indexOf(heading) + 1);
  const end = after.findIndex(({ level }) => level <= heading.level);
  return end < 0 ? after.length : end;
}

/** Returns a heading as people write it, in lower case, without its marks and quotes around it. */
function plain(heading: string): string {
  const text = heading.trim().replace(/^(["'`])(.*)\1$/s, '$2');
  return text.replace(/^#+ */, '').trim().toLowerCase();
}

/** Returns the heading at a line, if its text or path goes on as given. */
function atLine(entries: OutlineEntry[], heading: string): OutlineEntry[] {
  const [, line, column, rest = ''] = /^(\d{1,9})(?::(\d{1,9}))?:(.*)$/s.exec(heading.trim()) ?? [];
  const wanted = plain(rest);
  if (wanted === '') return [];
  const paths = pathsOf(entries);
  return entries.filter(
    (entry) =>
      entry.line === Number(line) &&
      (column === undefined || entry.column === Number(column)) &&
      (entry.text.toLowerCase().startsWith(wanted.slice(0, MAX_TEXT)) ||
        paths.get(entry)?.toLowerCase() === wanted),
  );
}

/** Returns the headings at a path, such as `guide > setup`. */
function atPath(
  entries: OutlineEntry[],
  path: string,
  matches: (text: string, step: string) => boolean,
): OutlineEntry[] {
  const steps = path.split(/\s*[>›]\s*/).map((step) => step.slice(0, MAX_TEXT));
  if (steps.length < 2 || steps.includes('')) return [];
  const found: OutlineEntry[] = [];
  const above: OutlineEntry[] = [];
  for (const entry of entries) {
    while ((above.at(-1)?.level ?? 0) >= entry.level) above.pop();
    above.push(entry);
    if (leadsTo(above, steps, matches)) found.push(entry);
  }
  return found;
}

/** Tells whether steps lead to the last of the headings. Each step but the last can skip some. */
function leadsTo(
  above: readonly OutlineEntry[],
  steps: readonly string[],
  matches: (text: string, step: string) => boolean,
): boolean {
  const is = (entry: OutlineEntry | undefined, step: string | undefined) =>
    entry !== undefined && step !== undefined && matches(entry.text.toLowerCase(), step);
  if (!is(above.at(-1), steps.at(-1))) return false;
  let left = steps.length - 1;
  for (const entry of above.slice(0, -1).reverse()) {
    if (is(entry, steps[left - 1])) left--;
  }
  return left === 0;
}

/** Returns the path of each heading, as {@link findSection} takes it: `Guide > Setup`. */
export function pathsOf(entries: readonly OutlineEntry[]): Map<OutlineEntry, string> {
  const above: OutlineEntry[] = [];
  return new Map(
    entries.map((entry) => {
      while ((above.at(-1)?.level ?? 0) >= entry.level) above.pop();
      above.push(entry);
      return [entry, above.map(({ text }) => text).join(' > ')];
    }),
  );
}

/**
 * Finds a section's heading and returns the range of its text, without markup around it; or at most
 * 10 of the candidates that {@link findSection} returns.
 *
 * @param ofPage the outline, if the text is a page
 */
export function findHeading(
  markdown: string,
  heading: string,
  ofPage?: OutlineEntry[],
): { start: number; end: number } | { problem: 'none' | 'several'; candidates: OutlineEntry[] } {
  const found = findSection(ofPage ?? outlineOf(markdown), heading);
  if ('problem' in found) {
    const { problem, candidates } = found;
    return { problem, candidates: fewOf(candidates, problem, MAX_CANDIDATES) };
  }
  if (ofPage) {
    const start = markdown.indexOf('>', indexOf(markdown, found.heading)) + 1;
    const length = markdown.slice(start).search(/<\/h[1-6]/i);
    return { start, end: length < 0 ? markdown.length : start + length };
  }
  const lines = markdown.split('\n').slice(0, found.heading.line);
  const line = lines.pop() ?? '';
  const start = lines.reduce((sum, { length }) => sum + length + 1, 0);
  const text = atxText(line, (ATX.exec(line) ?? [''])[0].length).trim();
  const from = text === '' ? 0 : line.indexOf(text);
  return { start: start + from, end: start + from + (text || line).length };
}

const MAX_CANDIDATES = 10;

/** Returns some of a search's candidates: of equal headings the first, else the highest. */
export function fewOf(
  candidates: OutlineEntry[],
  problem: 'none' | 'several',
  count: number,
): OutlineEntry[] {
  return problem === 'several' ? candidates.slice(0, count) : shortOutline(candidates, count).shown;
}

function withSlug(entries: OutlineEntry[], wanted: string): OutlineEntry[] {
  const slugger = new GithubSlugger();
  return entries.filter(({ text }) => slugger.slug(text) === wanted);
}

/** Returns the first result that isn't empty. */
function firstFound<T>(ways: (() => T[])[]): T[] {
  for (const look of ways) {
    const found = look();
    if (found.length > 0) return found;
  }
  return [];
}
