import type { JSX } from 'preact';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import { comparePath } from '../../surfaces/web/addresses.ts';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import type { Discussion, ShownThread } from './discussion-state.ts';
import { ThreadForm, WritingDetails } from './thread-form.tsx';

interface Own {
  discussion: Discussion;
  thread: ShownThread;
  comment: ShownThread['comments'][number];
}

/** Renders the menu of the reader's own comment. */
export function OwnMenu({ discussion, thread, comment }: Own): JSX.Element {
  return (
    <details class="menu" data-menu>
      <summary class="action" title="Edit or delete">
        <Icon name="ellipsis" />
        <span class="visually-hidden">Edit or delete your comment</span>
      </summary>
      <ul class="menu-items">
        <li class="needs-script">
          <button type="button" class="menu-item" data-edits={editId(comment)}>
            <Icon name="pencil" />
            Edit
          </button>
        </li>
        <li>
          <ThreadForm discussion={discussion} fields={{ thread: thread.id, comment: comment.id }}>
            <button type="submit" name="act" value="delete" class="menu-item">
              <Icon name="trash-2" />
              Delete
            </button>
          </ThreadForm>
        </li>
      </ul>
    </details>
  );
}

const editId = ({ id }: Own['comment']) => `edit-${id}`;

/** Renders the form by which the reader edits their own comment. The menu opens it. */
export function EditOwn({ discussion, thread, comment }: Own): JSX.Element {
  return (
    <ThreadForm
      discussion={discussion}
      id={editId(comment)}
      fields={{ thread: thread.id, comment: comment.id }}
    >
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
        class="edit"
      />
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
