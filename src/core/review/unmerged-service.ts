import { anchorAt, MAX_QUOTE } from '../../base/text/anchor.ts';
import { conflictLines } from '../../base/text/conflict-lines.ts';
import { inLineBreaksOf } from '../../base/text/line-breaks.ts';
import type { Merged } from '../../base/text/merge.ts';
import { withYours } from '../../base/text/rebase.ts';
import type { Warning } from '../../base/warnings/warnings.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import type { Call, Context } from '../context.ts';
import { discardBlobs } from '../document/blob-lifecycle.ts';
import type { DocumentRow } from '../document/document-store.ts';
import { insertEvent } from '../event/event-store.ts';
import { eventOf } from '../event/new-event.ts';
import { storePacked } from '../revision/packed-text.ts';
import { encodeText } from '../revision/text-codec.ts';
import { countOpenProposals, insertProposal, type NewProposal } from './proposal-store.ts';
import { seenByMaking } from './review.ts';
import { REVIEW_LIMITS } from './thread.ts';
import { countThreads, insertThread, type NewThread } from './thread-store.ts';

/** What a write changes in passages that somebody is typing in: it isn't written, but suggested. */
export interface Suggestions {
  /** Says so to the writer. */
  warning: Warning;
  /** Stores the suggestions with the write, which leaves the text that they were made for. */
  insert(tx: Writer, document: DocumentRow): Promise<void>;
}

/** A thread as far as it is known before the write. */
type Suggested = Pick<NewThread, 'id' | 'kind' | 'place' | 'replacement'> & {
  proposal?: Omit<NewProposal, 'threadId'>;
};

/**
 * Prepares suggestions of what couldn't be merged with a text that is being typed: one for each
 * passage, or a proposal of all if one of them is too long or was deleted, or a line of one was
 * moved, which the text would have twice.
 *
 * @param sides the current text, whose line breaks the result gets, and the writer's
 * @returns the text to write; `undefined` if the suggestions would be too large, or the document has
 *   no room for them
 */
export async function prepareSuggestions(
  call: Call,
  documentId: string,
  merged: Merged,
  sides: [current: string, yours: string],
): Promise<{ text: string; suggestions: Suggestions } | undefined> {
  const { actor } = call;
  const [current] = sides;
  const isDoubled = hasMoreThan(merged.text, sides);
  const text = isDoubled ? current : inLineBreaksOf(current, merged.text);
  const passages = isDoubled ? undefined : passagesOf(text, merged);
  const suggested = passages
    ? passages.map(({ start, end, replacement }): Suggested => {
        const place = {
          anchor: anchorAt(text, { start, end }),
          element: null,
          isUnverified: false,
        };
        return { id: call.newId(), kind: 'replacement', place, replacement };
      })
    : await proposalOf(call, text, inLineBreaksOf(current, withYours(merged).text));
  const { all, open } = await countThreads(call.sql.read, documentId);
  const room = Math.min(REVIEW_LIMITS.threads - all, REVIEW_LIMITS.openThreads - open);
  if (!suggested || suggested.length > room) return undefined;
  if (!passages && !(await hasRoomForProposal(call, documentId))) return undefined;
  const ids = suggested.map(({ id }) => id).join(', ');
  const message =
    `Somebody is typing at ${conflictLines(merged.conflicts)}, so that stays as it is. What you ` +
    `wrote there is suggested instead: ${ids}.`;
  const suggestions: Suggestions = {
    warning: { code: 'being-typed', message },
    async insert(tx, { id, ownerId, version }) {
      const at = call.now();
      const by = { accountId: actor.id, via: actor.via.means, viaName: actor.via.name };
      const seenBy = seenByMaking(actor);
      const [first] = suggested as [Suggested, ...Suggested[]];
      const setId = suggested.length > 1 ? first.id : null;
      for (const { proposal, ...thread } of suggested) {
        const about = { documentId: id, version, setId, assigneeId: null, at };
        await insertThread(tx, { ...thread, ...by, ...about, seenBy });
        if (proposal) await insertProposal(tx, { ...proposal, threadId: thread.id });
      }
      const told = { documentId: id, ownerId, threadId: first.id, version, at };
      await insertEvent(tx, eventOf(call, { ...told, type: 'thread.opened' }));
    },
  };
  return { text, suggestions };
}

/** Tells whether a text has a line more often than each of two others. */
function hasMoreThan(text: string, others: readonly string[]): boolean {
  const [counts, ...most] = [text, ...others].map((each) =>
    Map.groupBy(each.split(/\r?\n/), (line) => line.trim()),
  ) as [Map<string, string[]>, ...Map<string, string[]>[]];
  return [...counts].some(
    ([line, all]) =>
      line !== '' && most.every((each) => (each.get(line)?.length ?? 0) < all.length),
  );
}

async function hasRoomForProposal({ sql }: Context, documentId: string): Promise<boolean> {
  return (await countOpenProposals(sql.read, documentId)) < REVIEW_LIMITS.openProposals;
}

/** Returns where the conflicts are, and what to put there; `undefined` if one is no passage. */
function passagesOf(text: string, { conflicts }: Merged) {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const passages = conflicts.map(({ line, current, yours }) => {
    const start = starts[line - 1] ?? text.length;
    const next = starts[line - 1 + current.length];
    const end = next === undefined ? text.length : next - (text[next - 2] === '\r' ? 2 : 1);
    return { start, end: Math.max(start, end), replacement: yours.join(lineBreak) };
  });
  const isPassage = ({ start, end, replacement }: (typeof passages)[number]) =>
    text.slice(start, end).trim() !== '' &&
    end - start <= MAX_QUOTE &&
    Buffer.byteLength(replacement) <= REVIEW_LIMITS.replacementBytes;
  return passages.every(isPassage) ? passages : undefined;
}

/** @returns `undefined` if the text is too large for a row */
async function proposalOf(
  call: Call,
  text: string,
  proposed: string,
): Promise<Suggested[] | undefined> {
  const bytes = Buffer.from(proposed);
  const encoded = { bytes: await encodeText(bytes), dictVersion: null };
  const { storedBytes, storagePath, body } = await storePacked(call, encoded);
  if (storagePath !== null) {
    await discardBlobs(call, [storagePath]);
    return undefined;
  }
  const options = { names: ['before', 'after'] as [string, string], maxLength: 1 };
  const { added, removed } = await call.texts.run(call.actor.id, 'diff', [text, proposed, options]);
  const proposal = { sizeBytes: bytes.length, storedBytes, storagePath, body, added, removed };
  return [{ id: call.newId(), kind: 'proposal', place: null, replacement: null, proposal }];
}
