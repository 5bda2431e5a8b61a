import type { JSX } from 'preact';
import type { EventType } from '../../base/schema/event.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Moment } from '../../surfaces/web/pages/format.tsx';
import { ButtonForm, ConfirmForm, CopyLine } from '../../surfaces/web/pages/parts.tsx';
import type { DeliveryRow } from './webhook-delivery-store.ts';
import {
  EVENT_LABELS,
  Secret,
  stateLabel,
  type WebhooksPlace,
  webhooksFrame,
} from './webhook-parts.tsx';
import type { WebhookRow } from './webhook-store.ts';

const FAULTS = {
  address: 'address not allowed',
  connection: 'no connection',
  timeout: 'no response in 15 seconds',
  status: 'refused',
  disabled: 'dropped, because the webhook was disabled',
} as const;

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
  return webhooksFrame(
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
          {stateLabel(webhook)}
          {webhook.failingSince !== null && (
            <>
              &nbsp;· Failing since <Moment at={webhook.failingSince} />
            </>
          )}
        </p>
        <ul class="aside">
          {webhook.types.split(' ').map((type) => (
            <li>{EVENT_LABELS[type as EventType]}</li>
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

function Delivery({ delivery }: { delivery: DeliveryRow }): JSX.Element {
  const { type, status, code, fault, attempts, nextAt, createdAt } = delivery;
  const result = status === 'delivered' ? 'Delivered' : status === 'failed' ? 'Failed' : 'Waiting';
  const why = [code, fault && FAULTS[fault]].filter((part) => part !== null).join(', ');
  return (
    <li>
      <div>
        <strong>{type === null ? 'Test' : EVENT_LABELS[type]}</strong>
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
