import type { JSX } from 'preact';
import type { OwnerType, Visibility } from '../../../document/access-rules.ts';
import { shownTitle } from '../../../document/shown-title.ts';
import { documentPath, type Titled } from '../../app/addresses.ts';
import type { Faults } from '../../form.ts';
import { Choice } from './access-forms.tsx';
import type { OwnerInWords } from './access-labels.ts';
import type { AppPage } from './app-page.tsx';
import { dialogScreen } from './dialog-screen.tsx';
import { gainsBy, lossesBy } from './move-effects.ts';
import { NameField } from './name-field.tsx';
import { DocumentField, FormActions } from './parts.tsx';

/** The data for moving a document. */
export interface MovePage {
  document: Titled & { ownerType: OwnerType; visibility: Visibility };
  /** Whether its organization requires approvals, which end when it leaves. */
  leavesProtection: boolean;
  from: OwnerInWords;
  /** The possible targets: the person's own namespace, and organizations. */
  choices: readonly OwnerInWords[];
  form: { owner: string; name: string; isPrivate: boolean };
  faults: Faults;
}

/** Asks for the new owner, and says who gains and who loses access. */
export function movePage(page: MovePage): AppPage {
  const title = `Move ${shownTitle(page.document)}`;
  return dialogScreen({
    title,
    children: page.choices.length === 0 ? <Nowhere /> : <MoveForm {...page} />,
  });
}

function Nowhere(): JSX.Element {
  return (
    <p>
      You can’t create documents anywhere else. <a href="/organizations">Create an organization</a>{' '}
      or ask to join one.
    </p>
  );
}

function MoveForm(page: MovePage): JSX.Element {
  const { document, from, choices, form, faults } = page;
  const { visibility, ownerType } = document;
  const fault = faults.owner ?? faults.form;
  return (
    <form class="form" method="post" action={documentPath('move', document)}>
      <DocumentField document={document} />
      <fieldset class="choices" aria-describedby={fault ? 'move-owner-fault' : undefined}>
        <legend>New owner</legend>
        {choices.map((to) => (
          <Choice
            name="owner"
            value={to.namespace}
            id={`move-to-${to.namespace}`}
            label={to.organization?.name ?? `You (${to.namespace})`}
            hint={gainsBy(visibility, to)}
            isChosen={to.namespace === form.owner}
          />
        ))}
        {fault && (
          <p class="fault" id="move-owner-fault">
            {fault}
          </p>
        )}
      </fieldset>
      {visibility === 'internal' && (
        <MakePrivate isChosen={form.isPrivate} fault={faults.visibility} />
      )}
      <NameField id="move-name" label="Name there" value={form.name} fault={faults.name} />
      <p>
        {lossesBy(visibility, from, ownerType)}
        {page.leavesProtection &&
          ' It is no longer protected there: its texts can become public without an approval.'}
      </p>
      <p class="hint">
        Collaborators, comments and history move with it, as do invitations and secret links by
        people who can still share it. The old link will redirect to the new one.
      </p>
      <FormActions label="Move" back={documentPath('read', document)} />
    </form>
  );
}

function MakePrivate(props: { isChosen: boolean; fault: string | undefined }): JSX.Element {
  const { isChosen, fault } = props;
  return (
    <div class="choice">
      <input
        type="checkbox"
        name="private"
        value="yes"
        id="move-private"
        checked={isChosen}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={fault ? 'move-private-hint move-private-fault' : 'move-private-hint'}
      />
      <label for="move-private">Make it private</label>
      <p class="hint" id="move-private-hint">
        Only an organization’s documents can be internal.
      </p>
      {fault && (
        <p class="fault" id="move-private-fault">
          {fault}
        </p>
      )}
    </div>
  );
}
