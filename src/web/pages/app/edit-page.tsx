import type { JSX } from 'preact';
import { allowsVisibility, VISIBILITIES, type Visibility } from '../../../document/access.ts';
import { KINDS, type Kind } from '../../../document/kind.ts';
import type { Template } from '../../../document/template-service.ts';
import { type Addressed, documentPath, newDocumentPath } from '../../app/addresses.ts';
import type { Faults } from '../../form.ts';
import type { Site } from '../assets.ts';
import { Moment } from '../format.tsx';
import { Icon } from '../icons.tsx';
import { textAreaContent } from '../text-area.ts';
import type { AppPage } from './app-page.tsx';
import { EditorFoot, EditorTools } from './edit-tools.tsx';
import { EditingNow } from './editing-now.tsx';
import { visibilityWords } from './parts.tsx';
import { TemplateMenu } from './template-menu.tsx';

/** The data of the editor's form. */
export interface EditPage {
  kind: Kind;
  /** The current document; undefined for a new one. */
  document:
    | (Addressed & { id: string; ownerType: 'user' | 'organization'; updatedAt: string })
    | undefined;
  /** The possible owners of a new document, the user first. */
  owners: readonly {
    namespace: string;
    name: string;
    /** The suggested visibility for a new document of this owner. */
    visibility: Visibility;
  }[];
  /** What a new brief can start with. */
  templates?: readonly Template[];
  rights: { visibility: boolean };
  fields: { content: string; name: string; visibility: string; owner: string };
  /** The values when the editor was opened. A save changes only what differs from them. */
  from: { name: string; visibility: string };
  /** Whether the fields were submitted but not saved, or come from a template. */
  isSent: boolean;
  /** The etag of the state that a save replaces; '' for a new document. */
  etag: string;
  faults: Faults;
  /** “You” or the name of the last writer, to begin a sentence with. */
  savedBy?: string | undefined;
  /** The version that another writer saved in the meantime. */
  theirs?: { content: string };
  /** The address of the saved page in its sandbox. */
  saved?: string;
  /** The address that previews unsaved HTML. */
  previewUrl: string;
  /** Set if the text will be proposed instead of saved: the base revision, and the reason. */
  proposal?: { baseRevision: string; message: string };
  /** The account whose drafts can be shown. */
  accountId: string;
  /** Allows the editor's styles in the content security policy. */
  nonce: string;
}

/** The editor: a form with a text area that works without scripts and that the script enhances. */
export function editPage(page: EditPage): AppPage {
  const { kind } = page;
  const title = titleOf(page);
  return {
    title,
    skipTo: 'Skip to the editor',
    wholeWindow: true,
    stylesheets: kind === 'brief' ? ['article.css', 'math.css', 'editor.css'] : ['editor.css'],
    scripts: ['editor.js'],
    trail: <span class="here">{title}</span>,
    children: (site) => <Editor page={page} title={title} site={site} />,
  };
}

function titleOf({ kind, document, proposal }: EditPage): string {
  if (!document) return `New ${kind}`;
  return `${proposal ? 'Propose changes to' : 'Edit'} ${document.name}`;
}

function Editor(props: { page: EditPage; title: string; site: Site }): JSX.Element {
  const { page, title, site } = props;
  const { kind, document, fields, faults, proposal } = page;
  const { contentLimitBytes } = KINDS[kind];
  const settings = {
    kind,
    accountId: page.accountId,
    documentId: document?.id,
    savedBy: page.savedBy,
    savedAt: document?.updatedAt,
    limitBytes: contentLimitBytes,
    newPath: newDocumentPath(kind),
    previewUrl: page.previewUrl,
    threadsStyle: site.assets.url('threads.css'),
    ...(page.isSent && { isSent: true }),
    ...(proposal && { isProposal: true }),
  };
  return (
    <form
      class="editor"
      id="editor"
      method="post"
      action={
        document ? documentPath(proposal ? 'propose' : 'edit', document) : newDocumentPath(kind)
      }
      encType="multipart/form-data"
      data-kind={kind}
      data-settings={JSON.stringify(settings)}
      // Browsers hide a nonce attribute from style sheets, so injected styles can't steal it.
      {...{ nonce: page.nonce }}
    >
      <h1 class="visually-hidden">{title}</h1>
      <input type="hidden" name="etag" value={page.etag} />
      <input type="hidden" name="account" value={page.accountId} />
      <input type="hidden" name="fromName" value={page.from.name} />
      <input type="hidden" name="fromVisibility" value={page.from.visibility} />
      {proposal ? <ProposalBar page={page} proposal={proposal} /> : <EditorBar page={page} />}
      <div class="editor-notices" id="editor-notices">
        {Object.entries(faults).map(([field, fault]) => (
          <p class="form-fault" role="alert" id={`${field}-fault`}>
            {fault}
          </p>
        ))}
        {page.theirs && <Conflict page={page} theirs={page.theirs} />}
      </div>
      <EditorTools kind={kind} />
      <div class="panes" data-shows="write">
        <div class="pane write-pane">
          <label class="visually-hidden" for="content">
            {page.theirs ? 'Your version' : KINDS[kind].contentDescription}
          </label>
          <textarea
            id="content"
            name="content"
            autocomplete="off"
            autofocus={!faults.name && !page.theirs}
            spellcheck={kind === 'brief'}
            aria-invalid={faults.content ? 'true' : undefined}
            aria-describedby={faults.content ? 'content-fault' : undefined}
            dangerouslySetInnerHTML={textAreaContent(fields.content)}
          />
        </div>
        <View page={page} />
      </div>
      <EditorFoot kind={kind} />
    </form>
  );
}

