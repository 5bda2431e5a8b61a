import type { JSX } from 'preact';
import { REVIEW_LIMITS } from '../../../document/review/thread.ts';
import { comparePath } from '../../app/addresses.ts';
import type { Discussion, ShownThread } from './discussion-state.ts';
import { ButtonForm, HiddenFields } from './parts.tsx';

/** The buttons and forms for the reader's own comment. */
export function OwnComment(props: {
  discussion: Discussion;
  thread: ShownThread;
  comment: ShownThread['comments'][number];
}): JSX.Element {
  const { discussion, thread, comment } = props;
  const fields = { thread: thread.id, comment: comment.id };
  return (
    <div class="thread-actions">
      <details class="reply">
        <summary class="quiet small">Edit</summary>
        <form class="form thread-form" method="post" action={discussion.action}>
          <HiddenFields fields={{ act: 'edit', ...fields }} />
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
          <div class="form-actions">
            <button type="submit" class="primary small">
              Save
            </button>
          </div>
        </form>
      </details>
      <ButtonForm
        action={discussion.action}
        fields={{ act: 'delete', ...fields }}
        label="Delete"
        name="Delete your comment"
        class="quiet small"
      />
    </div>
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
      <details class="reply place-again">
        <summary class="quiet small" title="Select the new passage first">
          Place again
        </summary>
        <form class="form thread-form" method="post" action={action}>
          <HiddenFields fields={{ act: 'place', thread: thread.id, ...place }} />
          <textarea
            name="quote"
            rows={2}
            required
            maxLength={REVIEW_LIMITS.quote}
            autocomplete="off"
            aria-label="The passage it is about now"
          />
          <div class="form-actions">
            <button type="submit" class="primary small">
              Place again
            </button>
          </div>
        </form>
      </details>
    </>
  );
}
