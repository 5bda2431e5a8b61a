import type { JSX } from 'preact';
import { Notes } from './form-field.tsx';

/** Renders a field for a text of several lines, with its label, hint and error. */
export function TextField(field: {
  name: string;
  label: string;
  value: string;
  hint?: string;
  /** The error, as a sentence. */
  fault?: string | undefined;
  maxLength: number;
  rows?: number;
  isOptional?: boolean;
  /** Whether the field has the focus when the screen opens. */
  focused?: boolean;
}): JSX.Element {
  const { name, hint, fault } = field;
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={name}>{field.label}</label>
      <textarea
        id={name}
        name={name}
        rows={field.rows ?? 4}
        maxLength={field.maxLength}
        required={!field.isOptional}
        dir="auto"
        autofocus={field.focused}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={described || undefined}
      >
        {field.value}
      </textarea>
      <Notes id={name} hint={hint} fault={fault} />
    </div>
  );
}
