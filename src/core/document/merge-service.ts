import { ConflictError, FieldError } from '../../base/errors.ts';
import { conflictLines } from '../../base/text/conflict-lines.ts';
import { inLineBreaksOf } from '../../base/text/line-breaks.ts';
import type { Merged } from '../../base/text/merge.ts';
import { shorten } from '../../base/text/shorten.ts';
import type { Call, Context } from '../context.ts';
import { TypedIn } from '../live/typed-service.ts';
import { ChangedSince } from '../review/shown-service.ts';
import { prepareSuggestions, type Suggestions } from '../review/unmerged-service.ts';
import { findReadableText } from '../revision/readable-text-service.ts';
import { findRevisionOfText } from '../revision/revision-store.ts';
import { loadRevisionText } from '../revision/revision-text.ts';
import type { WriteNote } from '../revision/write-note.ts';
import type { Writer } from '../revision/writer.ts';
import { requireDocument } from './authorize.ts';
import { writeDocument } from './document-change-service.ts';
import { type DocumentInput, requireSameDocument } from './document-input.ts';
import type { DocumentRef } from './document-ref.ts';
import type { WholeDocument } from './document-service.ts';
import type { IfMatch } from './entity-tag.ts';
import { editDocument } from './retried-edit-service.ts';

/** The longest texts that a conflict's answer includes, in UTF-16 code units. */
const MAX_CONFLICT_TEXT = 200 * 1024;

export interface BaseNote {
  /** The revision that the writer started from. */
  baseRevision: number;
  /** The document that has this revision; absent if the name is enough. */
  documentId?: string | undefined;
  message?: string | undefined;
  alongside?: WriteNote['alongside'];
  shown?: WriteNote['shown'];
}

/** How others' changes to a text were merged in. */
interface HowMerged {
  /** Whether the current text differed from the base. */
  merged: boolean;
  /** The lines in which both changed words. */
  wordLines: number[];
  /** What became suggestions, because somebody is typing there. */
  suggestions?: Suggestions | undefined;
}

/** A document after a write. */
export type MergedDocument = WholeDocument & HowMerged;

/** A text that was merged into the current one. */
export type MergedText = HowMerged & { text: string };

const UNMERGED: HowMerged = { merged: false, wordLines: [] };

/** Tells whether changes of others were merged in, and whether both changed words of a line. */
export function howMerged({
  merged,
  wordLines,
}: Pick<MergedText, 'merged' | 'wordLines'>): boolean | 'words' {
  return wordLines.length > 0 ? 'words' : merged;
}

/**
 * Replaces a document's text, and changes its name and visibility. Words that were typed since the
 * text that the writer could read are merged in, and what conflicts with them becomes suggestions.
 * The text keeps its line breaks, because many clients send others than they got.
 *
 * @throws errors of {@link writeDocument}; with `ifMatch` or `note.shown`, CONFLICT if somebody has
 *   typed in the same lines
 */
export async function updateDocument(
  call: Call,
  ref: DocumentRef,
  input: DocumentInput,
  ifMatch: IfMatch,
  note: WriteNote = {},
): Promise<MergedDocument> {
  const { content } = input;
  let readable: number;
  try {
    const kept = content?.includes('\n')
      ? { ...input, content: await inItsLineBreaks(call, ref, content) }
      : input;
    return { ...(await writeDocument(call, ref, kept, ifMatch, note)), ...UNMERGED };
  } catch (error) {
    if (!(error instanceof TypedIn) || content === undefined) throw error;
    readable = error.version;
  }
  const isGiven = ifMatch !== undefined || note.shown !== undefined;
  const write = async (current: WholeDocument, baseRevision = readable) => {
    const base = await loadBase(call, current, baseRevision);
    const since = { baseRevision, isGiven };
    const made = await mergeInto(call, { base, current, yours: content }, since);
    if (made.merged) refusePublishing(input, current, since);
    return { ...made, input: { ...input, content: made.text } };
  };
  return writeMerged(call, ref, write, note, ifMatch, readable);
}

