import { FieldError } from '../../base/errors.ts';
import { replaceAlike } from '../../base/text/alike.ts';
import { type Anchor, anchorAt, CONTEXT, MAX_QUOTE } from '../../base/text/anchor.ts';
import type { Candidate } from '../../base/text/closest.ts';
import { withLineFeeds } from '../../base/text/line-breaks.ts';
import type { Range } from '../../base/text/port.ts';
import { isFound, type QuoteSearch, searchQuote } from '../../base/text/quote-search.ts';
import type { Given, Replacement } from '../../base/text/replacement.ts';
import { findHeading, type OutlineEntry } from '../../base/text/sections.ts';
import type { Call } from '../../core/context.ts';
import type { WholeDocument } from '../../core/document/document-service.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import type { ThreadRow } from '../../core/review/thread-store.ts';
import { findReadableText } from '../../core/revision/readable-text-service.ts';
import { loadRevisionText } from '../../core/revision/revision-text.ts';
import { findText, lockText } from '../../core/revision/revision-text-store.ts';
import type { Writer } from '../../storage/sql/sql.ts';

/** What a thread is about: a passage, a section or an element of a revision's text. */
export interface Place {
  quote?: string | undefined;
  /** The text before and after the quote, needed if the quote occurs more than once. */
  prefix?: string | undefined;
  suffix?: string | undefined;
  /** The `data-line` of the element that a selection in a rendered brief begins in. */
  line?: number | undefined;
  /** The heading of a section, as in edits. */
  section?: string | undefined;
  /**
   * An element of a page ({@link ElementPath}). With a quote, the quote is searched there first.
   */
  element?: string | undefined;
  /** Whether the quote or element can be one that only a script of the page shows. */
  unverified?: boolean | undefined;
  /** The revision that the quote was read in. Default: the current one. */
  revision?: number | undefined;
}

/** A passage of a version's text. */
export interface Placed {
  version: number;
  anchor: Anchor;
  /**
   * `false` if the anchor covers only the beginning of a long passage, or only a section's heading.
   */
  isWhole: boolean;
  /** The element, if one was chosen. */
  element: string | null;
  /** Whether the text doesn't contain the quote, so it can't be followed. */
  isUnverified: boolean;
}

/**
 * Finds what a thread is about in a revision's text. Searches for a quote in the source, then in
 * the visible text. Searches for a selection in a brief (`line`) in the visible text first, and for
 * a quote in an element only there.
 *
 * @throws UNPROCESSABLE unless the place occurs exactly once, or its surroundings decide, and for a
 *   text that is gone or that the actor can't read; BAD_REQUEST for a revision that doesn't exist,
 *   an empty or too long quote, or a place that this kind of document doesn't have
 */
export async function findPlace(call: Call, document: DocumentRow, place: Place): Promise<Placed> {
  const { version } = document;
  const { revision = version } = place;
  requireOneOf(document, place);
  if (revision > version) {
    throw new FieldError('BAD_REQUEST', 'on.revision', `there is no revision ${revision} yet.`);
  }
  const text = await findReadableText(call, document, revision);
  if (text === undefined) throw unreadable(revision);
  const { quote, section, element } = place;
  const placed = (range: Range, more: Partial<Placed> = {}): Placed => {
    const anchor = anchorAt(text, range);
    const isWhole = anchor.end === range.end;
    return { version: revision, anchor, isWhole, element: null, isUnverified: false, ...more };
  };
  if (section !== undefined) {
    const ofPage =
      document.kind === 'page'
        ? await call.texts.run(call.actor.id, 'outline', [text, document.kind])
        : undefined;
    return placed(headingOf(text, section, ofPage), { isWhole: false });
  }
  if (quote === undefined && element !== undefined) {
    const found = await findElement(call, text, { ...place, element }, revision);
    return placed(found, { element: found.element });
  }
  const found = await searchFor(call, document, text, place);
  if (isFound(found)) return placed(found);
  if (found.count === 0 && !place.unverified) {
    const candidates = await call.texts.run(call.actor.id, 'closest', [text, quote ?? '']);
    throw new QuoteNotFound(revision, candidates);
  }
  if (found.count > 0) {
    throw new FieldError('UNPROCESSABLE', 'on.quote', notOnce(found.count, revision));
  }
  const { prefix = '', suffix = '' } = place;
  const around = { prefix: prefix.slice(-CONTEXT), suffix: suffix.slice(0, CONTEXT) };
  const anchor: Anchor = { quote: quote ?? '', ...around, start: 0, end: 0, state: 'gone' };
  return placed({ start: 0, end: 0 }, { anchor, isUnverified: true });
}

/** A quote that isn't in the text. The message names the most similar passages. */
export class QuoteNotFound extends FieldError {
  readonly candidates: readonly Candidate[];
  /** What is wrong, without the similar passages. */
  readonly fault: string;

