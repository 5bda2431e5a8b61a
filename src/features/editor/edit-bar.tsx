import type { JSX } from 'preact';
import { VISIBILITIES, type Visibility } from '../../base/schema/visibility.ts';
import { allowsVisibility } from '../../core/document/access-rules.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import { Icon } from '../../surfaces/web/pages/icons.tsx';
import { visibilityWords } from '../../surfaces/web/pages/parts.tsx';
import { PeoplePlace } from '../../surfaces/web/pages/people.tsx';
import { TemplateMenu } from '../templates/template-menu.tsx';
import { EditorActs } from './edit-acts.tsx';
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
      <ModeSwitch page={page} />
      <PeoplePlace />
      <EditorActs page={page} />
      <p class="save-state needs-script" id="save-state" role="status" />
      <div class="editor-actions">
        {kind === 'page' && <FileChoice />}
        <TemplateMenu templates={page.templates ?? []} />
        <button
          type="button"
          class="quiet small needs-script"
          id="name-version"
          title="Say what this version is, so that it stands out in the history"
          hidden={!document}
        >
          Name version
        </button>
        {document && (
          <a class="quiet small" id="done" href={documentPath('read', document)}>
            Done
          </a>
        )}
        <button type="submit" class="primary small" title="Save (Ctrl S)">
          {document || fields.visibility !== 'public' ? 'Save' : 'Publish'}
        </button>
      </div>
    </div>
  );
}

/** Renders the switch between changing the text and suggesting changes; hidden until it is saved. */
function ModeSwitch({ page }: { page: EditPage }): JSX.Element | null {
  const { kind, document, rights } = page;
  if (kind !== 'brief' || (document && !rights.suggest)) return null;
  return (
    <>
      <fieldset class="pane-switch mode-switch needs-script" id="editing-mode" hidden={!document}>
        <legend class="visually-hidden">What you type</legend>
        <button
          type="button"
          class="action"
          data-mode="editing"
          aria-pressed="true"
          title="Change the text (Ctrl Alt Shift Z)"
        >
          Editing
        </button>
        <button
          type="button"
          class="action"
          data-mode="suggesting"
          aria-pressed="false"
          title="Suggest changes, which others accept or reject (Ctrl Alt Shift X)"
        >
          Suggesting
        </button>
      </fieldset>
      <ReasonField hidden />
    </>
  );
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
  return (
    <label class="secondary small file-choice">
      <Icon name="upload" />
      <span>HTML file</span>
      <input type="file" name="file" accept=".html,.htm,text/html" />
    </label>
  );
}
