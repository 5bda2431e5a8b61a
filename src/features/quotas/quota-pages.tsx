import { amountInWords, LIMITS, type OwnLimit, type Quotas } from '../../core/quota/quota.ts';
import { managedOwnerPath, type OwnerName, quotasPathOf } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { FormActions } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';
import type { Usage } from './usage-service.ts';
import { UsageList } from './usage-view.tsx';

/** Shows what the reader uses. */
export function storagePage(usage: Usage): AppPage {
  return settingsPage(
    'storage',
    <section aria-labelledby="storage">
      <h2 id="storage">Storage and limits</h2>
      <UsageList usage={usage} limits={LIMITS} />
      <p class="aside">
        Deleting a document moves it to <a href="/trash">the trash</a>, which still needs its space
        until it is emptied.
      </p>
    </section>,
  );
}

/** What the form of an owner's limits has, as it was sent. */
export type LimitsForm = Record<OwnLimit, string>;

/** Asks administrators of the instance for the limits of one owner. */
export function ownLimitsPage(page: {
  owner: OwnerName;
  defaults: Quotas;
  form: LimitsForm;
  faults: Faults;
}): AppPage {
  const { owner, defaults, form, faults } = page;
  const usual = (limit: OwnLimit) => {
    const amount = defaults[limit];
    return `Usually ${amount === null ? 'no limit' : amountInWords(limit, amount)}.`;
  };
  return dialogScreen({
    title: `Limits of ${owner.namespace}`,
    place: 'administration',
    children: (
      <>
        <p>
          Leave a field empty for the usual limit. <code>none</code> is no limit.
        </p>
        <form class="form" method="post" action={quotasPathOf(owner.namespace)}>
          <FormFault fault={faults.form} />
          <Field
            name="documents"
            label="Documents"
            value={form.documents}
            fault={faults.documents}
            hint={usual('documents')}
            isOptional
            autocomplete="off"
            focused
          />
          <Field
            name="bytes"
            label="Storage"
            value={form.bytes}
            fault={faults.bytes}
            hint={`Such as 500MB or 5GB. ${usual('bytes')}`}
            isOptional
            autocomplete="off"
          />
          <FormActions label="Set limits" back={managedOwnerPath(owner)} />
        </form>
      </>
    ),
  });
}
