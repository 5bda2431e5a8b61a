import { ServiceError } from '../../base/errors.ts';
import { KINDS } from '../../base/schema/kind.ts';
import {
  type Edit,
  type EditNote,
  type EditOptions,
  type EditProblem,
  type EditsResult,
  type Gone,
  LONG_SECTION,
  onlyAdds,
} from '../../base/text/edits.ts';
import type { UnifiedDiff } from '../../base/text/unified-diff.ts';
import type { Warning } from '../../base/warnings/warnings.ts';
import type { Call, Context } from '../../core/context.ts';
import { requireAction } from '../../core/document/authorize.ts';
import { requireSameDocument } from '../../core/document/document-input.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { getDocument, type WholeDocument } from '../../core/document/document-service.ts';
import { type IfMatch, requireMatch } from '../../core/document/entity-tag.ts';
import {
  conflictOf,
  loadBase,
  type MergedDocument,
  type MergedText,
  MergeRefused,
  mergeInto,
  writeMerged,
} from '../../core/document/merge-service.ts';
import { findReadableText } from '../../core/revision/readable-text-service.ts';
import { findRevisionOfText } from '../../core/revision/revision-store.ts';
import type { WriteNote } from '../../core/revision/write-note.ts';
import { MAX_DIFF_LENGTH } from './diff-service.ts';

/** Edits to apply in order, all or none. */
export interface Edits {
  edits: readonly Edit[];
  /**
   * The revision that they were written for. Later changes by others are merged. Default: the
   * current revision.
   */
  baseRevision?: number | undefined;
  /** The document that they are for; absent if the name is enough. */
  documentId?: string | undefined;
  message?: string | undefined;
  alongside?: WriteNote['alongside'];
}

/** A document after edits, and the diff to the text before them. */
export type EditedDocument = MergedDocument & { diff: UnifiedDiff; notes: EditNote[] };

/** An edit that can't be applied. The message names the most similar passages. */
export class EditRefused extends ServiceError {
  /** The index of the edit, from 0. */
  readonly index: number;
  readonly result: Extract<EditsResult, { problem: EditProblem }>;
  /** What is wrong, without the similar passages. */
  readonly problem: string;

  constructor(result: Extract<EditsResult, { problem: EditProblem }>) {
    super('UNPROCESSABLE', `edits.${result.index}: ${sentenceOf(result)}`);
    this.index = result.index;
    this.result = result;
    this.problem = PROBLEMS[result.problem];
  }
}

/**
 * Applies edits to a document's text.
 *
 * @throws NOT_FOUND, FORBIDDEN, PRECONDITION_FAILED; UNPROCESSABLE naming the edit that can't be
 *   applied; CONFLICT if someone else changed the same lines since `baseRevision`, or the name
 *   belongs to another document than `documentId`; BAD_REQUEST if `baseRevision` doesn't exist yet;
 *   CONTENT_TOO_LARGE
 */
export async function makeEdits(
  call: Call,
  ref: DocumentRef,
  edits: Edits,
  ifMatch: IfMatch,
): Promise<EditedDocument> {
  let before = '';
  let notes: EditNote[] = [];
  const edit = async (current: WholeDocument, readable = current.document.version) => {
    before = current.text;
    const baseRevision = edits.baseRevision ?? readable;
    const isGiven = edits.baseRevision !== undefined || ifMatch !== undefined;
    const { text, ...made } = await edited(call, current, { ...edits, baseRevision, isGiven });
    notes = made.notes;
    return { ...made, input: { content: text } };
  };
  const { message, alongside, baseRevision: baseVersion } = edits;
  const note = { message, alongside, baseVersion };
  const after = await writeMerged(call, ref, edit, note, ifMatch);
  return { ...after, notes, diff: await diffOf(call, before, after.text) };
}

/** Returns what {@link makeEdits} would write, without writing it. @throws the same errors */
export async function tryEdits(
  call: Call,
  ref: DocumentRef,
  edits: Edits,
  ifMatch: IfMatch,
): Promise<EditedDocument> {
  const current = await getDocument(call, ref);
  requireAction(current, ref, 'editContent');
  requireMatch(ifMatch, current.document);
  const { text, merged, wordLines, notes } = await edited(call, current, edits);
  return {
    ...current,
    text,
    merged,
    wordLines,
    notes,
    diff: await diffOf(call, current.text, text),
  };
}

/** Applies the edits to the base text, and merges the result into the current text. */
async function edited(
  call: Call,
  current: WholeDocument,
  edits: Edits & { isGiven?: boolean },
): Promise<MergedText & { notes: EditNote[] }> {
  const { base, baseRevision, text, notes } = await editBase(call, current, edits);
  const since = { baseRevision, isGiven: edits.isGiven ?? true };
  const merge = async (yours: string) => {
    const merged = await mergeInto(call, { base, current, yours }, since);
    return { ...merged, notes };
  };
  const [added, others] = partition(edits.edits, onlyAdds);
  if (base === current.text || added.length === 0) return merge(text);
  // What is only added follows what others did meanwhile, unless other edits change it.
  const apart = await appliedTo(call, current, base, others);
  if ('problem' in apart) return merge(text);
  const whole = await appliedTo(call, current, apart.text, added);
  if ('problem' in whole || whole.text !== text) return merge(text);
  const merged = await merge(apart.text).catch((error: unknown) => {
    if (error instanceof MergeRefused) return undefined;
    throw error;
  });
  // An answer that refuses names everything that was to be written.
  if (!merged) return merge(text);
  const options = optionsOf(current);
  const result = await call.texts.run(call.actor.id, 'addLater', [
    apart.text,
    merged.text,
    added,
    options,
    merged.wordLines,
  ]);
  if (!result) return merge(text);
  if ('gone' in result) throw await refusalOfGone(call, current, baseRevision, result);
  return { text: result.text, merged: true, wordLines: result.lines, notes };
}

