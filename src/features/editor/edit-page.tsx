import type { JSX } from 'preact';
import { KINDS } from '../../base/schema/kind.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import { documentPath, newDocumentPath } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Moment } from '../../surfaces/web/pages/format.tsx';
import { DocumentField } from '../../surfaces/web/pages/parts.tsx';
import { textAreaContent } from '../../surfaces/web/pages/text-area.ts';
import { TemplateRow } from '../templates/template-menu.tsx';
import { EditorBar, ProposalBar } from './edit-bar.tsx';
import type { EditPage } from './edit-state.ts';
import { EditorFoot, EditorTools } from './edit-tools.tsx';

/** Shows the editor: a form with a text area, which works without scripts. A script enhances it. */
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
  return `${proposal ? 'Propose changes to' : 'Edit'} ${shownTitle(document)}`;
}

function Editor(props: { page: EditPage; title: string; site: Site }): JSX.Element {
  const { page, title, site } = props;
  const { kind, document, fields, faults, proposal } = page;
  const { contentLimitBytes } = KINDS[kind];
  const settings = {
    kind,
    accountId: page.accountId,
    documentId: document?.id,
    version: document?.version,
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
      nonce={page.nonce}
    >
      <h1 class="visually-hidden">{title}</h1>
      {document && <DocumentField document={document} />}
      <input type="hidden" name="etag" value={page.etag} />
      <input type="hidden" name="account" value={page.accountId} />
      <input type="hidden" name="fromName" value={page.from.name} />
      <input type="hidden" name="fromVisibility" value={page.from.visibility} />
      {proposal ? <ProposalBar page={page} proposal={proposal} /> : <EditorBar page={page} />}
      {document && proposal?.because && (
        <p class="editor-notice">
          {proposal.because === 'protected'
            ? `This ${kind} is protected while it is public. `
            : `You can read this ${kind}, but not change it. `}
          {kind === 'brief' ? 'What you write becomes suggestions' : 'What you write is proposed'}
          {', and the text changes once somebody who may accept it does.'}
          {proposal.because === 'protected' && (
            <a href={documentPath('review', document)}>Protection</a>
          )}
        </p>
      )}
      <div class="editor-notices" id="editor-notices">
        {Object.entries(faults).map(([field, fault]) => (
          <p class="form-fault" role="alert" id={`${field}-fault`}>
            {fault}
          </p>
        ))}
        {page.theirs && <Conflict page={page} theirs={page.theirs} />}
      </div>
      <EditorTools page={page} />
      <div class="panes" data-shows="write">
        <div class="pane write-pane">
          <label class="visually-hidden" for="content">
            {page.theirs ? 'Your version' : KINDS[kind].contentDescription}
          </label>
          <textarea
            id="content"
            dir="auto"
            name="content"
            autocomplete="off"
            autofocus={!faults.name && !page.theirs}
            spellcheck={kind === 'brief'}
            aria-invalid={faults.content ? 'true' : undefined}
            aria-describedby={faults.content ? 'content-fault' : undefined}
            dangerouslySetInnerHTML={textAreaContent(fields.content)}
          />
          <TemplateRow templates={page.templates ?? []} />
        </div>
        <View page={page} />
      </div>
      <EditorFoot kind={kind} />
    </form>
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
      <textarea
        id="theirs"
        dir="auto"
        readonly
        dangerouslySetInnerHTML={textAreaContent(theirs.content)}
      />
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
            allow="clipboard-write; fullscreen"
            referrerpolicy="no-referrer"
          />
        </noscript>
      )}
    </section>
  );
}