function EditorBar({ page }: { page: EditPage }): JSX.Element {
  const { kind, document, fields, faults } = page;
  return (
    <div class="editor-bar">
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
      {/* Whoever has the editor open reports it by script, and is then listed here. */}
      <EditingNow editors={[]} place="editor" />
      <p class="save-state needs-script" id="save-state" role="status" />
      <div class="editor-actions">
        {kind === 'page' && <FileChoice />}
        <TemplateMenu templates={page.templates ?? []} />
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

/** The bar for proposing. A proposal changes neither the name nor who can read the document. */
function ProposalBar(props: {
  page: EditPage;
  proposal: NonNullable<EditPage['proposal']>;
}): JSX.Element {
  const { page, proposal } = props;
  const { kind, document, fields } = page;
  return (
    <div class="editor-bar">
      <input type="hidden" name="baseRevision" value={proposal.baseRevision} />
      <input type="hidden" name="name" value={fields.name} />
      <div class="editor-names">
        <span class="owner">{document?.ownerNamespace}</span>
        <span class="divider" aria-hidden="true">
          /
        </span>
        <span>{fields.name}</span>
      </div>
      <div class="editor-names">
        <input
          name="message"
          aria-label="What you changed, and why"
          placeholder="What you changed, and why"
          value={proposal.message}
          maxLength={1_000}
          autocomplete="off"
        />
      </div>
      <p class="save-state needs-script" id="save-state" role="status" />
      <div class="editor-actions">
        {kind === 'page' && <FileChoice />}
        {document && (
          <a class="quiet small" href={documentPath('read', document)}>
            Cancel
          </a>
        )}
        <button type="submit" class="primary small">
          Propose changes
        </button>
      </div>
    </div>
  );
}

function OwnerChoice({ page: { owners, fields } }: { page: EditPage }): JSX.Element {
  return (
    <select name="owner" aria-label="Owner">
      {owners.map(({ namespace, visibility }, index) => (
        <option
          value={namespace}
          selected={namespace === fields.owner}
          data-person={index === 0 ? '' : undefined}
          data-visibility={visibility}
        >
          {namespace}
        </option>
      ))}
    </select>
  );
}

/** A style hides what the chosen owner doesn't offer (`client/controls.css`). */
function VisibilityChoice({ page }: { page: EditPage }): JSX.Element | null {
  const { document, rights, owners, fields, faults } = page;
  if (!rights.visibility) {
    const { label, means } = visibilityWords(fields.visibility as Visibility);
    return <span class="visibility-note" title={means}>{`${label}. ${means}`}</span>;
  }
  const hasInside = document ? document.ownerType === 'organization' : owners.length > 1;
  const choices = VISIBILITIES.filter((each) => each !== 'internal' || hasInside);
  const isPersonal = owners[0]?.namespace === fields.owner;
  const chosen =
    isPersonal && !allowsVisibility('user', fields.visibility as Visibility)
      ? 'private'
      : fields.visibility;
  return (
    <select
      name="visibility"
      aria-label="Who can read this"
      aria-invalid={faults.visibility ? 'true' : undefined}
      aria-describedby={faults.visibility ? 'visibility-fault' : undefined}
    >
      {choices.map((each) => {
        const { label, inShort } = visibilityWords(each);
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

/** Shows both texts. With scripts, the editor compares them side by side instead. */
function Conflict(props: { page: EditPage; theirs: NonNullable<EditPage['theirs']> }): JSX.Element {
  const { page, theirs } = props;
  return (
    <section class="conflict" aria-labelledby="conflict-title">
      <h2 id="conflict-title">
        {page.savedBy ?? 'Someone'} saved a newer version
        {page.document && (
          <>
            {' on '}
            <Moment at={page.document.updatedAt} />
          </>
        )}
      </h2>
      <p class="form-fault" role="alert">
        Your version is not saved yet. It’s below the current version. Merge the two in your
        version, then save it to replace the current one.
      </p>
      <label for="theirs">Current version</label>
      <textarea id="theirs" readonly dangerouslySetInnerHTML={textAreaContent(theirs.content)} />
      <p aria-hidden="true">Your version</p>
    </section>
  );
}

function View({ page }: { page: EditPage }): JSX.Element {
  if (page.kind === 'brief') {
    return (
      <section class="pane view-pane needs-script" aria-label="Preview">
        <div class="prose" id="preview" />
      </section>
    );
  }
  return (
    <section class="pane view-pane" aria-label="The page in its sandbox" id="preview">
      {page.saved !== undefined && (
        <noscript>
          <iframe
            class="page-frame"
            src={page.saved}
            title="The page as saved"
            sandbox="allow-scripts allow-forms allow-modals allow-downloads"
            referrerpolicy="no-referrer"
          />
        </noscript>
      )}
    </section>
  );
}
