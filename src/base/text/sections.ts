import GithubSlugger from 'github-slugger';

/** A heading of a Markdown text. */
export interface OutlineEntry {
  /** The line it begins in, from 1. */
  line: number;
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
 * Ignores headings inside other blocks, such as lists.
 */
export function outlineOf(markdown: string): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  let fence: string | undefined;
  let paragraph: string | undefined;
  for (const [index, raw] of markdown.split('\n').entries()) {
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
  return { line, bodyLine, level, text: text.trim().slice(0, MAX_TEXT).toWellFormed() };
}

/**
 * Shortens an outline to `count` entries: drops the deepest levels first, then the last entries.
 */
export function shortOutline(entries: OutlineEntry[], count: number): OutlineEntry[] {
  let kept = entries;
  for (let level = 6; level > 1 && kept.length > count; level--) {
    const higher = kept.filter((one) => one.level < level);
    if (higher.length > 0) kept = higher;
  }
  return kept.slice(0, count);
}

/** The lines of a section, or the candidates if the heading doesn't match exactly one. */
export type SectionSearch =
  | { fromLine: number; bodyLine: number; toLine: number }
  | { problem: 'none' | 'several'; candidates: OutlineEntry[] };

/**
 * Finds the section under a heading, which ends before the next heading of its level or higher.
 *
 * @param heading the heading's text, its anchor on the web, or the start of its text, tried in this
 *   order; case is ignored
 */
export function findSection(entries: OutlineEntry[], heading: string): SectionSearch {
  const wanted = heading
    .trim()
    .replace(/^#+ */, '')
    .replace(/^user-content-/, '')
    .slice(0, MAX_TEXT)
    .toLowerCase();
  const withText = (matches: (text: string) => boolean) =>
    entries.filter(({ text }) => matches(text.toLowerCase()));
  const ways = [
    () => withText((text) => text === wanted),
    () => withSlug(entries, wanted),
    () => withText((text) => wanted !== '' && text.startsWith(wanted)),
  ];
  const [found, ...others] = firstFound(ways);
  if (!found) return { problem: 'none', candidates: entries };
  if (others.length > 0) return { problem: 'several', candidates: [found, ...others] };
  const { line, level } = found;
  const next = entries.find((entry) => entry.line > line && entry.level <= level);
  return {
    fromLine: line,
    bodyLine: found.bodyLine,
    toLine: next ? next.line - 1 : Number.MAX_SAFE_INTEGER,
  };
}

/**
 * Finds a section's heading and returns the range of its text, without markup around it; or at most
 * 10 of the candidates that {@link findSection} returns.
 */
export function findHeading(
  markdown: string,
  heading: string,
): { start: number; end: number } | { problem: 'none' | 'several'; candidates: OutlineEntry[] } {
  const found = findSection(outlineOf(markdown), heading);
  if ('problem' in found) {
    return { ...found, candidates: shortOutline(found.candidates, MAX_CANDIDATES) };
  }
  const lines = markdown.split('\n').slice(0, found.fromLine);
  const line = lines.pop() ?? '';
  const start = lines.reduce((sum, { length }) => sum + length + 1, 0);
  const text = atxText(line, (ATX.exec(line) ?? [''])[0].length).trim();
  const from = text === '' ? 0 : line.indexOf(text);
  return { start: start + from, end: start + from + (text || line).length };
}

const MAX_CANDIDATES = 10;

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
