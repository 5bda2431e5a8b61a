import type { JSX } from 'preact';
import { MAX_NAME_CHARACTERS } from '../../../base/text/document-name.ts';
import { Field } from './form-field.tsx';

/** Renders the field for a document's name, where it is renamed, moved or restored. */
export function NameField(field: {
  id: string;
  label: string;
  value: string;
  hint?: string;
  fault?: string | undefined;
  focused?: boolean;
}): JSX.Element {
  return <Field {...field} name="name" autocomplete="off" maxLength={MAX_NAME_CHARACTERS} />;
}
