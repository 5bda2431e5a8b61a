import type { JSX } from 'preact';
import { VISIBILITIES, type Visibility } from '../../base/schema/visibility.ts';
import { allowsVisibility } from '../../core/document/access-rules.ts';
import { documentPath, pathWithShown } from '../../surfaces/web/addresses.ts';
import { FileInput } from '../../surfaces/web/pages/form-field.tsx';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { CopyLinkItem, MenuLink } from '../../surfaces/web/pages/menu-items.tsx';
import { visibilityWords } from '../../surfaces/web/pages/parts.tsx';
import { PeoplePlace } from '../../surfaces/web/pages/people.tsx';
import { ReviewAction } from '../reviews/review-page.tsx';
import { TemplateMenu } from '../templates/template-menu.tsx';
import type { EditPage } from './edit-state.ts';

/** Renders the bar above the text: where it is saved, who can read it, and the buttons. */
export function EditorBar({ page }: { page: EditPage }): JSX.Element {
  const { kind, document, fields, faults } = page;
  return (
    <div class="editor-bar">
      <button
        type="button"
        class="editor-fold needs-script"
        id="editor-fold"
        aria-expanded="false"
        title="Name, and who can read this"
      >
        <span>{fields.name}</span> <span />
        <Icon name="chevron-down" />
      </button>
      <div class="editor-names">
        {document ? (
          <span class="owner">{document.ownerNamespace}</span>
        ) : (
          <OwnerChoice page={page} />
        )}
        <span class="divider" aria-hidden="true">
          /
        </span>
        <input
          name="name"
          aria-label="Name"
          value={fields.name}
          placeholder={`Name (taken from the ${kind === 'brief' ? 'heading' : 'title'})`}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          required={document !== undefined}
          autofocus={faults.name !== undefined}
          aria-invalid={faults.name ? 'true' : undefined}
          aria-describedby={faults.name ? 'name-fault' : undefined}
        />
      </div>
      <VisibilityChoice page={page} />
      {canSuggest(page) && <ReasonField hidden />}
      <PeoplePlace />
      <p class="save-state needs-script" id="save-state" role="status" />
      <div class="editor-actions">
        {kind === 'page' && <FileChoice />}
        <TemplateMenu templates={page.templates ?? []} />
        <button type="submit" class="primary small" title="Save (Ctrl S)">
          {document || fields.visibility !== 'public' ? 'Save' : 'Publish'}
        </button>
        {document && (
          <a class="quiet small" id="done" href={documentPath('read', document)}>
            Done
          </a>
        )}
      </div>
      <EditorActs page={page} />
    </div>
  );
}

/** Tells whether what somebody types can become suggestions; in a new document, once it is saved. */
export function canSuggest({ kind, document, rights }: EditPage): boolean {
  return kind === 'brief' && (!document || rights.suggest === true);
}

function ReasonField(props: { value?: string; hidden?: boolean }): JSX.Element {
  return (
    <input
      class="reason"
      name="message"
      aria-label="What you changed, and why"
      placeholder="What you changed, and why"
      value={props.value}
      hidden={props.hidden}
      maxLength={1_000}
      autocomplete="off"
    />
  );
}

/** Renders the bar for proposing, which can change neither the name nor who can read. */
export function ProposalBar(props: {
  page: EditPage;
  proposal: NonNullable<EditPage['proposal']>;
}): JSX.Element {
  const { page, proposal } = props;
  const { kind, document, fields } = page;
  return (
    <div class="editor-bar">
      <input type="hidden" name="baseRevision" value={proposal.baseRevision} />
      {kind === 'brief' && <input type="hidden" name="as" value="suggestions" />}
      <input type="hidden" name="name" value={fields.name} />
      <div class="editor-names">
        <span class="owner">{document?.ownerNamespace}</span>
        <span class="divider" aria-hidden="true">
          /
        </span>
        <span>{fields.name}</span>
      </div>
      <div class="editor-names">
        <ReasonField value={proposal.message} />
      </div>
      <p class="save-state needs-script" id="save-state" role="status" />
      <div class="editor-actions">
        {kind === 'page' && <FileChoice />}
        {document && (
          <a class="quiet small" href={documentPath('read', document)}>
            Cancel
          </a>
        )}
        <button type="submit" class="primary small" title="Save (Ctrl S)">
          {kind === 'brief' ? 'Save suggestions' : 'Propose changes'}
        </button>
      </div>
    </div>
  );
}

