import { aboutDocument, audit } from '../../core/audit/audit.ts';
import type { Call, Context } from '../../core/context.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import { loadContent } from '../../core/document/content.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { type DocumentRow, findStoredContent } from '../../core/document/document-store.ts';
import { carryThreads, requirePlaced } from '../../core/review/anchor-service.ts';
import { loadProposedText } from '../../core/review/proposal-text.ts';
import { THREAD_STATES } from '../../core/review/thread.ts';
import { listBehind } from '../../core/review/thread-store.ts';
import { loadRevisionText } from '../../core/revision/revision-text.ts';
import { findText, listAllTexts } from '../../core/revision/revision-text-store.ts';
import {
  type Candidate,
  listCommentTexts,
  listMessages,
  listProposalIds,
  listReplacements,
  listReviewTexts,
} from './erasure-store.ts';
import { removeText } from './text-clean-up-service.ts';

/** How much text one task compares, in UTF-16 code units. */
const MAX_TASK = 2_000_000;

/** How many suggestions are read at once. */
const PART = 50;

/** The most texts of each kind that are searched for repeated words, except suggestions. */
const MAX_SEARCHED = 2_000;

/** The most other revisions that are searched: those nearest to the erased one. */
const MAX_REVISIONS = 100;

/**
 * What repeats words of a replaced text that aren't in the current text: words with at least four
 * characters or a digit.
 */
export interface Repetitions {
  /** The suggestions and proposals that are erased with it, by id. */
  suggestions: string[];
  /** Threads with comments that repeat them. These and the following aren't erased. */
  threads: string[];
  /** The number of reviews and of requests for reviews. */
  reviews: number;
  /** The revisions whose messages repeat them, newest first. */
  messages: number[];
  /** The last revision of each other text that has some of them, oldest first. */
  revisions: number[];
}

const NOTHING: Repetitions = {
  suggestions: [],
  threads: [],
  reviews: 0,
  messages: [],
  revisions: [],
};

/**
 * Finds what repeats the words of a revision's text and no longer of the current one: all
 * suggestions, the latest comments, reviews and messages, and the nearest revisions.
 *
 * @returns nothing for a text that is current or gone
 * @throws NOT_FOUND; FORBIDDEN unless the actor is an admin
 */
export async function findRepetitions(
  call: Call,
  ref: DocumentRef,
  number: number,
): Promise<Repetitions> {
  const { read } = call.sql;
  const { document } = await requireDocument(read, call.actor, ref, 'eraseRevision');
  return searchRepetitions(call, document, number);
}

async function searchRepetitions(
  call: Call,
  { id }: DocumentRow,
  number: number,
): Promise<Repetitions> {
  const { read } = call.sql;
  const row = await findText(read, id, number);
  const erased = row && (await loadRevisionText(call, id, number));
  const stored = await findStoredContent(read, id);
  const current = stored && (await loadContent(call, stored));
  if (!row || erased === undefined || current === undefined) return NOTHING;

  const compared = [erased, current] as const;
  async function repeating<Key>(candidates: AsyncIterable<Candidate<Key>>): Promise<Set<Key>> {
    const found = new Set<Key>();
    for await (const batch of inBatches(candidates)) {
      const texts = batch.map(({ text }) => text);
      const isRepeating = await call.texts.run(call.actor.id, 'repeated', [...compared, texts]);
      for (const [index, { key }] of batch.entries()) if (isRepeating[index]) found.add(key);
    }
    return found;
  }

  const comments = await listCommentTexts(read, id, MAX_SEARCHED);
  const reviews = await listReviewTexts(read, id, MAX_SEARCHED);
  const messages = await listMessages(read, id, MAX_SEARCHED);
  return {
    suggestions: [...(await repeating(suggestedTexts(call, id)))],
    threads: [...(await repeating(each(comments)))],
    reviews: (await repeating(each(reviews))).size,
    messages: [...(await repeating(each(messages)))],
    revisions: [...(await repeating(otherTexts(call, id, row.lastVersion)))].toSorted(
      (one, other) => one - other,
    ),
  };
}

/**
 * Erases a replaced text for good, with the suggestions that repeat its words.
 *
 * @param lastVersion the last version with this text
 * @returns what repeats its words
 * @throws errors of {@link requirePlaced}
 */
export async function eraseWithRepetitions(
  call: Call,
  document: DocumentRow,
  lastVersion: number,
): Promise<Repetitions> {
  // Carry the threads first: a passage that is still in the current text is then quoted from that
  // text, and its quote isn't erased.
  const behind = await listBehind(call.sql.read, document.id, THREAD_STATES, document.version);
  requirePlaced(await carryThreads(call, document, behind), 'Nothing was erased.');
  const repetitions = await searchRepetitions(call, document, lastVersion);
  await removeText(call, document.id, lastVersion, {
    evenPinned: true,
    suggestions: { ids: repetitions.suggestions, at: call.now(), version: document.version },
    async alongside(tx) {
      const about = { ...aboutDocument(document), detail: { revision: lastVersion } };
      await audit(call, tx, { action: 'document.text_erased', actor: call.actor, ...about });
    },
  });
  return repetitions;
}

/** Reads all suggested replacements and proposed texts. */
async function* suggestedTexts(
  context: Context,
  documentId: string,
): AsyncGenerator<Candidate<string>> {
  const { read } = context.sql;
  for (let after = ''; ; ) {
    const part = await listReplacements(read, documentId, { after, limit: PART });
    yield* part;
    const last = part.at(-1);
    if (!last || part.length < PART) break;
    after = last.key;
  }
  // One by one, because each is as long as a document.
  for (const key of await listProposalIds(read, documentId)) {
    const text = await loadProposedText(context, key);
    if (text !== undefined) yield { key, text };
  }
}

/** Reads the replaced texts nearest to one, without it. */
async function* otherTexts(
  context: Context,
  documentId: string,
  lastVersion: number,
): AsyncGenerator<Candidate<number>> {
  const texts = await listAllTexts(context.sql.read, documentId);
  const others = texts
    .filter((text) => text.coding !== 'gone' && text.lastVersion !== lastVersion)
    .map((text) => text.lastVersion)
    .sort((one, other) => Math.abs(one - lastVersion) - Math.abs(other - lastVersion));
  for (const key of others.slice(0, MAX_REVISIONS)) {
    const text = await loadRevisionText(context, documentId, key);
    if (text !== undefined) yield { key, text };
  }
}

async function* each<Key>(candidates: readonly Candidate<Key>[]): AsyncGenerator<Candidate<Key>> {
  yield* candidates;
}

async function* inBatches<Key>(
  candidates: AsyncIterable<Candidate<Key>>,
): AsyncGenerator<Candidate<Key>[]> {
  let batch: Candidate<Key>[] = [];
  let length = 0;
  for await (const candidate of candidates) {
    batch.push(candidate);
    length += candidate.text.length;
    if (length < MAX_TASK) continue;
    yield batch;
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
