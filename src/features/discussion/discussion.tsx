import type { JSX } from 'preact';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import { FormFault, Notes } from '../../surfaces/web/pages/form-field.tsx';
import { DocumentField, HiddenFields } from '../../surfaces/web/pages/parts.tsx';
import type { Discussion, Draft, ShownThread } from '../comments/discussion-state.ts';
import { ThreadCard } from '../comments/thread-card.tsx';
import { PreviewButton } from '../comments/thread-form.tsx';

/**
 * Renders the threads of a document: in the margin, below the text if there is no margin, or in a
 * drawer.
 */
export function DiscussionPanel({ discussion }: { discussion: Discussion }): JSX.Element {
  const { open, closed, can, isCut } = discussion;
  const whole = open.filter(({ quote }) => quote === null);
  const placed = open.filter(({ quote }) => quote !== null);
  return (
    <aside
      class="comments"
      id="comments"
      data-version={`${discussion.version} ${discussion.typed ?? ''}`}
      aria-labelledby="comments-title"
    >
      <div class="comments-top">
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
        {open.length > 1 && <Filters open={open} />}
      </div>
      {isCut && <p class="hint">There are very many comments, so older ones aren’t shown.</p>}
      {whole.length > 0 && (
        <Group
          discussion={discussion}
          threads={whole}
          title={`The whole ${discussion.document.kind}`}
          class="whole-threads"
          isOpen={whole.length <= MAX_WHOLE_UNFOLDED}
        />
      )}
      <Threads discussion={discussion} threads={placed} />
      {closed.length > 0 && (
        <Group
          discussion={discussion}
          threads={closed}
          title="Resolved"
          class="closed-threads"
          isOpen={false}
        />
      )}
    </aside>
  );
}

/** More threads about the whole document are folded, so that the others begin where the text does. */
const MAX_WHOLE_UNFOLDED = 2;

function Group(props: {
  discussion: Discussion;
  threads: readonly ShownThread[];
  title: string;
  class: string;
  isOpen: boolean;
}): JSX.Element {
  return (
    <details class={props.class} open={props.isOpen}>
      <summary>
        {props.title} <span class="count">{props.threads.length}</span>
      </summary>
      <Threads discussion={props.discussion} threads={props.threads} />
    </details>
  );
}

function Threads(props: { discussion: Discussion; threads: readonly ShownThread[] }): JSX.Element {
  return (
    <ol class="threads">
      {props.threads.map((thread) => (
        <li data-mine={thread.isMine ? '' : undefined} data-agents={isByAgent(thread)}>
          <ThreadCard discussion={props.discussion} thread={thread} />
        </li>
      ))}
    </ol>
  );
}

/** Tells whether a program has written in a thread, as the value of an attribute. */
function isByAgent(thread: ShownThread): '' | undefined {
  const isByOne = [thread, ...thread.comments].some(
    ({ via }) => via === 'token' || via === 'application',
  );
  return isByOne ? '' : undefined;
}

/** Renders buttons by which the script shows only some threads. */
function Filters({ open }: { open: readonly ShownThread[] }): JSX.Element {
  const filters = [
    { filter: '', label: 'Open', count: open.length },
    { filter: 'mine', label: 'Mine', count: open.filter(({ isMine }) => isMine).length },
    {
      filter: 'agents',
      label: 'Agents',
      count: open.filter((thread) => isByAgent(thread) === '').length,
    },
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields.
    <div class="comment-filters needs-script" role="group" aria-label="Show comments">
      {filters.map(({ filter, label, count }) => (
        <button type="button" data-filter={filter} aria-pressed={filter === ''}>
          {label} <span class="count">{count}</span>
        </button>
      ))}
    </div>
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
          <Notes id="comment-quote" fault={quoteFault} />
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
          <Notes id="comment-replacement" fault={replacementFault} />
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
          <Notes id="comment-body" fault={bodyFault} />
        </div>
        <div class="form-actions">
          <button type="submit" class="primary small" title="Ctrl Enter">
            <span class="if-comment">Comment</span>
            <span class="if-suggestion">Suggest</span>
          </button>
          <PreviewButton discussion={discussion} />
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
