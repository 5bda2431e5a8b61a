import type { JSX } from 'preact';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import { FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { DocumentField, HiddenFields } from '../../surfaces/web/pages/parts.tsx';
import type { Discussion, Draft } from './discussion-state.ts';
import { ThreadCard } from './thread-card.tsx';

/**
 * Renders the threads of a document: in the margin, below the text if there is no margin, or in a
 * drawer.
 */
export function DiscussionPanel({ discussion }: { discussion: Discussion }): JSX.Element {
  const { open, closed, can, isCut } = discussion;
  return (
    <aside
      class="comments"
      id="comments"
      data-version={discussion.version}
      aria-labelledby="comments-title"
    >
      <div class="comments-head">
        <h2 id="comments-title">
          Comments <span class="count">{open.length}</span>
        </h2>
        <button
          type="button"
          class="action comments-close needs-script"
          popovertarget="comments"
          popovertargetaction="hide"
          aria-label="Close"
        >
          ✕
        </button>
      </div>
      {can.comment && <NewThread discussion={discussion} />}
      {isCut && <p class="hint">There are very many comments, so older ones aren’t shown.</p>}
      <ol class="threads">
        {open.map((thread) => (
          <li>
            <ThreadCard discussion={discussion} thread={thread} />
          </li>
        ))}
      </ol>
      {closed.length > 0 && (
        <details class="closed-threads">
          <summary>
            Resolved <span class="count">{closed.length}</span>
          </summary>
          <ol class="threads">
            {closed.map((thread) => (
              <li>
                <ThreadCard discussion={discussion} thread={thread} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </aside>
  );
}

const NO_DRAFT: Draft = {
  quote: '',
  element: '',
  body: '',
  replacement: '',
  isSuggestion: false,
  faults: {},
};

/**
 * Renders the form that opens a thread. The script shows it beside a selection, and fills in the
 * text around the selection, which distinguishes the selection from the same words elsewhere.
 */
function NewThread({ discussion }: { discussion: Discussion }): JSX.Element {
  const { document, version, refused } = discussion;
  const draft = refused && 'draft' in refused ? refused.draft : undefined;
  const { quote, element, body, replacement, isSuggestion, faults } = draft ?? NO_DRAFT;
  const { kind } = document;
  const {
    body: bodyFault,
    'on.quote': quoteFault,
    replacement: replacementFault,
    ...others
  } = faults;
  return (
    <details class="new-thread" open={draft !== undefined}>
      <summary class="secondary small">New comment</summary>
      <p class="hint needs-script">
        Or select text and press <kbd>m</kbd>.
        {kind === 'page' && (
          <button type="button" class="quiet small pick-element">
            Choose an element
          </button>
        )}
      </p>
      <form class="form thread-form" method="post" action={discussion.action}>
        <DocumentField document={document} />
        <HiddenFields
          fields={{
            act: 'open',
            revision: String(version),
            prefix: '',
            suffix: '',
            line: '',
            element,
          }}
        />
        {kind === 'page' && <p class="hint element-field" hidden />}
        <FormFault fault={Object.values(others)[0]} />
        <div class="field quote-field">
          <label for="comment-quote">Passage</label>
          <textarea
            id="comment-quote"
            dir="auto"
            name="quote"
            rows={2}
            maxLength={REVIEW_LIMITS.quote}
            autocomplete="off"
            aria-describedby={quoteFault ? 'comment-quote-fault' : 'comment-quote-hint'}
            aria-invalid={quoteFault ? 'true' : undefined}
          >
            {quote}
          </textarea>
          <p class="hint" id="comment-quote-hint">
            Copied from the text. Leave it empty to comment on the whole {kind}.
          </p>
          <Fault id="comment-quote-fault" fault={quoteFault} />
        </div>
        <fieldset class="thread-kind">
          <legend class="visually-hidden">What to write</legend>
          <Kind kind="comment" label="Comment" name="Write a comment" isChosen={!isSuggestion} />
          <Kind
            kind="suggestion"
            label="Suggest"
            name="Suggest other words"
            isChosen={isSuggestion}
          />
        </fieldset>
        <div class="field suggest">
          <label for="comment-replacement">Replace the passage with</label>
          <textarea
            id="comment-replacement"
            dir="auto"
            name="replacement"
            rows={4}
            autocomplete="off"
            aria-describedby={replacementFault ? 'comment-replacement-fault' : undefined}
          >
            {replacement}
          </textarea>
          <Fault id="comment-replacement-fault" fault={replacementFault} />
        </div>
        <div class="field">
          <label for="comment-body">Comment</label>
          <textarea
            id="comment-body"
            dir="auto"
            name="body"
            rows={4}
            maxLength={REVIEW_LIMITS.bodyBytes}
            autocomplete="off"
            aria-describedby={bodyFault ? 'comment-body-fault' : undefined}
            aria-invalid={bodyFault ? 'true' : undefined}
          >
            {body}
          </textarea>
          <Fault id="comment-body-fault" fault={bodyFault} />
        </div>
        <div class="form-actions">
          <button type="submit" class="primary small" title="Ctrl Enter">
            <span class="if-comment">Comment</span>
            <span class="if-suggestion">Suggest</span>
          </button>
          <button type="button" class="quiet small composer-cancel" hidden>
            Cancel
          </button>
        </div>
      </form>
    </details>
  );
}

/** Renders a choice between the kinds of threads; `comments.css` shows their fields. */
function Kind(props: {
  kind: 'comment' | 'suggestion';
  label: string;
  /** The name for screen readers. */
  name: string;
  isChosen: boolean;
}): JSX.Element {
  return (
    <label>
      <input
        type="radio"
        name="kind"
        value={props.kind}
        checked={props.isChosen}
        aria-label={props.name}
        autocomplete="off"
      />
      {props.label}
    </label>
  );
}

function Fault({ id, fault }: { id: string; fault: string | undefined }): JSX.Element | null {
  if (!fault) return null;
  return (
    <p class="fault" id={id}>
      {fault}
    </p>
  );
}
