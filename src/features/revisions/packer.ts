import { BackEndUnavailable } from '../../base/errors.ts';
import {
  type BackgroundLoop,
  type LoopState,
  startLoop,
} from '../../base/threads/background-loop.ts';
import type { Context } from '../../core/context.ts';
import { discardBlobs } from '../../core/document/blob-lifecycle.ts';
import { holdDocument } from '../../core/quota/usage-store.ts';
import { type EncodedText, storePacked } from '../../core/revision/packed-text.ts';
import {
  findKeyframe,
  type Keyframe,
  listRaw,
  type RawText,
  replaceText,
} from '../../core/revision/packing-store.ts';
import { decodeRow } from '../../core/revision/revision-text.ts';
import { findText, lockText } from '../../core/revision/revision-text-store.ts';
import { encodeText, isNewKeyframe, MAX_DEPENDENTS } from '../../core/revision/text-codec.ts';
import { removeOldTexts } from './text-clean-up-service.ts';

/** How often the packer looks for texts, including those of other processes. */
const EVERY_MS = 5_000;

/** How long the packer waits while a back end is down. */
const WHILE_AWAY_MS = 30_000;

/** How many times as long as it worked the packer rests, because requests come first. */
const REST_PER_WORK = 2;

/**
 * Packs replaced texts in the background.
 *
 * @param onFailure called on failures; the packer retries after a while
 */
export function startPacker(context: Context, onFailure: (error: unknown) => void): BackgroundLoop {
  let after: RawText | undefined;

  async function step({ isStopping }: LoopState): Promise<number | undefined> {
    const start = performance.now();
    after = await packWaiting(context, { isStopping, onFailure }, after);
    return after && (performance.now() - start) * REST_PER_WORK;
  }

  return startLoop({ step, everyMs: EVERY_MS, whileAwayMs: WHILE_AWAY_MS, onFailure });
}

/** How many texts are looked up at a time. */
const BATCH = 32;

/** Sorts before all texts. */
const START: RawText = { documentId: '', lastVersion: 0 };

interface PackOptions {
  /** Checked between texts. */
  isStopping(): boolean;
  /**
   * Called with each error of packing a text or deleting old texts; the batch goes on. A text that
   * can't be packed is retried later.
   */
  onFailure(error: unknown): void;
}

/**
 * Packs waiting texts in batches, and deletes the oldest texts of documents that use too much
 * space. Each text has its own small transaction, so a killed process loses at most one text's
 * work.
 *
 * @param after where the last batch ended
 * @returns where this batch ended; `undefined` if no text waits after `after`
 * @throws BackEndUnavailable
 */
export async function packWaiting(
  context: Context,
  options: PackOptions,
  after: RawText = START,
): Promise<RawText | undefined> {
  const waiting = await listRaw(context.sql.read, after, BATCH);
  const documentIds = new Set(waiting.map(({ documentId }) => documentId));
  const tasks = [
    ...waiting.map((text) => () => packText(context, text)),
    ...[...documentIds].map((documentId) => () => removeOldTexts(context, documentId)),
  ];
  for (const run of tasks) {
    if (options.isStopping()) break;
    try {
      await run();
    } catch (error) {
      if (error instanceof BackEndUnavailable) throw error;
      options.onFailure(error);
    }
  }
  return waiting.at(-1);
}

async function packText(context: Context, { documentId, lastVersion }: RawText): Promise<void> {
  const row = await findText(context.sql.read, documentId, lastVersion);
  if (row?.lastVersion !== lastVersion || row.coding !== 'raw') return;
  const text = await decodeRow(context, documentId, row);
  if (!text) return;
  const keyframe = await findKeyframe(context.sql.read, documentId, lastVersion);
  const encoded = await encode(context, documentId, text, keyframe);
  const packed = await storePacked(context, encoded);
  const isReplaced = await context.sql.transaction(async (tx) => {
    const { dictVersion } = packed;
    await holdDocument(tx, documentId);
    if (dictVersion !== null && (await lockText(tx, documentId, dictVersion)) !== 'zst')
      return false;
    return replaceText(tx, documentId, row, packed);
  });
  await discardBlobs(context, [isReplaced ? row.storagePath : packed.storagePath]);
}

async function encode(
  context: Context,
  documentId: string,
  text: Buffer,
  keyframe: Keyframe | undefined,
): Promise<EncodedText> {
  if (keyframe && keyframe.dependents < MAX_DEPENDENTS) {
    const dictionary = await decodeRow(context, documentId, keyframe);
    const delta = dictionary && (await encodeText(text, dictionary));
    if (delta && !isNewKeyframe(delta.length, keyframe.storedBytes)) {
      return { bytes: delta, dictVersion: keyframe.lastVersion };
    }
  }
  return { bytes: await encodeText(text), dictVersion: null };
}
