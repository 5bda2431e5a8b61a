import { LABEL_LIMITS } from '../../base/schema/label.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import { documentPath, type Titled } from '../../surfaces/web/addresses.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Notes } from '../../surfaces/web/pages/form-field.tsx';
import { DocumentField, FormActions } from '../../surfaces/web/pages/parts.tsx';
import { Trail } from '../../surfaces/web/pages/trail.tsx';

/** Asks for a document's labels: some of its owner's, and new ones. */
export function labelsPage(page: {
  document: Titled;
  /** The owner's labels and the document's, sorted, and whether each is chosen. */
  choices: readonly { label: string; isChosen: boolean }[];
  /** New labels as typed, separated by commas. */
  added: string;
  fault?: string | undefined;
  /** Where the form leads afterwards. */
  back: string;
}): AppPage {
  const { document, choices, fault } = page;
  const title = `Labels of ${shownTitle(document)}`;
  return dialogScreen({
    title,
    trail: <Trail owner={document.ownerNamespace} name={document.name} title={document.title} />,
    children: (
      <form class="form" method="post" action={documentPath('labels', document)}>
        <DocumentField document={document} />
        <input type="hidden" name="back" value={page.back} />
        {choices.length > 0 && (
          <fieldset class="label-choices">
            <legend>Labels of {document.ownerNamespace}</legend>
            {choices.map(({ label, isChosen }) => (
              <label class="label-chip">
                <input type="checkbox" name="label" value={label} checked={isChosen} />
                {label}
              </label>
            ))}
          </fieldset>
        )}
        <div class="field">
          <label for="new-labels">New labels</label>
          <input
            id="new-labels"
            name="added"
            value={page.added}
            autocomplete="off"
            aria-invalid={fault ? 'true' : undefined}
            aria-describedby={fault ? 'new-labels-hint new-labels-fault' : 'new-labels-hint'}
          />
          <p class="hint" id="new-labels-hint">
            Separate them with commas. A document can have {LABEL_LIMITS.perDocument} labels of up
            to {LABEL_LIMITS.characters} characters. Everyone signed in who can read it sees them.
          </p>
          <Notes id="new-labels" fault={fault} />
        </div>
        <FormActions label="Save labels" back={page.back} />
      </form>
    ),
  });
}
