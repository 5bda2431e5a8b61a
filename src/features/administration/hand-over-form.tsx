import type { JSX } from 'preact';
import { personPath } from '../../surfaces/web/addresses.ts';
import { type Faults, readForm } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { FormActions } from '../../surfaces/web/pages/parts.tsx';
import { TextField } from '../../surfaces/web/pages/text-field.tsx';
import type { HandOver } from '../moves/hand-over-service.ts';

/** The longest list of names in a form, in UTF-16 code units. */
const MAX_NAMES_LENGTH = 100_000;

/** What the forms say about documents, as it was typed. */
export interface HandOverForm {
  /** What happens with them; '' if nothing is chosen. */
  documents: string;
  to: string;
  which: string;
}

const WHO = 'A username, or the namespace of an organization.';
const FATE_OF_FILES =
  'Uploaded files go along. What is in the trash or taken down is deleted, and former addresses lead nowhere.';

export const NO_HAND_OVER: HandOverForm = { documents: '', to: '', which: '' };

export function readHandOver(body: unknown): HandOverForm {
  return readForm(body, ['documents', 'to', 'which']);
}

/** Returns what is to be handed over: documents named one a line, or all. */
export function handOverOf({ to, which }: HandOverForm): HandOver {
  const names = which.split('\n').map((line) => line.trim());
  const documents = names.filter(Boolean);
  return documents.length > 0 ? { to, documents } : { to };
}

/** Returns what happens with the documents of an account that is deleted, if it was chosen. */
export function fateOf({ documents, to }: HandOverForm): 'delete' | { to: string } | undefined {
  if (documents === 'hand-over') return { to };
  return documents === 'delete' ? 'delete' : undefined;
}

/** Asks what happens with the documents of an account that is disabled or deleted. */
export function DocumentsQuestion({
  otherwise,
  form,
  faults,
}: {
  /** What happens with them if they aren’t handed over. */
  otherwise: 'keep' | 'delete';
  form: HandOverForm;
  faults: Faults;
}): JSX.Element {
  const choices = [
    [otherwise, otherwise === 'keep' ? 'Keep them with the account' : 'Delete them'],
    ['hand-over', 'Hand them over'],
  ] as const;
  return (
    <>
      <fieldset class="choices">
        <legend>Its documents</legend>
        {choices.map(([value, label]) => (
          <label class="choice">
            <input
              type="radio"
              name="documents"
              value={value}
              checked={form.documents === value}
              required
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <Field
        name="to"
        label="Hand over to"
        value={form.to}
        fault={faults.to}
        hint={otherwise === 'delete' ? `${WHO} ${FATE_OF_FILES}` : WHO}
        autocomplete="off"
        isOptional
      />
    </>
  );
}

/** Asks to whom documents of an account are handed over, and which. */
export function handOverPage({
  username,
  form,
  faults,
}: {
  username: string;
  form: HandOverForm;
  faults: Faults;
}): AppPage {
  return dialogScreen({
    title: `Hand over documents of ${username}`,
    place: 'administration',
    children: (
      <>
        <p>
          They keep their history, comments and secret links, and get a new address; the former one
          leads there as long as the account exists. What is in the trash or taken down stays. The
          new owner and {username} are told by mail.
        </p>
        <form class="form" method="post" action={personPath(username, 'hand-over')}>
          <FormFault fault={faults.form} />
          <Field
            name="to"
            label="New owner"
            value={form.to}
            fault={faults.to}
            hint={WHO}
            autocomplete="off"
            focused
          />
          <TextField
            name="which"
            label="Which"
            value={form.which}
            hint="Names, one a line: plan, or pages/dice. Empty for all."
            fault={faults.documents}
            maxLength={MAX_NAMES_LENGTH}
            rows={3}
            isOptional
          />
          <FormActions label="Hand over" back={personPath(username)} class="danger" />
        </form>
      </>
    ),
  });
}
