import { ServiceError } from '../../base/errors.ts';
import type { Context } from '../../core/context.ts';
import { discardBlobs } from '../../core/document/blob-lifecycle.ts';
import { findDocumentById } from '../../core/document/document-store.ts';
import { lockLive } from '../../core/live/live-store.ts';
import { saveTyped } from '../../core/live/typed-service.ts';
import { restrictsSharing } from '../../core/owner/policy-service.ts';
import { holdDocument } from '../../core/quota/usage-store.ts';
import { deleteProposalsTo } from '../../core/review/proposal-store.ts';
import { eraseQuotes, listQuotedVersions } from '../../core/review/thread-place-store.ts';
import { type EncodedText, storePacked } from '../../core/revision/packed-text.ts';
import {
  countStoredBytes,
  listDependents,
  replaceText,
} from '../../core/revision/packing-store.ts';
import { listPinned, unpinText } from '../../core/revision/revision-store.ts';
import { decodeRow } from '../../core/revision/revision-text.ts';
import {
  eraseText,
  findText,
  findTextBefore,
  listAllTexts,
  lockText,
  type RevisionTextRow,
} from '../../core/revision/revision-text-store.ts';
import { encodeText } from '../../core/revision/text-codec.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { eraseSentChanges, eraseSuggestions } from './erasure-store.ts';

/** The share of the limit to shrink to, so that the next few writes need no deletions. */
const SHARE_KEPT = 0.9;

/** How often a removal is tried, because the packer can change the same texts meanwhile. */
const ATTEMPTS = 5;

/**
 * Deletes a document's oldest replaced texts if its packed texts exceed the limit, until there is
 * some room again. Texts stay if they are pinned, or if open threads quote or propose to change
 * them; and where an organization leaves it to its admins to delete anything for good, because whoever
 * writes could delete them by writing.
 */
export async function removeOldTexts(context: Context, documentId: string): Promise<void> {
  const { read } = context.sql;
  const limit = context.revisionBytesPerDocument;
  if ((await countStoredBytes(read, documentId)) <= limit) return;
  const document = await findDocumentById(read, documentId, '');
  if (!document || (await restrictsSharing(read, document.ownerId))) return;
  const pinned = [
    ...(await listPinned(read, documentId)),
    ...(await listQuotedVersions(read, documentId)),
  ];
  const texts = await listAllTexts(read, documentId);
  for (const [index, { coding, lastVersion }] of texts.entries()) {
    if ((await countStoredBytes(read, documentId)) <= limit * SHARE_KEPT) return;
    const firstVersion = (texts[index - 1]?.lastVersion ?? 0) + 1;
    const isPinned = pinned.some((version) => version >= firstVersion && version <= lastVersion);
    if (coding === 'gone' || isPinned) continue;
    await removeText(context, documentId, lastVersion, { evenPinned: false, suggestions: null });
  }
}

/**
 * Deletes a replaced text for good, and unpins the revisions that have it. Also deletes threads'
 * quotes of the text and the texts of proposals to change it. Texts that are stored as differences
 * from it are first stored again, as differences from the oldest of them. Words that were typed since
 * that text become a revision first, because without it they would be lost.
 *
 * @throws UNAVAILABLE if the text is still needed for such words, or others store it again and again
 * @param lastVersion the last version with this text
 * @param options.evenPinned whether to remove the text of a pinned revision; if not, it stays
 * @param options.suggestions the threads whose suggested texts are erased with it, and when. Then
 *   open suggestions without a text are rejected; `null` if the text is removed to save space
 * @param options.alongside runs in the transaction
 */
export async function removeText(
  context: Context,
  documentId: string,
  lastVersion: number,
  options: Removal,
): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await saveTyped(context, documentId);
    if (await tryToRemove(context, documentId, lastVersion, options)) return;
  }
  throw new ServiceError(
    'UNAVAILABLE',
    `The text up to version ${lastVersion} is needed for words that are being saved. Try again.`,
  );
}

