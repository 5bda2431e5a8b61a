import type { ComponentChildren, JSX } from 'preact';
import { Icon } from './icons.tsx';

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
  /** Whether it may stay empty. */
  isOptional?: boolean;
  /** The HTML attribute of the same name. */
  autocomplete: string;
  minLength?: number;
  maxLength?: number;
  /** Whether the field has the focus when the screen opens. */
  focused?: boolean;
  /** The field whose text it follows, in letters of a namespace, until somebody writes in it. */
  proposedFrom?: string;
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
        required={!field.isOptional}
        autocomplete={field.autocomplete}
        autocapitalize="none"
        spellcheck={false}
        minLength={field.minLength}
        maxLength={field.maxLength}
        autofocus={field.focused}
        data-proposed-from={field.proposedFrom}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={described || undefined}
      />
      <Notes id={id} hint={hint} fault={fault} />
    </div>
  );
}

/** Renders what is under a field: its hint and its error. */
export function Notes(field: {
  id: string;
  hint?: ComponentChildren;
  fault?: string | undefined;
}): JSX.Element {
  const { id, hint, fault } = field;
  return (
    <>
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
    </>
  );
}

/** Renders a field for a day, written the same in every browser: `2026-01-31`. */
export function DayInput(field: { name: string; id: string; value?: string }): JSX.Element {
  return (
    <input
      {...field}
      type="text"
      pattern="\d{4}-\d{2}-\d{2}"
      placeholder="YYYY-MM-DD"
      title="Write the day as 2026-01-31."
      autocomplete="off"
    />
  );
}

/** Renders a field for files as a button. A script shows what is chosen (`client/fields.ts`). */
export function FileInput(
  field: Omit<JSX.IntrinsicElements['input'], 'type' | 'role'> & { label: string },
): JSX.Element {
  const { label, ...rest } = field;
  return (
    <div class="file-field">
      <label class="secondary small file-choice">
        <Icon name="upload" />
        <span>{label}</span>
        <input {...rest} type="file" />
      </label>
      <span class="file-names needs-script" aria-hidden="true" />
    </div>
  );
}

/** Tells password managers which account a form with only a password is for. */
export function ForAccount({ username }: { username: string }): JSX.Element {
  return (
    <input type="text" name="username" value={username} autocomplete="username" hidden readonly />
  );
}

export function Checkboxes(field: {
  name: string;
  legend: string;
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
      <Notes id={name} fault={fault} />
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
