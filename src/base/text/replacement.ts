import type { Range } from './port.ts';

/** A text for a range of a source. */
export interface Replacement extends Range {
  text: string;
}

/** A replacement to fit, or one that was fitted into an earlier text and is to be written as it is. */
export interface Given extends Replacement {
  fitted?: Range & { source: string };
}

/** A character that readers see; {@link ATOM} for what isn't text. White space has none. */
export interface Sign extends Range {
  text: string;
  /** The index of its leaf. */
  leaf: number;
  /** The marks around it, each followed by `>`. With `auto:`, its link comes from its words. */
  marks: string;
}

/** Stands for whatever is shown and isn't text: a picture, a formula, a rule. */
export const ATOM = '\ufffc';

/** Stands for a reference to a note. The note would go with it, so it stays. */
export const NOTE = '\ufff9';

/** What stands on both sides of words, and what to write there if a replacement cuts the words. */
export interface Mark extends Range {
  /** Its content. */
  from: number;
  to: number;
  opening: string;
  closing: string;
  /** As in {@link Sign.marks}. */
  step: string;
  isCode?: boolean;
  /** Returns what to write on both sides if a text is put into it, unless that stays. */
  holding?(text: string): Pick<Mark, 'opening' | 'closing'> | undefined;
}

/** A block that is nothing without its text: a paragraph, an item, a row, a list. */
export interface Container {
  /** The indexes of its leaves. */
  first: number;
  last: number;
  /** Where it ends in the source. */
  end: number;
  /** Returns what takes it out of the source, with those that follow it up to `end`. */
  removal(end: number): Replacement;
}

/** A run of text in one block. */
export interface Leaf {
  /** The indexes of its signs. `to` is exclusive. */
  from: number;
  to: number;
  /** The blocks around it, each followed by `>`. Paragraphs are left out. */
  path: string;
  isCell: boolean;
  /** Whether it goes on after a block that stands in its block. */
  isRest?: boolean;
  /** In the order they begin. */
  marks: Mark[];
  /** Outer ones first. */
  containers: Container[];
  /** Returns the ways to write a text here, best first. @param code the code that it stands in */
  written(text: string, code: Mark | undefined): string[];
}

/** What a source shows, in its order. */
export interface Reading {
  signs: Sign[];
  leaves: Leaf[];
  /** Returns what a text can show in this source: as source, and as it is. Without white space. */
  shown(text: string): string[];
}

/** What else a language asks of a replacement. */
export interface Demands {
  /** Tells whether a replacement leaves the rest of the source as it was. */
  keepsRest(candidate: Replacement): boolean;
  /** Returns the ways to write a text where no words are, as in an attribute, best first. */
  written(given: Replacement): Replacement[];
}

const NO_DEMANDS: Demands = { keepsRest: () => true, written: (given) => [given] };

/** White space before and after words, with what a line there begins with. */
const SPACE_BEFORE = /[ \t]*(?:\r?\n[ \t>]*)?$/;
const SPACE_AFTER = /^[ \t]*(?:\r?\n[ \t>]*)?/;
const MOST_SPACE = 1_000;

/** Leaves white space where it is instead of replacing it with the same, so that nothing is a deletion. */
function withoutSpace(source: string, { start, end, text }: Replacement): Replacement {
  const isKept = text.trim() === '' && source.slice(start, end).endsWith(text);
  return isKept ? { start, end: end - text.length, text: '' } : { start, end, text };
}

/**
 * Fits a replacement into a source, so that whatever isn't replaced is shown as before: the same
 * words, in the same blocks and cells, with the same marks. Marks that the range cuts keep their
 * other words; the range grows to the whole of them, so that no other replacement can be accepted
 * that changes them, too. Blocks of which nothing is left go with their markers. A replacement that
 * can stand there as it is, is left as it is.
 *
 * @param read reads sources of one language
 * @param demands what that language asks for, too
 * @returns `undefined` if the text can't stand there
 */
