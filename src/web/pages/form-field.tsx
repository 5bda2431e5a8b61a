import type { JSX } from 'preact';

export interface FormField {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  /** What was sent before, to be corrected; never of a password. */
  value?: string;
  /** What is wrong with it, as a sentence. */
  fault?: string | undefined;
  hint?: string;
  /** What browsers and password managers may fill in. */
  autocomplete: string;
  minLength?: number;
  maxLength?: number;
  /** Whether the page begins here. */
  focused?: boolean;
}

/** A labelled field, with what is wrong beside it. */
export function Field(field: FormField): JSX.Element {
  const { name, label, type = 'text', fault, hint } = field;
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        // The types know no element of one type or another.
        type={type as 'text'}
        value={field.value}
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
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${name}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

/** What is wrong with a form as a whole; said aloud as the page comes up. */
export function FormFault({ fault }: { fault: string | undefined }): JSX.Element | null {
  if (fault === undefined) return null;
  return (
    <p class="form-fault" role="alert">
      {fault}
    </p>
  );
}

/** Remembers where the visitor is going. */
export function Next({ path }: { path: string }): JSX.Element {
  return <input type="hidden" name="next" value={path} />;
}
