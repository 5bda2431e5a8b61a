import type { JSX } from 'preact';
import type { Visibility } from '../../base/schema/visibility.ts';
import { allowsVisibility } from '../../core/document/access-rules.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { FileInput, FormFault, Notes } from '../../surfaces/web/pages/form-field.tsx';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { FormActions, PageHead, visibilityWords } from '../../surfaces/web/pages/parts.tsx';
import { shownPath } from './import-rules.ts';
import type { ImportFate } from './import-service.ts';

const IF_TAKEN = [
  {
    value: 'skip',
    label: 'Skip',
    means: 'The existing document stays as it is.',
  },
  {
    value: 'number',
    label: 'Add a number',
    means: 'Such as plans-2. The existing document stays as it is.',
  },
] as const;

export type IfTaken = (typeof IF_TAKEN)[number]['value'];

/** The choices for the new documents. */
export interface ImportChoice {
  /** The owner's namespace. */
  owner: string;
  visibility: Visibility;
  ifTaken: IfTaken;
}

export interface ImportPage {
  username: string;
  /** The organizations where the user can create documents. */
  organizations: readonly { namespace: string; name: string; publicDocuments: boolean }[];
  choice: ImportChoice;
  /** The results by file. Empty before an import. */
  fates?: readonly ImportFate[];
  faults: Faults;
}

/** Shows the form that imports files, with the results of the last import. */
export function importPage(page: ImportPage): AppPage {
  return {
    title: 'Import',
    scripts: ['transfer.js'],
    children: (
      <div class="sheet narrow">
        <PageHead title="Import" />
        <p>
          Markdown files become briefs and HTML files become pages, named after their files. A zip
          archive is unpacked and each file in it imported.
        </p>
        <ImportResults fates={page.fates ?? []} />
        <ImportForm page={page} />
      </div>
    ),
  };
}

function ImportForm({ page }: { page: ImportPage }): JSX.Element {
  const { username, organizations, choice, faults } = page;
  return (
    <form
      class="form"
      method="post"
      action="/import"
      enctype="multipart/form-data"
      data-transfer="each"
    >
      <FormFault fault={faults.form} />
      {organizations.length === 0 ? (
        <input type="hidden" name="owner" value={username} />
      ) : (
        <OwnerField page={page} />
      )}
      <VisibilityChoice page={page} />
      <fieldset class="choices">
        <legend>If a name exists</legend>
        {IF_TAKEN.map((option) => (
          <Choice name="ifTaken" isChosen={choice.ifTaken === option.value} {...option} />
        ))}
      </fieldset>
      {/* Last, because the server reads files as they arrive and needs the other fields first. */}
      <div class="field drop-zone">
        <label for="files">Files</label>
        <FileInput
          id="files"
          name="files"
          label="Choose files"
          multiple
          required
          accept=".md,.markdown,.html,.htm,.zip"
          aria-invalid={faults.files ? 'true' : undefined}
          aria-describedby={faults.files ? 'files-hint files-fault' : 'files-hint'}
        />
        <p class="hint" id="files-hint">
          .md, .markdown, .html, .htm, or a .zip of up to 50 MB with at most 1,000 files.{' '}
          <span class="needs-script">Or drop them here.</span>
        </p>
        <Notes id="files" fault={faults.files} />
      </div>
      <FormActions label="Import" />
    </form>
  );
}