/** Refuses to add something at what others have deleted. */
async function refusalOfGone(
  context: Context,
  current: WholeDocument,
  baseRevision: number,
  { gone, line, content }: Gone,
): Promise<MergeRefused> {
  const { text, document } = current;
  const writer = await findRevisionOfText(context.sql.read, document.id, document.version);
  const conflict = { line, currentLine: line, base: [gone], current: [], yours: [content] };
  const conflicting = conflictOf(
    { text, conflicts: [conflict], wordLines: [] },
    { baseRevision, current, writer },
  );
  return new MergeRefused(writer, { ...conflicting, gone });
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean) {
  const { first = [], second = [] } = Object.groupBy(items, (item) =>
    isFirst(item) ? 'first' : 'second',
  );
  return [first, second] as const;
}

/**
 * Applies edits to the text that they were written for.
 *
 * @throws CONFLICT if it isn't the document of `documentId`; UNPROCESSABLE naming the edit that
 *   can't be applied; errors of {@link loadBase}
 */
export async function editBase(
  call: Call,
  current: WholeDocument,
  {
    edits,
    documentId,
    baseRevision = current.document.version,
  }: Pick<Edits, 'edits' | 'documentId' | 'baseRevision'>,
): Promise<{ base: string; baseRevision: number; text: string; notes: EditNote[] }> {
  requireSameDocument(documentId, current.document);
  const base = await loadBase(call, current, baseRevision);
  const result = await appliedTo(call, current, base, edits);
  if ('problem' in result) throw new EditRefused(result);
  return { base, baseRevision, text: result.text, notes: result.notes };
}

async function appliedTo(
  call: Call,
  current: WholeDocument,
  text: string,
  edits: readonly Edit[],
): Promise<EditsResult> {
  const revisions = await restoredTexts(call, current.document, edits);
  const options = { ...optionsOf(current), revisions };
  return call.texts.run(call.actor.id, 'edit', [text, [...edits], options]);
}

function optionsOf({ document: { kind } }: WholeDocument): EditOptions {
  return { isMarkdown: kind === 'brief', maxLength: KINDS[kind].contentLimitBytes };
}

/** Loads the texts that `restore` edits need, by revision. */
async function restoredTexts(
  context: Context,
  document: WholeDocument['document'],
  edits: readonly Edit[],
): Promise<Map<number, string>> {
  const texts = new Map<number, string>();
  for (const edit of edits) {
    if (edit.op !== 'restore' || texts.has(edit.revision) || edit.revision > document.version)
      continue;
    const text = await findReadableText(context, document, edit.revision);
    if (text !== undefined) texts.set(edit.revision, text);
  }
  return texts;
}

/**
 * Returns what the writer should know about applied edits.
 *
 * @param revision the one before the edits
 */
export function warningsOf(notes: readonly EditNote[], revision: number): Warning[] {
  return notes.map((note) => warningOf(note, revision));
}

function warningOf({ index, note, line }: EditNote, revision: number): Warning {
  switch (note) {
    case 'alike':
      return {
        code: 'alike-passage',
        message:
          `edits.${index}: this isn’t in the text exactly as given; taken is what stands in line ` +
          `${line} and differs only in quotes, dashes, spaces, invisible signs or a heading’s markup.`,
      };
    case 'long-section':
      return {
        code: 'long-section',
        message:
          `edits.${index}: the section in line ${line} had more than the ${LONG_SECTION / 1024} KB ` +
          'that one reading shows. If you had read only its beginning, the rest is gone: revision ' +
          `${revision} has it.`,
      };
    case 'escaped':
      return {
        code: 'escaped-line-breaks',
        message:
          `edits.${index}: the new text has \\n written out, which readers see as it is. If you ` +
          'meant line breaks, send real ones.',
      };
  }
}

export function diffOf(call: Call, before: string, after: string) {
  const options = { names: ['before', 'after'] as [string, string], maxLength: MAX_DIFF_LENGTH };
  return call.texts.run(call.actor.id, 'diff', [before, after, options]);
}

const PROBLEMS: Record<EditProblem, string> = {
  'not-found': 'this passage is not in the text.',
  several:
    'this passage is in the text more than once. Include more of the text around it, or use "all".',
  'no-section': 'no heading matches.',
  'several-sections':
    'several headings match. Name one by its path, or by its line, such as "5: Setup".',
  'no-revision': 'the text of this revision is not stored.',
  'too-long': 'the text would be too long.',
};

function sentenceOf({ problem, candidates }: Extract<EditsResult, { problem: EditProblem }>) {
  const places = candidates.map(({ line, text }) => `line ${line}: ${JSON.stringify(text)}`);
  const nearest = places.length > 0 ? ` Closest are ${places.join('; ')}.` : '';
  return `${PROBLEMS[problem]}${nearest} No edit was made.`;
}
