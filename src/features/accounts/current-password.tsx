import type { JSX } from 'preact';
import type { Faults } from '../../surfaces/web/form.ts';
import { Field } from '../../surfaces/web/pages/form-field.tsx';

/** Asks for the password again before a change of the account. */
export function CurrentPassword(props: {
  name: 'current' | 'password';
  label: string;
  faults: Faults;
}): JSX.Element {
  const { name, label, faults } = props;
  return (
    <Field
      name={name}
      label={label}
      type="password"
      fault={faults[name]}
      autocomplete="current-password"
      focused={faults[name] !== undefined}
    />
  );
}