interface Removal {
  evenPinned: boolean;
  suggestions: { ids: readonly string[]; at: string; version: number } | null;
  /** Runs in the transaction that removes it. */
  alongside?: (tx: Writer) => Promise<void>;
}

/** @returns `false` if the texts were stored differently meanwhile; then nothing has changed */
async function tryToRemove(
  context: Context,
  documentId: string,
  lastVersion: number,
  { evenPinned, suggestions, alongside }: Removal,
): Promise<boolean> {
  const row = await findText(context.sql.read, documentId, lastVersion);
  if (row?.lastVersion !== lastVersion || row.coding === 'gone') return true;
  const dependents = await listDependents(context.sql.read, documentId, lastVersion);
  const encoded = await encodeAnew(context, documentId, dependents);
  if (!encoded) return false;
  const packed = await Promise.all(encoded.map((text) => storePacked(context, text)));
  let proposals: string[] = [];
  const outcome = await context.sql
    .transaction(async (tx) => {
      const live = await lockLive(tx, documentId);
      const isNeeded = live && live.textNumber < live.lastNumber && live.textVersion <= lastVersion;
      if (isNeeded) throw new Moved();
      await holdDocument(tx, documentId);
      if ((await lockText(tx, documentId, lastVersion)) !== row.coding) throw new Moved();
      const now = await listDependents(tx, documentId, lastVersion);
      if (now.length !== dependents.length) throw new Moved();
      for (const [index, dependent] of dependents.entries()) {
        const text = packed[index];
        if (!text || !(await replaceText(tx, documentId, dependent, text))) throw new Moved();
      }
      const from = (await findTextBefore(tx, documentId, lastVersion)) + 1;
      await eraseQuotes(tx, documentId, { from, to: lastVersion });
      proposals = await deleteProposalsTo(tx, documentId, { from, to: lastVersion });
      if (suggestions) {
        const { ids, at, version } = suggestions;
        proposals.push(...(await eraseSuggestions(tx, documentId, ids, { at, version })));
        await eraseSentChanges(tx, documentId);
      }
      await eraseText(tx, documentId, lastVersion);
      const unpinned = await unpinText(tx, documentId, lastVersion);
      if (unpinned > 0 && !evenPinned) throw new PinnedMeanwhile();
      await alongside?.(tx);
      return 'removed';
    })
    .catch((error) => {
      if (error instanceof Moved) return 'moved';
      if (error instanceof PinnedMeanwhile) return 'pinned';
      throw error;
    });
  const unused = outcome === 'removed' ? [row, ...dependents] : packed;
  await discardBlobs(
    context,
    unused.map(({ storagePath }) => storagePath),
  );
  if (outcome === 'removed') await discardBlobs(context, proposals);
  return outcome !== 'moved';
}

/** Aborts a transaction because a text has been stored differently, or is needed. */
class Moved extends Error {}

/** Aborts a transaction because a revision has been pinned. */
class PinnedMeanwhile extends Error {}

/**
 * Encodes texts again, with the oldest one as the keyframe of the others; `undefined` if one has
 * been stored differently.
 */
async function encodeAnew(
  context: Context,
  documentId: string,
  texts: readonly RevisionTextRow[],
): Promise<EncodedText[] | undefined> {
  const encoded: EncodedText[] = [];
  let keyframe: { version: number; text: Buffer } | undefined;
  for (const { lastVersion } of texts) {
    const row = await findText(context.sql.read, documentId, lastVersion);
    const text = row?.lastVersion === lastVersion && (await decodeRow(context, documentId, row));
    if (!text) return undefined;
    encoded.push({
      bytes: await encodeText(text, keyframe?.text),
      dictVersion: keyframe?.version ?? null,
    });
    keyframe ??= { version: lastVersion, text };
  }
  return encoded;
}