  constructor(revision: number, candidates: readonly Candidate[]) {
    const fault = `this quote is not in revision ${revision}. Copy it exactly from the text.`;
    const places = candidates.map(({ line, text }) => `line ${line}: ${JSON.stringify(text)}`);
    const closest = places.length > 0 ? ` Closest are ${places.join('; ')}.` : '';
    super('UNPROCESSABLE', 'on.quote', fault + closest);
    this.candidates = candidates;
    this.fault = fault;
  }
}

/** @throws BAD_REQUEST unless `place` names one place that this kind of document has */
function requireOneOf({ kind }: DocumentRow, place: Place): void {
  const { quote, section, element, unverified } = place;
  const refuse = (field: string, problem: string) => {
    throw new FieldError('BAD_REQUEST', field, problem);
  };
  if (section !== undefined && (quote ?? element) !== undefined) {
    refuse('on.section', 'can’t be combined with a quote or an element.');
  }
  if (element !== undefined && kind === 'brief') {
    refuse('on.element', 'only pages have elements. Use quote or section.');
  }
  if (unverified && kind === 'brief') refuse('on.unverified', 'is for pages only.');
  if (quote === undefined && section === undefined && element === undefined) {
    refuse('on', 'needs a quote, a section or an element.');
  }
  if (quote !== undefined) requireQuote(quote);
}

/**
 * Returns the range of a heading's text in the source. @throws UNPROCESSABLE with the headings,
 * unless exactly one matches
 */
function headingOf(text: string, section: string, ofPage?: OutlineEntry[]): Range {
  const found = findHeading(text, section, ofPage);
  if ('start' in found) return found;
  const names = found.candidates.map(({ line, text }) => `“${line}: ${text}”`).join(', ');
  const problem = found.problem === 'none' ? 'no section' : 'several sections';
  const has = names === '' ? 'There are no headings.' : `Choose one of ${names}.`;
  throw new FieldError('UNPROCESSABLE', 'on.section', `${problem} with this heading. ${has}`);
}

async function findElement(
  { texts, actor }: Call,
  text: string,
  { element, unverified = false }: Place & { element: string },
  revision: number,
): Promise<Range & { element: string }> {
  const found = await texts.run(actor.id, 'pageElement', [text, element, unverified]);
  if (found) return found;
  const problem = `revision ${revision} has no such element. Use a path such as div:2/p:1, or #id.`;
  throw new FieldError('UNPROCESSABLE', 'on.element', problem);
}

/** A passage, and the text to write there. */
export interface PlacedReplacement extends Placed {
  replacement: string;
}

/**
 * Finds the passage that a text is to replace, and fits both into the source, so that what isn't
 * replaced is shown as before. What is stored is what accepting writes.
 *
 * @param suggested.field what to name if the passage and its replacement are the same, or don't fit
 * @throws errors of {@link findPlace}; UNPROCESSABLE unless the passage can be replaced as a whole,
 *   both differ, and the text can stand there
 */
export async function findReplaceable(
  call: Call,
  document: DocumentRow,
  suggested: { on: Place; replacement: string; field: 'replacement' | 'on.quote' },
): Promise<PlacedReplacement> {
  const { on, replacement, field } = suggested;
  const placed = await findPlace(call, document, on);
  requireReplaceable(placed, on, replacement, field);
  const { version, anchor } = placed;
  const text = await findReadableText(call, document, version);
  if (text === undefined) throw unreadable(version);
  const { start, end, quote } = anchor;
  const given = { start, end, text: replaceAlike(quote, on.quote ?? quote, replacement) };
  const fitted = await fitIn(call, document, text, given);
  if (!fitted) {
    const problem =
      'in place of this passage, this text would change how the text around it is shown. Quote ' +
      'whole blocks as the source has them, or edit the text.';
    throw new FieldError('UNPROCESSABLE', field, problem);
  }
  const grown = anchorAt(text, fitted);
  const whole = { ...placed, anchor: grown, isWhole: grown.end === fitted.end };
  requireReplaceable(whole, on, fitted.text, field);
  return { ...whole, replacement: fitted.text };
}

function fitIn(
  call: Call,
  { kind }: DocumentRow,
  text: string,
  given: Given,
): Promise<Replacement | undefined> {
  return kind === 'brief'
    ? call.markdown.fitReplacement(call.actor.id, text, given)
    : call.texts.run(call.actor.id, 'fitted', [text, given]);
}

/** What a text is written with, to stand where it does. */
const WRITING = /[\\> \t\r]/g;

/** What has no words: tags, and what an item begins with. */
const WORDLESS = /<[^<>\n]*>|^[ \t>]*\d{1,9}[.)]|\[[ xX]\]/g;

/**
 * Fits the text of a suggestion into the current text, where its passage can stand in another block
 * than when it was made.
 *
 * @param accepted.text the current text, with what is accepted together with it in later places
 * @param accepted.least where what is accepted with it in earlier places ends
 * @returns what to write. The text differs only in escapes and indentation from the suggested one.
 *   If nothing is left in its block, the passage is the block. `undefined` if it can't stand there
 */
