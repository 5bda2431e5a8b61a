import type { ComponentChildren, JSX } from 'preact';
import { HiddenFields } from './parts.tsx';

/**
 * Renders a form that a passkey completes. It needs script; the page must load `passkey.js`.
 *
 * @param props.options the address that returns the options of the browser's request
 */
export function PasskeyForm(props: {
  act: 'create' | 'get';
  action: string;
  options: string;
  /** The name of the field for the browser's answer. */
  field?: string;
  fields?: Readonly<Record<string, string>>;
  label: string;
  class?: 'primary' | 'secondary';
  /** Whether the button is as wide as the form, as on the screens for signing in. */
  isWide?: boolean;
  children?: ComponentChildren;
}): JSX.Element {
  const button = (
    <button type="submit" class={props.class ?? 'secondary'} disabled>
      {props.label}
    </button>
  );
  return (
    <form
      class="form passkey"
      method="post"
      action={props.action}
      data-passkey={props.act}
      data-options={props.options}
    >
      <HiddenFields fields={props.fields} />
      <input type="hidden" name={props.field ?? 'credential'} data-credential />
      {props.children}
      <p class="fault" role="alert" hidden />
      {props.isWide ? button : <p class="form-actions">{button}</p>}
      <noscript>
        <p class="hint">Passkeys need JavaScript.</p>
      </noscript>
    </form>
  );
}
