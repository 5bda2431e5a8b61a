import type { JSX } from 'preact';
import { EVENT_TYPES, type EventType } from '../../base/schema/event.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Checkboxes, Field, FormFault } from '../../surfaces/web/pages/form-field.tsx';
import { Day } from '../../surfaces/web/pages/format.tsx';
import { FormActions } from '../../surfaces/web/pages/parts.tsx';
import {
  EVENT_LABELS,
  Secret,
  stateLabel,
  type WebhooksPlace,
  webhooksFrame,
} from './webhook-parts.tsx';
import type { WebhookRow } from './webhook-store.ts';
import { MAX_URL_LENGTH } from './webhook-url.ts';

export interface WebhooksPage {
  webhooks: readonly WebhookRow[];
  form: { url: string; types: readonly EventType[] };
  faults: Faults;
  /** The webhook that was just created. Its secret is shown only once. */
  made?: { url: string; secret: string };
}

export function webhooksPage(place: WebhooksPlace, page: WebhooksPage): AppPage {
  const { webhooks, made } = page;
  return webhooksFrame(
    place,
    <>
      {made && <Secret text={made.secret} />}
      <section aria-labelledby="webhooks">
        <h2 id="webhooks">Webhooks</h2>
        <p class="aside">
          Post what happens to {place.organization ? 'the organization’s' : 'your'} documents to a
          service of yours.
        </p>
        {webhooks.length === 0 ? (
          <p>No webhooks.</p>
        ) : (
          <ul class="rows">
            {webhooks.map((webhook) => (
              <li>
                <div>
                  <a href={`${place.path}/${webhook.id}`}>{webhook.url}</a>
                  <p class="aside">
                    {stateLabel(webhook)}
                    &nbsp;· Created <Day at={webhook.createdAt} />
                    {place.organization && ` by ${webhook.createdBy ?? 'a deleted account'}`}
                  </p>
                </div>
              </li>
            ))}
          </ul>
        )}
      </section>
      <NewWebhook place={place} page={page} />
    </>,
  );
}

function NewWebhook({ place, page }: { place: WebhooksPlace; page: WebhooksPage }): JSX.Element {
  const { form, faults } = page;
  return (
    <section aria-labelledby="new-webhook">
      <h2 id="new-webhook">Create webhook</h2>
      <form class="form" method="post" action={place.path}>
        <FormFault fault={faults.form} />
        <Field
          name="url"
          label="Address"
          value={form.url}
          fault={faults.url}
          hint="Where to post to, such as https://example.com/briefs."
          autocomplete="off"
          maxLength={MAX_URL_LENGTH}
          focused={faults.url !== undefined}
        />
        <Checkboxes
          name="types"
          legend="Events"
          options={EVENT_TYPES.map((type) => [type, EVENT_LABELS[type]] as const)}
          checked={form.types}
          fault={faults.types}
        />
        <FormActions label="Create webhook" />
      </form>
    </section>
  );
}
