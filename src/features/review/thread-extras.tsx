import type { JSX } from 'preact';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import { comparePath } from '../../surfaces/web/addresses.ts';
import type { Discussion, ShownThread } from './discussion-state.ts';
import { ActButton, ThreadForm, WritingDetails } from './thread-form.tsx';

/** Renders the form by which the reader edits or deletes their own comment. */
export function OwnComment(props: {
  discussion: Discussion;
  thread: ShownThread;
  comment: ShownThread['comments'][number];
}): JSX.Element {
  const { discussion, thread, comment } = props;
  return (
    <ThreadForm discussion={discussion} fields={{ thread: thread.id, comment: comment.id }}>
      <WritingDetails
        discussion={discussion}
        thread={thread.id}
        comment={comment.id}
        act="edit"
        summary="Edit"
        submit="Save"
        field="body"
        label="Your comment"
        maxLength={REVIEW_LIMITS.bodyBytes}
        text={comment.body}
      />
      <ActButton act="delete" label="Delete" name="Delete your comment" />
    </ThreadForm>
  );
}

/**
 * Renders a form that gives a thread a new place, if its passage is gone or was moved. The script
 * fills in the selection (`comments.ts`).
 */
export function PlaceAgain(props: { discussion: Discussion; thread: ShownThread }): JSX.Element {
  const { discussion, thread } = props;
  const { document, version } = discussion;
  const place = { prefix: '', suffix: '', line: '', element: '', revision: String(version) };
  return (
    <>
      {thread.madeVersion < version && discussion.can.close && (
        <p class="thread-place">
          <a href={comparePath(document, thread.madeVersion, version)}>What has changed since</a>
        </p>
      )}
      <ThreadForm discussion={discussion} fields={{ thread: thread.id, ...place }}>
        <WritingDetails
          discussion={discussion}
          thread={thread.id}
          act="place"
          summary="Choose new passage"
          submit="Choose new passage"
          field="quote"
          label="New passage"
          maxLength={REVIEW_LIMITS.quote}
          rows={2}
          hint="Select the new passage in the document first"
          class="place-again"
        />
      </ThreadForm>
    </>
  );
}