async function inItsLineBreaks(call: Call, ref: DocumentRef, content: string): Promise<string> {
  const { document } = await requireDocument(call.sql.read, call.actor, ref, 'editContent');
  const current = await loadRevisionText(call, document.id, document.version);
  return current === undefined ? content : inLineBreaksOf(current, content);
}

/**
 * Changes a document as {@link updateDocument} does, with a text that was written from an older
 * revision. Later changes by others are merged in, line by line.
 *
 * @throws CONFLICT if both changed the same lines, the document would become public with changes
 *   that the writer hasn't read, or the name belongs to another document than `note.documentId`;
 *   UNPROCESSABLE if the base text is gone; BAD_REQUEST for a base that doesn't exist yet; errors
 *   of {@link updateDocument}
 */
export async function updateFromBase(
  call: Call,
  ref: DocumentRef,
  input: DocumentInput & { content: string },
  note: BaseNote,
  ifMatch: IfMatch,
): Promise<MergedDocument> {
  const { content } = input;
  const write = async (current: WholeDocument) => {
    requireSameDocument(note.documentId, current.document);
    const base = await loadBase(call, current, note.baseRevision);
    const given = { base, current, yours: content };
    const made = await mergeInto(call, given, note);
    if (made.merged) refusePublishing(input, current, note);
    return { ...made, input: { ...input, content: made.text } };
  };
  const { baseRevision: baseVersion, ...rest } = note;
  return writeMerged(call, ref, write, { ...rest, baseVersion }, ifMatch);
}

/**
 * Refuses to make a document public together with changes by others that the writer hasn't read.
 * @throws ChangedSince
 */
function refusePublishing(
  { visibility }: DocumentInput,
  { document }: WholeDocument,
  { baseRevision }: Pick<BaseNote, 'baseRevision'>,
): void {
  if (visibility !== 'public' || document.visibility === 'public') return;
  throw new ChangedSince(
    { shown: baseRevision, current: document.version },
    `Others have changed the text since revision ${baseRevision}, and it would become public.`,
  );
}

/**
 * Writes what `edit` returns for the current document. If another write comes first, calls `edit`
 * again with the newer document, unless `ifMatch` rules that out.
 */
export async function writeMerged(
  call: Call,
  ref: DocumentRef,
  edit: (
    current: WholeDocument,
    readable?: number,
  ) => Promise<{ input: DocumentInput } & HowMerged>,
  note: WriteNote,
  ifMatch: IfMatch,
  readable?: number,
): Promise<MergedDocument> {
  let how = UNMERGED;
  const write = async (current: WholeDocument, seen?: number) => {
    const { input, merged, wordLines, suggestions } = await edit(current, seen);
    how = { merged, wordLines, suggestions };
    const alongside: WriteNote['alongside'] =
      suggestions &&
      (async (tx, after) => {
        await note.alongside?.(tx, after);
        await suggestions.insert(tx, after);
      });
    const restoredFrom = merged ? undefined : note.restoredFrom;
    const said = { ...note, merged, wordLines, restoredFrom };
    return { input, note: alongside ? { ...said, alongside } : said };
  };
  const after = await editDocument(call, ref, write, ifMatch, readable);
  return { ...after, ...how };
}

/**
 * Loads the text of the revision that a write is based on.
 *
 * @throws BAD_REQUEST if the revision doesn't exist yet; UNPROCESSABLE if its text is gone or the
 *   actor can't read it
 */
export async function loadBase(
  context: Context,
  { document, text }: WholeDocument,
  baseRevision: number,
): Promise<string> {
  if (baseRevision === document.version) return text;
  if (baseRevision > document.version) {
    const problem = `there is no revision ${baseRevision} yet; the current one is ${document.version}.`;
    throw new FieldError('BAD_REQUEST', 'baseRevision', problem);
  }
  const base = await findReadableText(context, document, baseRevision);
  if (base !== undefined) return base;
  const problem = `the text of revision ${baseRevision} is no longer stored. Read the document again.`;
  throw new FieldError('UNPROCESSABLE', 'baseRevision', problem);
}

