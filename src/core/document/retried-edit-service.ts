import { ServiceError } from '../../base/errors.ts';
import { inLineBreaksOf } from '../../base/text/line-breaks.ts';
import type { Call } from '../context.ts';
import { saveTyped, TypedIn } from '../live/typed-service.ts';
import { isTypedSince } from '../revision/revision-store.ts';
import type { WriteNote } from '../revision/write-note.ts';
import { requireAction, requireDocument } from './authorize.ts';
import { writeDocument } from './document-change-service.ts';
import type { DocumentInput } from './document-input.ts';
import type { DocumentRef } from './document-ref.ts';
import { getDocument, type WholeDocument } from './document-service.ts';
import { type IfMatch, requireMatch } from './entity-tag.ts';

/** The most attempts at one edit. Each retry means that another write succeeded. */
const EDIT_ATTEMPTS = 100;

/** The result of an edit function. */
export interface Edited {
  input: DocumentInput;
  note?: WriteNote;
}

/**
 * Changes a document with a function, such as "replace this passage". Without `ifMatch`, an edit
 * that loses against another write is applied again to the newer text. If somebody is typing in the
 * same lines, what is typed becomes a revision, and the edit is applied again. The text keeps its
 * line breaks ({@link inLineBreaksOf}).
 *
 * @param edit returns what to write for the current document; may be called several times. If it
 *   throws, nothing is written and the error is rethrown. Its second argument is the last version
 *   that the writer could read, if the current one has words that were typed since.
 * @param readable that version, if it is known already
 * @throws NOT_FOUND, FORBIDDEN before calling `edit`; errors of {@link changeDocument}
 */
export async function editDocument(
  call: Call,
  ref: DocumentRef,
  edit: (current: WholeDocument, readable?: number) => Promise<Edited>,
  ifMatch: IfMatch,
  readable?: number,
): Promise<WholeDocument> {
  const { document } = await requireDocument(call.sql.read, call.actor, ref, 'editContent');
  return afterOtherEdits(document.id, async () => {
    let seen = readable;
    for (let attempt = 1; ; attempt++) {
      if (seen !== undefined) await saveTyped(call, document.id);
      const current = await getDocument(call, ref);
      requireAction(current, ref, 'editContent');
      const { id, version } = current.document;
      const isOnlyTyped = seen !== undefined && (await isTypedSince(call.sql.read, id, seen));
      if (!isOnlyTyped) requireMatch(ifMatch, current.document);
      const { input: given, note = {} } = await edit(current, seen);
      const input = { ...given };
      if (given.content !== undefined) input.content = inLineBreaksOf(current.text, given.content);
      if (isOnlyTyped && note.shown === seen) note.shown = version;
      try {
        return await writeDocument(call, ref, input, [current.etag], note);
      } catch (error) {
        const isOutrun = error instanceof ServiceError && error.code === 'PRECONDITION_FAILED';
        if (!isOutrun || attempt === EDIT_ATTEMPTS) throw error;
        if (error instanceof TypedIn) seen ??= error.version;
      }
    }
  });
}

/** The last running or waiting edit of each document in this process, by document id. */
const lastEdits = new Map<string, Promise<unknown>>();

/**
 * Runs the edits of one document one after another. In parallel, each would be retried after every
 * faster one, and a page's content stored each time.
 */
function afterOtherEdits<T>(documentId: string, work: () => Promise<T>): Promise<T> {
  const result = (lastEdits.get(documentId) ?? Promise.resolve()).then(work);
  const settled = result
    .catch(() => {})
    .then(() => {
      if (lastEdits.get(documentId) === settled) lastEdits.delete(documentId);
    });
  lastEdits.set(documentId, settled);
  return result;
}
