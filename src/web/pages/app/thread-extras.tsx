import type { JSX } from 'preact';
import { REVIEW_LIMITS } from '../../../document/review/thread.ts';
import { comparePath } from '../../app/addresses.ts';
import type { Discussion, ShownThread } from './discussion-state.ts';
import { HiddenFields } from './parts.tsx';

/** The form by which the reader edits or deletes their own comment. */
export function OwnComment(props: {
  discussion: Discussion;
  thread: ShownThread;
  comment: ShownThread['comments'][number];
}): JSX.Element {
  const { discussion, thread, comment } = props;
  return (
    <form class="thread-actions" method="post" action={discussion.action}>
      <HiddenFields fields={{ thread: thread.id, comment: comment.id }} />
      <details class="reply">
        <summary class="quiet small">Edit</summary>
        <textarea
          name="body"
          rows={3}
          required
          maxLength={REVIEW_LIMITS.bodyBytes}
          autocomplete="off"
          aria-label="Your comment"
        >
          {comment.body}
        </textarea>
        <button type="submit" name="act" value="edit" class="primary small">
          Save
        </button>
      </details>
      <button
        type="submit"
        name="act"
        value="delete"
        formNoValidate
        class="quiet small"
        aria-label="Delete your comment"
      >
        Delete
      </button>
    </form>
  );
}

/**
 * A form that gives a thread a new place, if its passage is gone or was moved. The script fills in
 * the selection (`comments.ts`).
 */
export function PlaceAgain(props: { discussion: Discussion; thread: ShownThread }): JSX.Element {
  const { discussion, thread } = props;
  const { document, version, action } = discussion;
  const place = { prefix: '', suffix: '', line: '', element: '', revision: String(version) };
  return (
    <>
      {thread.madeVersion < version && discussion.can.close && (
        <p class="thread-place">
          <a href={comparePath(document, thread.madeVersion, version)}>What has changed since</a>
        </p>
      )}
      <form class="thread-actions" method="post" action={action}>
        <HiddenFields fields={{ thread: thread.id, ...place }} />
        <details class="reply place-again">
          <summary class="quiet small" title="Select the new passage first">
            Place again
          </summary>
          <textarea
            name="quote"
            rows={2}
            required
            maxLength={REVIEW_LIMITS.quote}
            autocomplete="off"
            aria-label="The passage it is about now"
          />
          <button type="submit" name="act" value="place" class="primary small">
            Place again
          </button>
        </details>
      </form>
    </>
  );
}
