import type { ComponentChildren, JSX } from 'preact';
import type { EventType } from '../../base/schema/event.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { CopyLine } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';
import { type OwnOrganization, organizationTab } from '../organizations/organization-frame.tsx';
import type { WebhookRow } from './webhook-store.ts';

/** Whose webhooks a page shows. */
export interface WebhooksPlace {
  /** The address of the list. */
  path: string;
  /** `undefined` for the user's own. */
  organization: OwnOrganization | undefined;
}

/** The names of event types on screens. */
export const EVENT_LABELS = {
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

/** Puts webhooks into the settings of their owner. */
export function webhooksFrame(place: WebhooksPlace, children: ComponentChildren): AppPage {
  const { organization } = place;
  if (!organization) return settingsPage('webhooks', children);
  return organizationTab({
    organization,
    tab: 'settings',
    children: <div class="settings-column">{children}</div>,
  });
}

/** Says whether a webhook is enabled, and if not, why. */
export function stateLabel({ disabledBecause, failingSince }: WebhookRow): string {
  if (disabledBecause !== null) return DISABLED[disabledBecause];
  return failingSince === null ? 'Enabled' : 'Enabled, failing';
}

/** Renders a secret, which is shown only once. */
export function Secret({ text, isNew = false }: { text: string; isNew?: boolean }): JSX.Element {
  return (
    <section class="shown-once" aria-labelledby="secret-title" data-shown-once>
      <h2 id="secret-title">Copy the secret now</h2>
      <p>You won’t see it again. Your service needs it to verify requests.</p>
      <CopyLine text={text} label="Secret" />
      {isNew && <p class="aside">The previous secret works for another 24 hours.</p>}
    </section>
  );
}
