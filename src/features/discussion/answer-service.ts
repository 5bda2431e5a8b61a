import { FieldError } from '../../base/errors.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { requireBody } from '../../core/review/text-size.ts';
import { commentIn } from '../comments/comment-service.ts';
import { changeState } from '../comments/thread-change-service.ts';
import { mentionsIn } from '../comments/thread-event-service.ts';
import { loadThread, type Thread } from '../comments/thread-service.ts';

/** What to say in a thread, and what becomes of it. */
export interface Answer {
  thread: string;
  body?: string | undefined;
  state?: 'open' | 'resolved' | undefined;
}

/**
 * Answers threads and resolves or reopens them, all or none.
 *
 * @param field what errors call the list, which name the answer by its index; absent if there is
 *   only one, or the caller doesn't have a list
 * @throws errors of `addComment` and `setThreadState`
 */
export async function answerThreads(
  call: Call,
  ref: DocumentRef,
  answers: readonly Answer[],
  field?: string,
): Promise<Thread[]> {
  const naming = async <Result>(index: number, act: () => Promise<Result>): Promise<Result> => {
    try {
      return await act();
    } catch (error) {
      if (field === undefined || !(error instanceof FieldError)) throw error;
      throw new FieldError(error.code, `${field}.${index}.${error.field}`, error.problem);
    }
  };
  const said: string[][] = [];
  for (const [index, { body }] of answers.entries()) {
    await naming(index, async () => {
      if (body !== undefined) requireBody(body);
      said.push(await mentionsIn(call, body));
    });
  }
  const seen = await changeOwned(call, ref.owner, async (tx) => {
    for (const [index, { thread, body, state }] of answers.entries()) {
      await naming(index, async () => {
        const names = said[index] ?? [];
        if (body !== undefined) await commentIn(call, tx, ref, thread, { body, names });
        if (state !== undefined) await changeState(call, tx, ref, thread, state);
      });
    }
    return requireReview(tx, call.actor, ref, 'see');
  });
  call.wakeFeed();
  const threads: Thread[] = [];
  for (const { thread } of answers) threads.push(await loadThread(call, seen, thread));
  return threads;
}