/**
 * Merges a text into the current one.
 *
 * @param since.isGiven whether the writer named the base; if not, nobody but those who are typing
 *   has changed the text since, and what conflicts with them becomes suggestions
 * @throws CONFLICT if both changed the same lines since the base
 */
export async function mergeInto(
  call: Call,
  { base, current, yours }: { base: string; current: WholeDocument; yours: string },
  { baseRevision, isGiven = true }: { baseRevision: number; isGiven?: boolean },
): Promise<MergedText> {
  const merged = await call.texts.run(call.actor.id, 'merge', [base, current.text, yours]);
  const { text, wordLines, conflicts } = merged;
  const isNews = base !== current.text;
  if (conflicts.length === 0) return { text, merged: isNews, wordLines };
  const { id, version } = current.document;
  if (!isGiven) {
    const prepared = await prepareSuggestions(call, id, merged, [current.text, yours]);
    if (prepared) return { ...prepared, merged: isNews, wordLines };
  }
  const writer = await findRevisionOfText(call.sql.read, id, version);
  throw new MergeRefused(writer, conflictOf(merged, { baseRevision, current, writer }));
}

/** What a program needs to resolve a conflict. */
interface MergeConflict {
  baseRevision: number;
  currentRevision: number;
  /** Who wrote the current text; `null` if the account is gone. */
  by: string | null;
  /** Absent for very long texts, as is `merged`. */
  current: string | undefined;
  /** The merged text. Where both changed a line, it has the line of the current text. */
  merged: string | undefined;
  /** The passage or heading that was deleted, though something was to be added there. */
  gone?: string;
  /** `line` is the first line of the merged text, `currentLine` of the current text. */
  conflicts: { line: number; currentLine: number; base: string; current: string; yours: string }[];
}

/** A write changed the same lines as the current text. */
export class MergeRefused extends ConflictError {
  declare readonly data: MergeConflict;
  /** Who wrote the current text. */
  readonly writer: Writer | undefined;

  constructor(writer: Writer | undefined, data: MergeConflict) {
    super(refusal(data, 'baseRevision'), data);
    this.writer = writer;
  }

  /** Returns the message for callers who name the base with another field. */
  messageNaming(field: string): string {
    return refusal(this.data, field);
  }
}

const MAX_GONE = 120;

/** Says what the others did. */
export function deedOf({ gone }: Pick<MergeConflict, 'gone'>): string {
  return gone === undefined
    ? 'changed the same text'
    : `removed ${JSON.stringify(shorten(gone, MAX_GONE))}`;
}

function refusal(data: MergeConflict, field: string): string {
  const { baseRevision, currentRevision, conflicts, by } = data;
  return (
    `${by ?? 'Someone'} ${deedOf(data)} since revision ${baseRevision}, at ` +
    `${conflictLines(conflicts)} of ` +
    `revision ${currentRevision}. Compare, then write again with ${field} ${currentRevision}.`
  );
}

/** Describes a conflict for programs. */
export function conflictOf(
  { text, conflicts }: Merged,
  since: { baseRevision: number; current: WholeDocument; writer: Writer | undefined },
): MergeConflict {
  const { baseRevision, current, writer } = since;
  const short = (longText: string) => (longText.length > MAX_CONFLICT_TEXT ? undefined : longText);
  return {
    baseRevision,
    currentRevision: current.document.version,
    by: writer?.author ?? null,
    current: short(current.text),
    merged: short(text),
    conflicts: conflicts.map((each) => ({
      line: each.line,
      currentLine: each.currentLine,
      base: each.base.join('\n'),
      current: each.current.join('\n'),
      yours: each.yours.join('\n'),
    })),
  };
}
