import type { Actor, Context } from '../../context.ts';
import { FieldError } from '../../errors.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { type Anchor, anchorAt, MAX_QUOTE } from '../../text/anchor.ts';
import { isFound, type QuoteSearch, searchQuote } from '../../text/quote-search.ts';
import type { DocumentRow } from '../document-store.ts';
import type { Kind } from '../kind.ts';
import { findReadableText } from '../revision/readable-text-service.ts';
import { findText, lockText } from '../revision/revision-text-store.ts';
import { REVIEW_LIMITS } from './thread.ts';

/** What a thread is about: a passage of a revision's text. Without a quote, the whole document. */
export interface Place {
  quote: string;
  /** What stands before and after it, where the quote occurs more than once. */
  prefix?: string | undefined;
  suffix?: string | undefined;
  /** If it was selected in a rendered brief: the `data-line` of the element that it begins in. */
  line?: number | undefined;
  /** The revision that the quote was read in; by default the current one. */
  revision?: number | undefined;
}

/** A passage of a version's text. */
export interface Placed {
  version: number;
  anchor: Anchor;
  /** Whether the anchor has all of the passage; the source of a long one is cut. */
  isWhole: boolean;
}

/**
 * Finds a quote in the text of a revision, or else in what a reader sees of it.
 *
 * @throws UNPROCESSABLE unless it occurs exactly once, or its surroundings decide; BAD_REQUEST for a
 *   revision that doesn't exist
 */
export async function findPlace(
  context: Context,
  actor: Actor,
  document: DocumentRow,
  place: Place,
): Promise<Placed> {
  const { kind, version } = document;
  const { quote, revision = version } = place;
  if (revision > version) {
    throw new FieldError('BAD_REQUEST', 'on.revision', `there is no revision ${revision} yet.`);
  }
  const text = await findReadableText(context, document, revision);
  if (text === undefined) throw unreadable(revision);
  if (quote.trim() === '') throw new FieldError('BAD_REQUEST', 'on.quote', 'must not be empty.');
  requireQuote(quote);
  const found = await search(context, actor, kind, text, place);
  if (isFound(found)) {
    const anchor = anchorAt(text, found);
    return { version: revision, anchor, isWhole: anchor.end === found.end };
  }
  throw new FieldError('UNPROCESSABLE', 'on.quote', notOnce(found.count, revision));
}

/** Requires that a passage can be replaced: of a cut one, the rest would stay. @throws UNPROCESSABLE */
export function requireWhole({ isWhole }: Placed): void {
  if (isWhole) return;
  const problem = `the passage has more than ${MAX_QUOTE.toLocaleString('en')} characters in the source. Quote less.`;
  throw new FieldError('UNPROCESSABLE', 'on.quote', problem);
}

/**
 * Requires that a text is still stored, and prevents its erasure until the transaction ends: a quote that is
 * stored after it would survive it.
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
  const problem = `the text of revision ${revision} is no longer stored, or only insiders can read it.`;
  return new FieldError('UNPROCESSABLE', 'on.revision', problem);
}

/** Agents quote the source, people what they see. */
async function search(
  context: Context,
  actor: Actor,
  kind: Kind,
  text: string,
  { quote, prefix = '', suffix = '', line }: Place,
): Promise<QuoteSearch> {
  const input = { quote, prefix, suffix };
  if (kind === 'brief') {
    const selected = line === undefined ? input : { ...input, line };
    return context.markdown.findQuote(actor.id, text, selected);
  }
  const found = searchQuote(text, input);
  if (isFound(found) || found.count > 0) return found;
  return context.texts.run(actor.id, 'pageQuote', [text, input]);
}

const MAX_COUNTED = 100;

function notOnce(count: number, revision: number): string {
  if (count === 0) return `these words are not in revision ${revision}. Quote them exactly.`;
  const times = count > MAX_COUNTED ? `more than ${MAX_COUNTED}` : `${count}`;
  return `these words occur ${times} times in revision ${revision}. Quote more, or give prefix and suffix.`;
}

/** @throws BAD_REQUEST if it is longer than a thread keeps */
function requireQuote(quote: string): void {
  if (quote.length <= REVIEW_LIMITS.quote) return;
  throw new FieldError(
    'BAD_REQUEST',
    'on.quote',
    `is ${quote.length} characters long. The limit is ${REVIEW_LIMITS.quote}.`,
  );
}
