import type { ComponentChildren, JSX } from 'preact';
import { documentPath } from '../../surfaces/web/addresses.ts';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { DocumentField, HiddenFields } from '../../surfaces/web/pages/parts.tsx';
import type { CardDraft, Discussion } from './discussion-state.ts';

/** Renders a card's form. The button that submits it says what to do, in the field `act`. */
export function ThreadForm(props: {
  discussion: Discussion;
  fields: Readonly<Record<string, string>>;
  /** By which fields and buttons outside of it belong to it. */
  id?: string;
  children: ComponentChildren;
}): JSX.Element {
  const { action } = props.discussion;
  return (
    <form class="thread-actions" id={props.id} method="post" action={action}>
      <DocumentField document={props.discussion.document} />
      <HiddenFields fields={props.fields} />
      {props.children}
    </form>
  );
}

/** Renders an icon as a button that needs none of the form's texts. */
export function ActButton(props: {
  act: string;
  label: string;
  icon: IconName;
  /** What it acts on, for screen readers. */
  on: string;
  /** The key that presses it (`comments.ts`). */
  shortcut?: string;
}): JSX.Element {
  const { act, label, shortcut } = props;
  return (
    <button
      type="submit"
      name="act"
      value={act}
      // The form's other buttons require its texts; this one doesn't.
      formNoValidate
      class="action"
      aria-label={`${label}: ${props.on}`}
      title={shortcut ? `${label} (${shortcut})` : label}
      data-key={shortcut}
    >
      <Icon name={props.icon} />
      <span class="visually-hidden">{label}</span>
    </button>
  );
}

/** Renders a text area and its button, folded under a summary unless the text was refused. */
export function WritingDetails(props: {
  discussion: Discussion;
  thread: string;
  comment?: string;
  /** The id of the form that sends it. Default: the form around it. */
  form?: string;
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
        form={props.form}
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
      <p class="form-actions">
        <button
          type="submit"
          form={props.form}
          name="act"
          value={props.act}
          class="primary small"
          title={`${props.submit} (Ctrl Enter)`}
        >
          {props.submit}
        </button>
        {props.field === 'body' && <PreviewButton discussion={props.discussion} />}
        <button type="button" class="quiet small needs-script" data-cancels>
          Cancel
        </button>
      </p>
    </details>
  );
}

/** Renders the button that shows a comment as it will look; not with a secret link alone. */
export function PreviewButton({ discussion }: { discussion: Discussion }): JSX.Element | null {
  if (discussion.action !== documentPath('read', discussion.document)) return null;
  return (
    <button type="button" class="quiet small needs-script" data-previews aria-pressed="false">
      Preview
    </button>
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
