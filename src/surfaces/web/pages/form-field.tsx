import type { JSX } from 'preact';

export interface FormField {
  name: string;
  /** The element's id. Default: the name. */
  id?: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  /** The submitted value, shown again after an error; never a password. */
  value?: string;
  /** The error, as a sentence. */
  fault?: string | undefined;
  hint?: string;
  /** The HTML attribute of the same name. */
  autocomplete: string;
  minLength?: number;
  maxLength?: number;
  /** Whether the field has the focus when the screen opens. */
  focused?: boolean;
}

export function Field(field: FormField): JSX.Element {
  const { name, id = name, label, type = 'text', fault, hint } = field;
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        value={field.value}
        // Preact's types have one element per input type and reject the union.
        type={type as 'text'}
        required
        autocomplete={field.autocomplete}
        autocapitalize="none"
        spellcheck={false}
        minLength={field.minLength}
        maxLength={field.maxLength}
        autofocus={field.focused}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={described || undefined}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

/** Tells password managers which account a form with only a password is for. */
export function ForAccount({ username }: { username: string }): JSX.Element {
  return (
    <input type="text" name="username" value={username} autocomplete="username" hidden readonly />
  );
}

/** Renders a list of checkboxes. */
export function Checkboxes(field: {
  name: string;
  legend: string;
  /** Each option's value and label. */
  options: readonly (readonly [value: string, label: string])[];
  checked: readonly string[];
  fault: string | undefined;
}): JSX.Element {
  const { name, legend, options, checked, fault } = field;
  return (
    <fieldset class="choices" aria-describedby={fault && `${name}-fault`}>
      <legend>{legend}</legend>
      {options.map(([value, label]) => (
        <label class="choice">
          <input type="checkbox" name={name} value={value} checked={checked.includes(value)} />
          <span>{label}</span>
        </label>
      ))}
      {fault && (
        <p class="fault" id={`${name}-fault`}>
          {fault}
        </p>
      )}
    </fieldset>
  );
}

/** Renders an error about the whole form. Screen readers announce it when the page opens. */
export function FormFault({ fault }: { fault: string | undefined }): JSX.Element | null {
  if (fault === undefined) return null;
  return (
    <p class="form-fault" role="alert">
      {fault}
    </p>
  );
}

/** Renders a hidden field with the path to redirect to afterwards. */
export function Next({ path }: { path: string }): JSX.Element {
  return <input type="hidden" name="next" value={path} />;
}
