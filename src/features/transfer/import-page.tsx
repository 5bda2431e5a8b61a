import type { JSX } from 'preact';
import type { Visibility } from '../../base/schema/visibility.ts';
import { allowsVisibility } from '../../core/document/access-rules.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { PageHead, visibilityWords } from '../../surfaces/web/pages/parts.tsx';
import { ImportResults } from './import-results.tsx';
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
        <input
          id="files"
          type="file"
          name="files"
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
        {faults.files && (
          <p class="fault" id="files-fault">
            {faults.files}
          </p>
        )}
      </div>
      <p class="form-actions">
        <button type="submit" class="primary">
          Import
        </button>
      </p>
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
      {fault && (
        <p class="fault" id="visibility-fault">
          {fault}
        </p>
      )}
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
