import type { JSX } from 'preact';
import { amountInWords, LIMITS, type Limit, type Quotas } from '../../core/quota/quota.ts';
import type { Excepted } from '../../core/quota/quota-store.ts';
import { managedOwnerPath, QUOTAS_PATH, quotasPathOf } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import { administrationPage } from '../../surfaces/web/pages/administration-page.tsx';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { ButtonForm } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';
import type { OwnerQuotas } from './quota-admin-service.ts';
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

/** What the administrator's form has, as it was sent. */
export type QuotaForm = Record<'owner' | Limit, string>;

const LABELS: Record<Limit, string> = {
  documents: 'Documents',
  bytes: 'Storage',
  tokens: 'Tokens',
  webhooks: 'Webhooks',
  documentsPerDay: 'New documents in 24 hours',
  organizations: 'Organizations that a user creates',
};

/** Shows administrators of the instance who has limits of their own. */
export function quotasPage(page: {
  defaults: Quotas;
  excepted: readonly Excepted[];
  /** The owner whose limits the form changes, with what it has; `undefined` before one is named. */
  chosen: OwnerQuotas | undefined;
  form: QuotaForm;
  faults: Faults;
}): AppPage {
  const { defaults, excepted, chosen } = page;
  return administrationPage('limits', {
    children: (
      <>
        <section aria-labelledby="defaults">
          <h2 id="defaults">For everyone</h2>
          <p class="aside">From the operator’s settings.</p>
          <dl class="identity">
            {LIMITS.map((limit) => (
              <>
                <dt>{LABELS[limit]}</dt>
                <dd>{mostInWords(limit, defaults[limit])}</dd>
              </>
            ))}
          </dl>
        </section>
        <section aria-labelledby="own">
          <h2 id="own">With limits of their own</h2>
          {excepted.length === 0 ? (
            <p>Nobody. All have the limits above.</p>
          ) : (
            <ul class="rows">
              {excepted.map(({ owner, ownerType, exceptions }) => (
                <li>
                  <div>
                    <a href={managedOwnerPath({ type: ownerType, namespace: owner })}>{owner}</a>
                    <p class="aside">{words(exceptions)}</p>
                  </div>
                  <span class="row-end">
                    <a
                      class="quiet small"
                      href={quotasPathOf(owner)}
                      aria-label={`Change the limits of ${owner}`}
                    >
                      Change
                    </a>
                    <ButtonForm
                      action={`${QUOTAS_PATH}/remove`}
                      fields={{ owner }}
                      label="Remove"
                      name={`Remove the limits of ${owner}`}
                      class="secondary small"
                    />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </section>
        {chosen && (
          <section aria-labelledby="used">
            <h2 id="used">What {chosen.owner} uses</h2>
            <UsageList usage={chosen.usage} limits={LIMITS} warns={false} />
          </section>
        )}
        <OwnLimitsForm form={page.form} faults={page.faults} />
      </>
    ),
  });
}

function mostInWords(limit: Limit, amount: number | null): string {
  return amount === null ? 'no limit' : amountInWords(limit, amount);
}

function words(quotas: Partial<Quotas>): string {
  return LIMITS.flatMap((limit) => {
    const amount = quotas[limit];
    return amount === undefined ? [] : [`${LABELS[limit]}: ${mostInWords(limit, amount)}`];
  }).join(' · ');
}

function OwnLimitsForm({ form, faults }: { form: QuotaForm; faults: Faults }): JSX.Element {
  const field = (name: 'owner' | Limit, label: string, required: boolean, hint?: string) => {
    const fault = faults[name];
    return (
      <div class="field">
        <label for={name}>{label}</label>
        <input
          id={name}
          name={name}
          value={form[name]}
          required={required}
          maxLength={40}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-invalid={fault ? 'true' : undefined}
          aria-describedby={
            [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(' ') ||
            undefined
          }
        />
        {hint && (
          <p class="hint" id={`${name}-hint`}>
            {hint}
          </p>
        )}
        {fault && (
          <p class="fault" id={`${name}-fault`}>
            {fault}
          </p>
        )}
      </div>
    );
  };
  return (
    <section class="settings-column" aria-labelledby="set">
      <h2 id="set">{form.owner === '' ? 'Set limits' : `Limits of ${form.owner}`}</h2>
      <p class="aside">
        Leave a field empty for the limit of the settings. <code>none</code> is no limit. Replaces
        earlier limits of the same user or organization.
      </p>
      <form class="form" method="post" action={QUOTAS_PATH}>
        <FormFault fault={faults.form} />
        {field('owner', 'User or organization', true)}
        {field('documents', LABELS.documents, false)}
        {field('bytes', LABELS.bytes, false, 'Such as 500MB or 5GB.')}
        {field('tokens', LABELS.tokens, false)}
        {field('webhooks', LABELS.webhooks, false)}
        {field('documentsPerDay', LABELS.documentsPerDay, false)}
        {field('organizations', LABELS.organizations, false)}
        <div>
          <button type="submit" class="primary">
            Set limits
          </button>
        </div>
      </form>
    </section>
  );
}
