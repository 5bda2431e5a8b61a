import type { ComponentChildren, JSX } from 'preact';
import { EVENT_TYPES, type EventType } from '../../../document/feed/event.ts';
import type { DeliveryRow } from '../../../webhook/webhook-delivery-store.ts';
import type { WebhookRow } from '../../../webhook/webhook-store.ts';
import { MAX_URL_LENGTH } from '../../../webhook/webhook-url.ts';
import type { Faults } from '../../form.ts';
import { Checkboxes, Field, FormFault } from '../form-field.tsx';
import { Day, Moment } from '../format.tsx';
import type { AppPage } from './app-page.tsx';
import { dialogScreen } from './dialog-screen.tsx';
import { type OwnOrganization, organizationTab } from './organization-frame.tsx';
import { ButtonForm, ConfirmForm, CopyLine } from './parts.tsx';
import { settingsPage } from './settings/settings-page.tsx';

/** Whose webhooks a page shows. */
export interface WebhooksPlace {
  /** The address of the list. */
  path: string;
  /** `undefined` for the user's own. */
  organization: OwnOrganization | undefined;
}

const TYPES = {
  'revision.created': 'New revision',
  'document.changed': 'Name or visibility changed',
  'document.deleted': 'Document deleted',
  'document.restored': 'Document restored',
  'thread.opened': 'Comment or suggestion opened',
  'comment.added': 'Reply',
  'thread.closed': 'Thread resolved',
  'thread.reopened': 'Thread reopened',
  'suggestion.accepted': 'Suggestion accepted',
  'suggestion.rejected': 'Suggestion rejected',
  'review.requested': 'Review requested',
  'review.given': 'Review given',
} as const satisfies Record<EventType, string>;

const DISABLED = {
  request: 'Disabled',
  gone: 'Disabled: the receiver answered 410 Gone',
  failing: 'Disabled: five days without a success',
} as const;

const FAULTS = {
  address: 'address not allowed',
  connection: 'no connection',
  timeout: 'no response in 15 seconds',
  status: 'refused',
  disabled: 'dropped, because the webhook was disabled',
} as const;

export interface WebhooksPage {
  webhooks: readonly WebhookRow[];
  form: { url: string; types: readonly EventType[] };
  faults: Faults;
  /** The webhook that was just created. Its secret is shown only once. */
  made?: { url: string; secret: string };
}

function frame(place: WebhooksPlace, children: ComponentChildren): AppPage {
  const { organization } = place;
  if (!organization) return settingsPage('webhooks', children);
  return organizationTab({
    organization,
    tab: 'settings',
    children: <div class="settings-column">{children}</div>,
  });
}

/** Lists webhooks, and creates one. */
export function webhooksPage(place: WebhooksPlace, page: WebhooksPage): AppPage {
  const { webhooks, made } = page;
  return frame(
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
                    {stateOf(webhook)}
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

/** One webhook with its latest deliveries. */
export function webhookPage(
  place: WebhooksPlace,
  page: {
    webhook: WebhookRow;
    deliveries: readonly DeliveryRow[];
    /** A new secret, shown only once. */
    secret: string | undefined;
  },
): AppPage {
  const { webhook, deliveries, secret } = page;
  const path = `${place.path}/${webhook.id}`;
  const isEnabled = webhook.disabledAt === null;
  return frame(
    place,
    <>
      {secret !== undefined && <Secret text={secret} isNew />}
      <section aria-labelledby="webhook">
        <p>
          <a href={place.path}>All webhooks</a>
        </p>
        <h2 id="webhook">Webhook</h2>
        <CopyLine text={webhook.url} label="Address" />
        <p class="aside">
          {stateOf(webhook)}
          {webhook.failingSince !== null && (
            <>
              &nbsp;· Failing since <Moment at={webhook.failingSince} />
            </>
          )}
        </p>
        <ul class="aside">
          {webhook.types.split(' ').map((type) => (
            <li>{TYPES[type as EventType]}</li>
          ))}
        </ul>
        <div>
          <div class="form-actions">
            {isEnabled && <ButtonForm action={`${path}/test`} label="Send test" class="primary" />}
            <ButtonForm
              action={`${path}/${isEnabled ? 'disable' : 'enable'}`}
              label={isEnabled ? 'Disable' : 'Enable'}
            />
            <ButtonForm action={`${path}/secret`} label="New secret" />
            <a class="quiet" href={`${path}/delete`} data-dialog>
              Delete
            </a>
          </div>
        </div>
      </section>
      <section aria-labelledby="deliveries">
        <h2 id="deliveries">Latest deliveries</h2>
        {deliveries.length === 0 ? (
          <p>No deliveries in the last 30 days.</p>
        ) : (
          <ul class="rows">
            {deliveries.map((delivery) => (
              <Delivery delivery={delivery} />
            ))}
          </ul>
        )}
      </section>
    </>,
  );
}

/** Asks for confirmation before a webhook is deleted. */
export function deleteWebhookPage(place: WebhooksPlace, { id, url }: WebhookRow): AppPage {
  const title = 'Delete this webhook?';
  return dialogScreen({
    title,
    place: place.organization ? { organization: place.organization.namespace } : 'settings',
    children: (
      <>
        <p>Nothing will be sent to {url} any more. This can’t be undone.</p>
        <ConfirmForm
          action={`${place.path}/${id}/delete`}
          label="Delete webhook"
          back={`${place.path}/${id}`}
        />
      </>
    ),
  });
}

function stateOf({ disabledBecause, failingSince }: WebhookRow): string {
  if (disabledBecause !== null) return DISABLED[disabledBecause];
  return failingSince === null ? 'Enabled' : 'Enabled, failing';
}

function Delivery({ delivery }: { delivery: DeliveryRow }): JSX.Element {
  const { type, status, code, fault, attempts, nextAt, createdAt } = delivery;
  const result = status === 'delivered' ? 'Delivered' : status === 'failed' ? 'Failed' : 'Waiting';
  const why = [code, fault && FAULTS[fault]].filter((part) => part !== null).join(', ');
  return (
    <li>
      <div>
        <strong>{type === null ? 'Test' : TYPES[type]}</strong>
        <p class="aside">
          {result}
          {why !== '' && ` (${why})`}
          &nbsp;· <Moment at={createdAt} />
          {attempts > 1 && ` · ${attempts} attempts`}
          {nextAt !== null && attempts > 0 && (
            <>
              &nbsp;· Next <Moment at={nextAt} />
            </>
          )}
        </p>
      </div>
    </li>
  );
}

function Secret({ text, isNew = false }: { text: string; isNew?: boolean }): JSX.Element {
  return (
    <section class="shown-once" aria-labelledby="secret-title" data-shown-once>
      <h2 id="secret-title">Copy the secret now</h2>
      <p>You won’t see it again. Your service needs it to verify requests.</p>
      <CopyLine text={text} label="Secret" />
      {isNew && <p class="aside">The previous secret works for another 24 hours.</p>}
    </section>
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
          options={EVENT_TYPES.map((type) => [type, TYPES[type]] as const)}
          checked={form.types}
          fault={faults.types}
        />
        <p class="form-actions">
          <button type="submit" class="primary">
            Create webhook
          </button>
        </p>
      </form>
    </section>
  );
}