export async function refit(
  call: Call,
  current: WholeDocument,
  thread: ThreadRow,
  { text, least }: { text: string; least: number },
): Promise<Replacement | undefined> {
  const { document } = current;
  const { atStart, atEnd, madeStart, madeEnd, replacement } = thread;
  const given = { start: atStart ?? 0, end: atEnd ?? 0, text: replacement ?? '' };
  if (given.text === '' && !hasWords(text, given)) {
    const emptied = await fitIn(call, document, text, given);
    if (emptied?.text === '' && emptied.start >= least) return emptied;
  }
  const made = await loadRevisionText(call, document.id, thread.madeVersion);
  if (made === undefined || made === current.text) return given;
  const fitted = { source: made, start: madeStart ?? 0, end: madeEnd ?? 0 };
  if (await fitIn(call, document, current.text, { ...given, fitted })) return given;
  const again = await fitIn(call, document, current.text, given);
  const isSame =
    again?.start === given.start &&
    again.end === given.end &&
    again.text.replaceAll(WRITING, '') === given.text.replaceAll(WRITING, '');
  return isSame ? again : undefined;
}

/** Tells whether there are words beside a passage, in its line. */
function hasWords(text: string, { start, end }: Range): boolean {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const [after] = text.slice(end).split('\n', 1);
  return /[\p{L}\p{N}]/u.test(`${before}${after}`.replaceAll(WORDLESS, ''));
}

/**
 * Requires that a replacement changes the whole passage: that the anchor covers it, so that nothing
 * of it would stay, and that the two differ.
 *
 * @param suggested.field what to name if they don't
 * @throws UNPROCESSABLE
 */
function requireReplaceable(
  { isWhole, isUnverified, anchor }: Placed,
  { section }: Place,
  replacement: string,
  field: 'replacement' | 'on.quote',
): void {
  if (isUnverified) {
    const problem = 'only a script of the page shows this passage, so it can’t be replaced.';
    throw new FieldError('UNPROCESSABLE', 'on.quote', problem);
  }
  if (section !== undefined) {
    const problem = 'can’t be replaced. Quote the passage to replace.';
    throw new FieldError('UNPROCESSABLE', 'on.section', problem);
  }
  if (withLineFeeds(anchor.quote) === withLineFeeds(replacement)) {
    throw new FieldError('UNPROCESSABLE', field, 'the passage and its replacement are the same.');
  }
  if (isWhole) return;
  const problem = `the passage has more than ${MAX_QUOTE.toLocaleString('en')} characters in the source. Quote less.`;
  throw new FieldError('UNPROCESSABLE', 'on.quote', problem);
}

/**
 * Requires that a text is still stored, and prevents its erasure until the transaction ends.
 * Otherwise a quote could survive the erasure.
 *
 * @throws UNPROCESSABLE
 */
export async function requireStillStored(
  tx: Writer,
  documentId: string,
  version: number,
): Promise<void> {
  const replaced = await findText(tx, documentId, version);
  if (!replaced) return;
  const coding = await lockText(tx, documentId, replaced.lastVersion);
  if (coding === 'gone') throw unreadable(version);
}

function unreadable(revision: number): FieldError {
  const problem = `the text of revision ${revision} is no longer stored, or only the owner, collaborators and members can read it.`;
  return new FieldError('UNPROCESSABLE', 'on.revision', problem);
}

/** Searches the source, which agents quote, and the visible text, which people quote. */
async function searchFor(
  call: Call,
  { kind }: DocumentRow,
  text: string,
  { quote = '', prefix = '', suffix = '', line, element }: Place,
): Promise<QuoteSearch> {
  const { actor } = call;
  const input = { quote, prefix, suffix };
  if (kind === 'brief') {
    const selected = line === undefined ? input : { ...input, line };
    return call.markdown.findQuote(actor.id, text, selected);
  }
  if (element !== undefined) {
    return call.texts.run(actor.id, 'pageQuote', [text, { ...input, element }]);
  }
  const found = searchQuote(text, input);
  if (isFound(found) || found.count > 0) return found;
  const visible = await call.texts.run(actor.id, 'pageQuote', [text, input]);
  if (isFound(visible) || visible.count > 0) return visible;
  return (await call.texts.run(actor.id, 'alike', [text, quote])) ?? visible;
}

const MAX_COUNTED = 100;

function notOnce(count: number, revision: number): string {
  const times = count > MAX_COUNTED ? `more than ${MAX_COUNTED}` : `${count}`;
  return `this quote occurs ${times} times in revision ${revision}. Quote more, or give prefix and suffix.`;
}

/** @throws BAD_REQUEST if the quote is empty or too long to store */
function requireQuote(quote: string): void {
  if (quote.trim() === '') throw new FieldError('BAD_REQUEST', 'on.quote', 'must not be empty.');
  if (quote.length <= REVIEW_LIMITS.quote) return;
  throw new FieldError(
    'BAD_REQUEST',
    'on.quote',
    `is ${quote.length} characters long. The limit is ${REVIEW_LIMITS.quote}.`,
  );
}
