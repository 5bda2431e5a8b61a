import type { JSX } from 'preact';
import { shorten } from '../../base/text/shorten.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import type { Takedown } from '../../core/document/takedown-store.ts';
import {
  documentPath,
  managedOwnerPath,
  TAKEDOWNS_PATH,
  type Titled,
  takeDownPath,
} from '../../surfaces/web/addresses.ts';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Ago, Day } from '../../surfaces/web/pages/format.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { type Listed, Pager } from '../../surfaces/web/pages/pager.tsx';
import {
  ButtonForm,
  DocumentField,
  EmptyState,
  FormActions,
} from '../../surfaces/web/pages/parts.tsx';
import { TextField } from '../../surfaces/web/pages/text-field.tsx';
import { MAX_REASON, type ShownTakedown, wasPublic } from './takedown-service.ts';

/** How much of a text administrators are shown, in UTF-16 code units. */
const MAX_SHOWN = 100_000;

/** Asks an administrator why a document is taken down. */
export function takeDownPage(
  document: Titled,
  form: { reason: string; fault?: string | undefined },
): AppPage {
  const { kind, ownerNamespace, name } = document;
  return dialogScreen({
    title: `Take ${shownTitle(document)} down?`,
    children: (
      <>
        <p>
          The {kind}{' '}
          <strong>
            {ownerNamespace}/{name}
          </strong>{' '}
          will be hidden from everybody at once. Those who manage it see the reason. You can restore
          it under “Taken down”.
        </p>
        <form class="form" method="post" action={takeDownPath(document)}>
          <DocumentField document={document} />
          <TextField
            name="reason"
            label="Reason"
            value={form.reason}
            hint="Those who manage the document read it, by mail, too."
            fault={form.fault}
            maxLength={MAX_REASON}
            focused
          />
          <FormActions label="Take down" back={documentPath('read', document)} class="danger" />
        </form>
      </>
    ),
  });
}

/** Lists what is taken down, for administrators of the instance. */
export function takedownsPage(list: Listed<Takedown> & { now: string }): AppPage {
  return administrationPage('takedowns', {
    title: 'Taken down',
    children: (
      <>
        {list.items.length === 0 ? (
          <EmptyState title={list.page === 1 ? 'Nothing is taken down' : 'Nothing on this page'}>
            <p>“Take down” is in the menu of every public document.</p>
          </EmptyState>
        ) : (
          <ul class="items" aria-label="Documents that are taken down">
            {list.items.map((document) => (
              <TakedownItem document={document} now={list.now} />
            ))}
          </ul>
        )}
        <Pager
          label="Pages of the list"
          list={list}
          path={(page) => `${TAKEDOWNS_PATH}?page=${page}`}
        />
      </>
    ),
  });
}

function TakedownItem({ document, now }: { document: Takedown; now: string }): JSX.Element {
  const { id, kind, ownerNamespace, name, takenDownAt, takenDownReason, deletedAt } = document;
  return (
    <li class="item">
      <span class="thumbnail">
        <Icon name={kind === 'brief' ? 'file-text' : 'app-window'} />
      </span>
      <div class="item-main">
        <a class="item-title" href={`${TAKEDOWNS_PATH}/${id}`}>
          {ownerNamespace}/{name}
        </a>
        <p class="item-facts">
          <span>
            Taken down <Ago at={takenDownAt} now={now} />
          </span>
          {deletedAt !== null && <span>In its owner’s trash</span>}
          <span dir="auto">{takenDownReason}</span>
          <OwnerOf document={document} />
        </p>
      </div>
      <div class="item-end">
        <RestoreForm document={document} />
      </div>
    </li>
  );
}

/** Leads to the owner of a document in the administration. */
export function OwnerOf({
  document: { ownerType, ownerNamespace },
}: {
  document: Pick<Takedown, 'ownerType' | 'ownerNamespace'>;
}): JSX.Element {
  const owner = { type: ownerType, namespace: ownerNamespace };
  return (
    <span>
      of <a href={managedOwnerPath(owner)}>{ownerNamespace}</a>
    </span>
  );
}

function RestoreForm({ document: { id, name } }: { document: Takedown }): JSX.Element {
  return (
    <ButtonForm
      action={`${TAKEDOWNS_PATH}/${id}/restore`}
      label="Restore"
      name={`Restore ${name}`}
      class="secondary small"
    />
  );
}

/** Shows an administrator one document that is taken down: its text only if it was public. */
export function takedownPage({ takedown, text }: ShownTakedown): AppPage {
  const { kind, ownerNamespace, name, takenDownAt, takenDownReason, deletedAt } = takedown;
  return administrationPage('takedowns', {
    about: `${ownerNamespace}/${name}`,
    title: `${ownerNamespace}/${name}`,
    actions: <RestoreForm document={takedown} />,
    children: (
      <>
        <p>
          This {kind} was taken down on <Day at={takenDownAt} />.
          {deletedAt !== null && ' Its owner has deleted it since. It is in the trash.'}
        </p>
        <p>
          The reason: <q dir="auto">{takenDownReason}</q>
        </p>
        <p>
          <a href={managedOwnerPath({ type: takedown.ownerType, namespace: ownerNamespace })}>
            {ownerNamespace} in the administration
          </a>
        </p>
        {text === undefined ? (
          <p class="aside">
            {wasPublic(takedown)
              ? 'Its text can’t be found.'
              : `It wasn’t public, so its text isn’t shown.`}
          </p>
        ) : (
          <section aria-labelledby="taken-down-text">
            <h2 id="taken-down-text">What everybody could read</h2>
            <pre dir="auto">
              <code>{shorten(text, MAX_SHOWN)}</code>
            </pre>
          </section>
        )}
      </>
    ),
  });
}

/** Lists, above an owner's documents, those that an administrator has taken down. */
export function TakenDownList(props: {
  documents: readonly Takedown[];
  /** The time, ISO 8601. */
  now: string;
}): JSX.Element | null {
  const { documents, now } = props;
  if (documents.length === 0) return null;
  return (
    <section class="taken-down" aria-labelledby="taken-down">
      <h2 id="taken-down">Taken down</h2>
      <p class="aside">
        Administrators of this instance have hidden these documents from everybody. All you can do
        is delete them. Ask an administrator if you think that this is wrong.
      </p>
      <ul class="items">
        {documents.map((document) => (
          <li class="item">
            <span class="thumbnail">
              <Icon name={document.kind === 'brief' ? 'file-text' : 'app-window'} />
            </span>
            <div class="item-main">
              <strong class="item-title">{shownTitle(document)}</strong>
              <p class="item-facts">
                <span class="item-address">
                  {document.ownerNamespace}/{document.name}
                </span>
                <span>
                  Taken down <Ago at={document.takenDownAt} now={now} />
                </span>
                <span dir="auto">{document.takenDownReason}</span>
              </p>
            </div>
            <div class="item-end">
              <a
                class="quiet small"
                href={documentPath('delete', document)}
                aria-label={`Delete ${document.name}`}
                data-dialog
              >
                Delete
              </a>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