function OwnerChoice({ page: { owners, fields } }: { page: EditPage }): JSX.Element {
  return (
    <select name="owner" aria-label="Owner">
      {owners.map(({ namespace, visibility, publicDocuments }, index) => (
        <option
          value={namespace}
          selected={namespace === fields.owner}
          data-person={index === 0 ? '' : undefined}
          data-never-public={publicDocuments ? undefined : ''}
          data-visibility={visibility}
        >
          {namespace}
        </option>
      ))}
    </select>
  );
}

/**
 * Renders the menu of visibilities. A style hides those that the chosen owner doesn't offer
 * (`client/editor.css`).
 */
function VisibilityChoice({ page }: { page: EditPage }): JSX.Element | null {
  const { document, rights, owners, fields, faults, from, seenBy } = page;
  // A secret link doesn’t change the visibility, but who can see the document.
  const wordsOf = (each: Visibility) =>
    visibilityWords(seenBy !== undefined && each === from.visibility ? seenBy : each);
  if (!rights.visibility) {
    const { label, inShort, means } = wordsOf(fields.visibility as Visibility);
    return <span class="visibility-note" title={means}>{`${label}: ${inShort}`}</span>;
  }
  const hasInside = document ? document.ownerType === 'organization' : owners.length > 1;
  const choices = VISIBILITIES.filter((each) =>
    each === 'public' ? rights.publish : each !== 'internal' || hasInside,
  );
  const isPersonal = owners[0]?.namespace === fields.owner;
  const sent = choices.find((each) => each === fields.visibility) ?? from.visibility;
  const chosen = isPersonal && !allowsVisibility('user', sent as Visibility) ? 'private' : sent;
  return (
    <select
      name="visibility"
      aria-label="Who can read this"
      aria-invalid={faults.visibility ? 'true' : undefined}
      aria-describedby={faults.visibility ? 'visibility-fault' : undefined}
    >
      {choices.map((each) => {
        const { label, inShort } = wordsOf(each);
        return (
          <option value={each} selected={each === chosen}>
            {`${label}: ${inShort}`}
          </option>
        );
      })}
    </select>
  );
}

function FileChoice(): JSX.Element {
  return <FileInput name="file" label="HTML file" accept=".html,.htm,text/html" />;
}

/**
 * Renders what else one can do with the document, without leaving the editor: Review and Share open as
 * dialogs. On phones, both are in the menu. A script fetches it after the first save.
 */
function EditorActs({ page }: { page: EditPage }): JSX.Element {
  const { document, acts } = page;
  if (!document || !acts) return <div class="editor-acts" id="editor-acts" />;
  const { state, link, linkHint } = acts;
  const share = pathWithShown('share', document);
  return (
    <div class="editor-acts" id="editor-acts">
      {state !== undefined && <ReviewAction document={document} state={state} />}
      <a class="action" href={share} title="Share" data-dialog>
        <Icon name="user-plus" />
        <span class="label">Share</span>
      </a>
      <details class="menu" data-menu>
        <summary class="action" title="More">
          <Icon name="ellipsis" />
          <span class="visually-hidden">More</span>
        </summary>
        <ul class="menu-items">
          {state !== undefined && (
            <MenuLink
              href={pathWithShown('review', document)}
              icon="check"
              label="Review"
              isDialog
            />
          )}
          <MenuLink href={share} icon="user-plus" label="Share" isDialog />
          <CopyLinkItem link={link} hint={linkHint} />
          <MenuLink href={documentPath('history', document)} icon="history" label="History" />
          <li class="needs-script">
            <button
              type="button"
              class="menu-item"
              id="name-version"
              title="Say what this version is, so that it stands out in the history"
            >
              <Icon name="tag" />
              <span>Name version</span>
            </button>
          </li>
          {canSuggest(page) && <ModeItems />}
        </ul>
      </details>
    </div>
  );
}

/** On phones, the switch of the toolbar is in the menu. */
function ModeItems(): JSX.Element {
  return (
    <>
      <li class="needs-script">
        <button type="button" class="menu-item" data-mode="editing">
          <Icon name="pencil" />
          <span>Change the text</span>
        </button>
      </li>
      <li class="needs-script">
        <button type="button" class="menu-item" data-mode="suggesting">
          <Icon name="message-square" />
          <span>Suggest changes</span>
        </button>
      </li>
    </>
  );
}
