import { FieldError } from '../../base/errors.ts';
import { withTask } from '../../base/markdown/tasks.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { updateFromBase } from '../../core/document/merge-service.ts';
import { getRevision } from '../revisions/revision-service.ts';

/**
 * Ticks a task of a brief in the reader's name, or takes its tick away. What others have changed since
 * the revision that the reader saw is kept.
 *
 * @param task.line of the list item in that revision, from 1
 * @throws UNPROCESSABLE if there is no task; errors of {@link updateFromBase}
 */
export async function setTask(
  call: Call,
  ref: DocumentRef,
  task: { documentId: string; revision: number; line: number; isDone: boolean },
): Promise<void> {
  const { documentId, revision: baseRevision, line, isDone } = task;
  const { text = '' } = await getRevision(call, ref, baseRevision);
  const content = ref.kind === 'brief' ? withTask(text, line, isDone) : undefined;
  if (content === undefined) {
    throw new FieldError(
      'UNPROCESSABLE',
      'line',
      'there is no task in this line. Reload the page.',
    );
  }
  await updateFromBase(call, ref, { content }, { baseRevision, documentId }, undefined);
}