function OwnerField({ page }: { page: ImportPage }): JSX.Element {
  const { username, organizations, choice } = page;
  return (
    <div class="field">
      <label for="owner">Owner</label>
      <select id="owner" name="owner">
        <option value={username} selected={choice.owner === username} data-person="">
          {username} (you)
        </option>
        {organizations.map(({ namespace, name, publicDocuments }) => (
          <option
            value={namespace}
            selected={choice.owner === namespace}
            data-never-public={publicDocuments ? undefined : ''}
          >
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/**
 * Renders the choice of a visibility. A style and a script hide those that the chosen owner doesn't
 * offer (`surfaces/web/client/controls.css`, `client/import.ts`).
 */
function VisibilityChoice({ page }: { page: ImportPage }): JSX.Element {
  const { organizations, choice, faults } = page;
  const fault = faults.visibility;
  const offered: Visibility[] =
    organizations.length > 0 ? ['private', 'internal', 'public'] : ['private', 'public'];
  const isForOrganization = organizations.some(({ namespace }) => namespace === choice.owner);
  const ownerType = isForOrganization ? 'organization' : 'user';
  const chosen = allowsVisibility(ownerType, choice.visibility) ? choice.visibility : 'private';
  return (
    <fieldset class="choices" aria-describedby={fault && 'visibility-fault'}>
      <legend>Who can read them</legend>
      {offered.map((visibility) => (
        <Choice
          name="visibility"
          value={visibility}
          isChosen={chosen === visibility}
          {...visibilityWords(visibility)}
        />
      ))}
      <Notes id="visibility" fault={fault} />
    </fieldset>
  );
}

function Choice(choice: {
  name: string;
  value: string;
  label: string;
  means: string;
  isChosen: boolean;
}): JSX.Element {
  const id = `${choice.name}-${choice.value}`;
  return (
    <div class="choice">
      <input
        type="radio"
        id={id}
        name={choice.name}
        value={choice.value}
        checked={choice.isChosen}
        aria-describedby={`${id}-hint`}
      />
      <label for={id}>{choice.label}</label>
      <p class="hint" id={`${id}-hint`}>
        {choice.means}
      </p>
    </div>
  );
}

/** How many references of a document are listed. */
const MAX_SHOWN = 20;

const OUTCOMES = {
  created: { icon: 'check', label: 'Imported' },
  uploaded: { icon: 'check', label: 'Uploaded' },
  skipped: { icon: 'undo-2', label: 'Skipped' },
  failed: { icon: 'circle-alert', label: 'Failed' },
} as const satisfies Record<ImportFate['outcome'], { icon: IconName; label: string }>;

/**
 * Lists what happened to each file. Always present, even if hidden, because scripts add a row for
 * each file.
 */
function ImportResults({ fates }: { fates: readonly ImportFate[] }): JSX.Element {
  return (
    <section aria-labelledby="fates-title" id="fates" hidden={fates.length === 0}>
      <h2 id="fates-title">Import results</h2>
      <p role="status" data-fates-summary>
        {fates.length > 0 && summaryOf(fates)}
      </p>
      <table class="fates">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Outcome</th>
          </tr>
        </thead>
        <tbody>
          {fates.map((fate) => (
            <FateRow fate={fate} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function FateRow({ fate }: { fate: ImportFate }): JSX.Element {
  const { icon, label } = OUTCOMES[fate.outcome];
  return (
    <tr data-outcome={fate.outcome}>
      <td>{fate.path}</td>
      <td>
        <span class="outcome">
          <Icon name={icon} />
          {label}
        </span>{' '}
        <Details fate={fate} />
      </td>
    </tr>
  );
}

function Details({ fate }: { fate: ImportFate }): JSX.Element {
  switch (fate.outcome) {
    case 'created':
      return (
        <>
          as{' '}
          <a href={documentPath('read', { ...fate, ownerNamespace: fate.owner })}>
            {fate.owner}/{fate.name}
          </a>
          <Unresolved references={fate.unresolved} />
        </>
      );
    case 'uploaded':
      return (
        <>
          as <a href={fate.url}>a file</a>
        </>
      );
    default:
      return <>because it {fate.reason}</>;
  }
}

/** Lists what a document refers to that wasn't found. */
function Unresolved({ references }: { references: readonly string[] }): JSX.Element | null {
  if (references.length === 0) return null;
  const shown = references.slice(0, MAX_SHOWN);
  const more = references.length - shown.length;
  return (
    <p class="hint">
      Not found:{' '}
      {shown.map((reference, index) => (
        <>
          {index > 0 && ', '}
          <code>{shownPath(reference)}</code>
        </>
      ))}
      {more > 0 && ` and ${more} more`}
    </p>
  );
}

/** Returns a summary such as `3 imported, 2 uploaded, 1 skipped, 0 failed`. */
function summaryOf(fates: readonly ImportFate[]): string {
  return Object.entries(OUTCOMES)
    .map(([outcome, { label }]) => {
      const number = fates.filter((fate) => fate.outcome === outcome).length;
      return `${number} ${label.toLowerCase()}`;
    })
    .join(', ');
}