export function fitReplacement(
  source: string,
  given: Given,
  read: (source: string) => Reading,
  { keepsRest, written }: Demands = NO_DEMANDS,
): Replacement | undefined {
  const before = read(source);
  const { signs, leaves } = before;
  const from = signs.findIndex(({ end }) => end > given.start);
  const to = signs.findLastIndex(({ start }) => start < given.end) + 1;
  const [first, last] = [signs[from], signs[to - 1]] as [Sign, Sign];
  const isWithin =
    from >= 0 &&
    to === from + 1 &&
    isAtom(first) &&
    first.start < given.start &&
    given.end < first.end;
  // No words, only signs around them, such as an address.
  if (from < 0 || from >= to || isWithin) return written(given).find(keepsWords);
  const text = given.text.trim();
  const isWhole = begins(from) && begins(to);
  // A block with its markers is replaced by other blocks.
  const isBlocks = text !== '' && isWhole && given.start < first.start && isOfLines(source, given);
  const touched = leaves.slice(first.leaf, last.leaf + 1);
  const { fitted } = given;
  if (isBlocks && keepsOthers(given, made(given)) && keepsRest(given)) return given;
  const [head, tail] = [leaves[first.leaf], leaves[last.leaf]] as [Leaf, Leaf];
  const shown = before.shown(text);
  const notes = first.text === NOTE || last.text === NOTE || text === '' ? [] : notesIn(shown);
  const expected = fitted
    ? [wordsWith(fitted.source, fitted)]
    : shown.map((each) => each + NOTE.repeat(notes.length));
  if (fitted) return isSound(given) && keepsRest(given) ? given : undefined;
  for (const candidate of candidates()) {
    if (isSound(candidate) && keepsRest(candidate)) return withoutSpace(source, candidate);
  }
  return undefined;

  function keepsWords({ start, end, text }: Replacement): boolean {
    const after = read(source.slice(0, start) + text + source.slice(end)).signs;
    const added = after.length - signs.length;
    const at = signs.filter((sign) => sign.start < start).length;
    const words = after.slice(at, at + added).map(({ text }) => text);
    return (
      (added === 0 || before.shown(text).includes(words.join(''))) &&
      signs.every(({ text }, index) => text === after[index < at ? index : index + added]?.text)
    );
  }

  /** Returns what is shown where the text replaces a range. */
  function wordsWith(source: string, { start, end }: Range): string {
    const after = read(source.slice(0, start) + given.text + source.slice(end)).signs;
    const until = start + given.text.length;
    const within = after.filter((sign) => sign.end > start && sign.start < until);
    return textOf(within);
  }

  function* candidates(): Generator<Replacement> {
    const lines = text.split(/\s*\n\s*/);
    const isOne = touched.length === 1;
    if (!isOne && lines.length === touched.length) yield apart(lines);
    // In the source, lines can be chosen with what they begin with.
    const [, margin = '\n'] = /\n([ \t>]+)/.exec(source.slice(given.start, given.end)) ?? [];
    const [, ...others] = text.split('\n').map((line) => `${line} `);
    const isContinued =
      isOne &&
      !others.every((line) => line.startsWith(margin)) &&
      head.written('\n.', undefined)[0] !== '\n.';
    const isAcross = !isOne && touched.some(({ isCell }) => isCell);
    if (text !== '' && !isContinued && !isAcross && !cutsMarks()) yield given;
    const code = marksAround(from, to).find(({ isCode }) => isCode);
    const isAlike = !isOne && head.path === tail.path && !head.isCell && !isWhole;
    for (const written of text === '' ? [''] : head.written(text, code)) {
      const noted = written + notes.join('');
      if (isAlike) yield together(cut(from, to, noted));
      yield apart([noted]);
    }
  }

  /** Tells whether words were chosen of which only some are in a mark. */
  function cutsMarks(): boolean {
    const [marks, others] = [marksAround(from, from + 1), marksAround(to - 1, to)];
    const isSource = given.start < first.start || given.end > last.end;
    return (
      !isSource && (marks.length !== others.length || marks.some((mark, at) => mark !== others[at]))
    );
  }

  function notesIn(shown: readonly string[]): string[] {
    if (shown.some((each) => each.includes(NOTE))) return [];
    const found = signs.slice(from, to).filter((sign) => sign.text === NOTE);
    return found.map(({ start, end }) => source.slice(start, end));
  }

  /** Returns the marks that all of some signs stand in. */
  function marksAround(from: number, to: number): Mark[] {
    const [first, last] = [signs[from], signs[to - 1]];
    if (!first || !last || first.leaf !== last.leaf) return [];
    const { marks = [] } = leaves[first.leaf] ?? {};
    return marks.filter(({ from, to }) => from <= first.start && last.end <= to);
  }

  /** Tells whether a leaf begins at the index of a sign, or the text ends. */
  function begins(at: number, of = signs): boolean {
    return at === of.length || of[at - 1]?.leaf !== of[at]?.leaf;
  }

  /** Replaces the chosen words of each leaf, in order, and removes what is empty then. */
  function apart(texts: readonly string[]): Replacement {
    const emptied = new Set(
      touched.filter((leaf, at) => !texts[at] && from <= leaf.from && leaf.to <= to),
    );
    const isEmpty = (leaf: Leaf | undefined) =>
      leaf && (leaf.from === leaf.to || emptied.has(leaf));
    const removed = new Set<Container>();
    const edits = touched.flatMap((leaf, index) => {
      const container = emptied.has(leaf) ? leaf.containers.find(isEmptied) : undefined;
      if (container) removed.add(container);
      const [start, end] = [Math.max(from, leaf.from), Math.min(to, leaf.to)];
      if (container || start >= end) return [];
      return cut(start, end, texts[index] ?? '');
    });
    const groups: [Container, Container][] = [];
    for (const container of removed) {
      const group = groups.at(-1);
      if (group && group[1].last + 1 === container.first) group[1] = container;
      else groups.push([container, container]);
    }
    return together([...edits, ...groups.map(([first, last]) => first.removal(last.end))]);

    function isEmptied({ first, last }: Container): boolean {
      for (let at = first; at <= last; at++) if (!isEmpty(leaves[at])) return false;
      return true;
    }
  }

  /** Replaces some signs, from one leaf into the same or another one. */
  function cut(at: number, until: number, text: string): Replacement[] {
    const [first, last, previous, next] = [
      signs[at],
      signs[until - 1],
      signs[at - 1],
      signs[until],
    ];
    if (!first || !last) return [];
    const keepsBefore = (at: number) => previous !== undefined && previous.start >= at;
    // In the source, marks can be chosen with their words.
    const beginsIn = (mark: Mark) => at === from && mark.start >= given.start;
    const endsIn = (mark: Mark) => until === to && mark.end <= given.end;
    const [marks, others] = [marksAround(at, at + 1), marksAround(until - 1, until)];
    const starting = marks.filter((mark) => !beginsIn(mark));
    // Words that are chosen up to a later block aren't all in the marks of this one.
    const isLeft = (mark: Mark) => until !== to && keepsBefore(mark.from);
    const ending = others.filter((mark) => !endsIn(mark) && !isLeft(mark));
    let start = Math.min(first.start, ...marks.filter(beginsIn).map((mark) => mark.start));
    const ended = others.filter((mark) => !ending.includes(mark));
    let end = Math.max(last.end, ...ended.map((mark) => mark.end));
    let [opening, closing] = ['', ''];
    const edits: Replacement[] = [];
    const keepsAfter = (at: number) => next !== undefined && next.end <= at;
    const open = (mark: Mark) =>
      edits.push({ start: mark.start, end: mark.from, text: mark.opening });
    const close = (mark: Mark) => edits.push({ start: mark.to, end: mark.end, text: mark.closing });
    for (const mark of starting.toReversed()) {
      if (ending.includes(mark)) continue;
      if (!keepsBefore(mark.from)) start = mark.start;
      else {
        closing += mark.closing;
        open(mark);
      }
    }
    for (const mark of ending.toReversed()) {
      if (starting.includes(mark)) continue;
      if (!keepsAfter(mark.to)) end = mark.end;
      else {
        opening = mark.opening + opening;
        close(mark);
      }
    }
    const both = starting.filter((mark) => ending.includes(mark));
    for (let mark = both.at(-1); mark && text === ''; mark = both.at(-1)) {
      if (keepsBefore(mark.from) || keepsAfter(mark.to)) break;
      [start, end] = [mark.start, mark.end];
      both.pop();
    }
    for (const mark of both) {
      const held = mark.holding?.(text);
      if (!held) continue;
      open({ ...mark, ...held });
      close({ ...mark, ...held });
    }
    const within = both.at(-1);
    const isFirst = closing === '' && (within ? !keepsBefore(within.from) : begins(at));
    const isLast = opening === '' && (within ? !keepsAfter(within.to) : begins(until));
    const isEmpty = text === '';
    const [before] = SPACE_BEFORE.exec(
      source.slice(Math.max(previous?.end ?? 0, start - MOST_SPACE), start),
    ) as RegExpExecArray;
    const [after] = SPACE_AFTER.exec(
      source.slice(end, Math.min(next?.start ?? source.length, end + MOST_SPACE)),
    ) as RegExpExecArray;
    const takesBefore = closing !== '' || (isEmpty && !begins(at));
    const takesAfter = opening !== '' || (isEmpty && !begins(until));
    if (takesBefore) start -= before.length;
    if (takesAfter) end += after.length;
    const isGap = !(isEmpty && (isFirst || isLast));
    const isLine = isEmpty && after.includes('\n');
    const left = takesBefore && isGap && !isLine ? before : '';
    const right = takesAfter && isGap && !(isEmpty && left !== '') ? after : '';
    edits.push({ start, end, text: closing + left + text + right + opening });
    return edits;
  }

  /** Makes one replacement of several. What is removed twice is removed once. */
  function together(edits: readonly Replacement[]): Replacement {
    const ordered = edits.toSorted((one, other) => one.start - other.start);
    const start = ordered[0]?.start ?? given.start;
    let [text, end] = ['', start];
    for (const edit of ordered) {
      text += source.slice(end, edit.start) + edit.text;
      end = Math.max(end, edit.end);
    }
    return { start, end, text };
  }

  /** Returns what is shown with a replacement, and the index of the sign that follows it. */
  function made({ start, end, text }: Replacement): { after: Reading; until: number } {
    const after = read(source.slice(0, start) + text + source.slice(end));
    return { after, until: after.signs.length - (signs.length - to) };
  }

  /** Tells whether whatever isn't replaced is shown as before, in blocks of its own if it was. */
  function keepsOthers(candidate: Replacement, { after, until }: ReturnType<typeof made>): boolean {
    // Without a block between them, two parts of a text are one.
    const joins = (fitted || candidate !== given) && leaves[signs[to]?.leaf ?? 0]?.isRest === true;
    const isApart = (at: number, now: number) => joins || !begins(at) || begins(now, after.signs);
    return (
      until >= from &&
      isApart(from, from) &&
      isApart(to, until) &&
      signs.every(
        (_, at) => (at >= from && at < to) || isSame(at, at < from ? at : at - to + until, after),
      )
    );
  }

  /** Tells whether others are kept, and the text is shown where it belongs. */
  function isSound(candidate: Replacement): boolean {
    const { start, end } = candidate;
    const { after, until } = made(candidate);
    const words = after.signs.slice(from, until);
    const path = commonPath(head.path, tail.path);
    // With signs around them, words were chosen in the source: `**old` becomes `**new`.
    const isSource = !fitted && candidate === given && (start < first.start || end > last.end);
    const around = marksAround(from, to).filter(
      ({ step, ...mark }) =>
        !step.startsWith('auto:') && mark.start < given.start && mark.end > given.end,
    );
    return (
      words.every(({ leaf }) => after.leaves[leaf]?.path.startsWith(path)) &&
      words.every(({ marks }) => around.every(({ step }) => marks.includes(step))) &&
      (isSource || expected.includes(fitted ? wordsWith(source, given) : textOf(words))) &&
      keepsOthers(candidate, { after, until })
    );
  }

  /** Returns the blocks around a sign. If items are emptied, what is in them is in fewer lists. */
  function pathOf(leaves: readonly Leaf[], { leaf }: Sign): string | undefined {
    const path = leaves[leaf]?.path;
    const canEmpty = fitted || text === '' || touched.length > 1;
    return canEmpty ? path?.replaceAll(/(?:[^>]*[uo]l>[^>]*li>)+/g, 'li>') : path;
  }

  /** Tells whether a sign is shown as before. What follows the text can begin a leaf. */
  function isSame(at: number, now: number, after: Reading): boolean {
    const [old, sign] = [signs[at], after.signs[now]];
    return (
      old !== undefined &&
      old.text === sign?.text &&
      isSameMark(old.marks, sign.marks) &&
      pathOf(leaves, old) === pathOf(after.leaves, sign) &&
      (at === to || begins(at) === begins(now, after.signs))
    );
  }
}

/** Tells whether a link that comes from its words became a link with the rest of them. */
function isSameMark(before: string, after: string): boolean {
  return before === after || (before.includes('auto:') && /(?:auto|a):/.test(after));
}

function textOf(signs: readonly Sign[]): string {
  return signs.map(({ text }) => text).join('');
}

function isAtom({ text }: Sign): boolean {
  return text === ATOM || text === NOTE;
}

function commonPath(one: string, other: string): string {
  if (one === other) return one;
  const steps = one.split('>');
  const others = other.split('>');
  const differs = steps.findIndex((step, at) => step !== others[at]);
  return steps
    .slice(0, differs)
    .map((step) => `${step}>`)
    .join('');
}

/** Tells whether nothing else is in the lines of a range, except the marker of a quotation. */
function isOfLines(source: string, { start, end }: Range): boolean {
  const before = source.slice(source.slice(0, start).lastIndexOf('\n') + 1, start);
  const [after = ''] = source.slice(end).split('\n', 1);
  return /^[\s>]*$/.test(before) && after.trim() === '';
}
