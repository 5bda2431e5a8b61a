import type { JSX } from 'preact';
import type { OwnerType, Visibility } from '../../base/schema/visibility.ts';
import { levelOfMembers } from '../../core/document/access-rules.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import { documentPath, type Titled } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { OwnerInWords } from '../../surfaces/web/pages/access-labels.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { NameField } from '../../surfaces/web/pages/name-field.tsx';
import { DocumentField, FormActions } from '../../surfaces/web/pages/parts.tsx';
import { Choice } from '../sharing/access-forms.tsx';

/** Where a document can be moved, and whether that owner's documents can be public. */
export interface MoveTarget extends OwnerInWords {
  publicDocuments: boolean;
}

/** The data for moving a document. */
export interface MovePage {
  document: Titled & { ownerType: OwnerType; visibility: Visibility };
  /** Whether its organization requires approvals, which end when it leaves. */
  leavesProtection: boolean;
  from: OwnerInWords;
  /** The possible targets: the person's own namespace, and organizations. */
  choices: readonly MoveTarget[];
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
  const mayHaveToBePrivate =
    visibility === 'internal' ||
    (visibility === 'public' && choices.some(({ publicDocuments }) => !publicDocuments));
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
      {mayHaveToBePrivate && (
        <MakePrivate
          isChosen={form.isPrivate}
          hint={
            visibility === 'internal'
              ? 'Only an organization’s documents can be internal.'
              : 'Organizations that allow no public documents take it only then.'
          }
          fault={faults.visibility}
        />
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

function MakePrivate(props: {
  isChosen: boolean;
  hint: string;
  fault: string | undefined;
}): JSX.Element {
  const { isChosen, hint, fault } = props;
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
        {hint}
      </p>
      {fault && (
        <p class="fault" id="move-private-fault">
          {fault}
        </p>
      )}
    </div>
  );
}

/** Describes in sentences what people at the new owner gain by a move. */
function gainsBy(visibility: Visibility, to: MoveTarget): string {
  const { organization, publicDocuments } = to;
  if (!organization) return 'It belongs to you alone.';
  const { name, defaultBriefPermission } = organization;
  const members = levelOfMembers(visibility, defaultBriefPermission);
  const admins = `Admins of ${name} can manage it.`;
  if (visibility === 'public' && !publicDocuments) {
    return `${admins} It allows no public documents.`;
  }
  if (visibility === 'public') {
    return members === 'write' ? `${admins} Its members can edit it.` : admins;
  }
  if (members === 'none') return `${admins} Its members can’t see it.`;
  return `${admins} Its members can ${members === 'write' ? 'read and edit' : 'read'} it.`;
}

/** Describes in sentences who loses access when a document leaves its owner. */
function lossesBy(visibility: Visibility, from: OwnerInWords, ownerType: OwnerType): string {
  const { organization, namespace } = from;
  if (ownerType === 'user') return 'You no longer own it, but you can still manage it.';
  const name = organization?.name ?? namespace;
  const members = levelOfMembers(visibility, organization?.defaultBriefPermission ?? null);
  const admins = `Admins of ${name} can no longer manage it`;
  if (visibility === 'internal') return `${admins}, and its members lose access to it.`;
  if (members === 'write') return `${admins}, and its members can no longer edit it.`;
  return `${admins}.`;
}
