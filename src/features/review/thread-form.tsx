import type { ComponentChildren, JSX } from 'preact';
import { DocumentField, HiddenFields } from '../../surfaces/web/pages/parts.tsx';
import type { CardDraft, Discussion } from './discussion-state.ts';

/** Renders a card's form. The button that submits it says what to do, in the field `act`. */
export function ThreadForm(props: {
  discussion: Discussion;
  fields: Readonly<Record<string, string>>;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <form class="thread-actions" method="post" action={props.discussion.action}>
      <DocumentField document={props.discussion.document} />
      <HiddenFields fields={props.fields} />
      {props.children}
    </form>
  );
}

/** Renders a button that needs none of the form's texts. */
export function ActButton(props: {
  act: string;
  label: string;
  /** The name for screen readers. */
  name: string;
  class?: 'primary small' | 'quiet small';
  /** The key that presses it (`comments.ts`). */
  shortcut?: string;
}): JSX.Element {
  return (
    <button
      type="submit"
      name="act"
      value={props.act}
      // Other buttons of the form require its texts; this one doesn't.
      formNoValidate
      class={props.class ?? 'quiet small'}
      aria-label={props.name}
      data-key={props.shortcut}
    >
      {props.label}
    </button>
  );
}

/** Renders a text area and its button, folded under a summary unless the text was refused. */
export function WritingDetails(props: {
  discussion: Discussion;
  thread: string;
  /** The comment that is edited, if any. */
  comment?: string;
  act: string;
  summary: string;
  /** The text of the button. */
  submit: string;
  field: 'body' | 'quote';
  /** The text area's name for screen readers. */
  label: string;
  maxLength: number;
  /** The text to begin with. */
  text?: string;
  rows?: number;
  hint?: string;
  class?: string;
  /** The key that opens it (`comments.ts`). */
  shortcut?: string;
}): JSX.Element {
  const refused = refusedIn(props);
  const faultId = `${props.act}-fault`;
  return (
    <details
      class={props.class ? `reply ${props.class}` : 'reply'}
      data-key={props.shortcut}
      open={refused !== undefined}
    >
      <summary class="quiet small" title={props.hint}>
        {props.summary}
      </summary>
      <textarea
        name={props.field}
        dir="auto"
        rows={props.rows ?? 3}
        required
        maxLength={props.maxLength}
        autocomplete="off"
        aria-label={props.label}
        aria-describedby={refused && faultId}
        aria-invalid={refused && 'true'}
        autofocus={refused !== undefined}
      >
        {refused?.text ?? props.text}
      </textarea>
      {refused && (
        <p class="fault" id={faultId}>
          {refused.fault}
        </p>
      )}
      <button type="submit" name="act" value={props.act} class="primary small">
        {props.submit}
      </button>
    </details>
  );
}

/** Returns the text of this form, if it was refused. */
function refusedIn(form: {
  discussion: Discussion;
  thread: string;
  comment?: string;
  act: string;
}): CardDraft | undefined {
  const { refused } = form.discussion;
  if (!refused || !('inCard' in refused)) return undefined;
  const { thread, comment, act } = refused.inCard;
  const isHere = thread === form.thread && comment === (form.comment ?? '') && act === form.act;
  return isHere ? refused.inCard : undefined;
}
