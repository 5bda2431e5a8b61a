import type { JSX } from 'preact';
import type { Topic } from '../../base/schema/mail.ts';
import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { TOPIC_LABELS } from './notification-settings.tsx';

/** Asks whether to stop the mails that an unsubscribe link names. */
export function renderUnsubscribePage(
  site: Site,
  page: { username: string; topics: readonly Topic[]; token: string },
): string {
  return renderAccountPage(site, {
    title: 'Unsubscribe',
    description: `Stop mails from ${site.face.name}.`,
    children: (
      <>
        <p>Stop sending these mails to {page.username}?</p>
        <TopicList topics={page.topics} />
        <form method="post" action={`/unsubscribe/${page.token}`}>
          <button type="submit" class="primary">
            Unsubscribe
          </button>
        </form>
      </>
    ),
  });
}

export function renderUnsubscribedPage(site: Site, page: { topics: readonly Topic[] }): string {
  return renderAccountPage(site, {
    title: 'You’re unsubscribed',
    description: `Mails from ${site.face.name} are stopped.`,
    children: (
      <>
        <p>You won’t get these mails any more:</p>
        <TopicList topics={page.topics} />
        <ChooseMails />
      </>
    ),
  });
}

const STOP = { act: 'stop', label: 'Stop invitations' } as const;

/** What the page of an address says, and what its button does. */
const ADDRESS_STATES = {
  asked: {
    title: 'Stop invitations',
    text: 'Stop all invitations to the address that got this mail?',
    ...STOP,
  },
  stopped: {
    title: 'You’re unsubscribed',
    text: 'We won’t send any more invitations to this address.',
    act: 'resume',
    label: 'Turn invitations back on',
  },
  resumed: {
    title: 'Invitations are on again',
    text: 'We can send invitations to this address again.',
    ...STOP,
  },
} as const;

/** Asks whether to stop invitations to an address, or says that they are stopped or resumed. */
export function renderAddressPage(
  site: Site,
  page: { token: string; state: keyof typeof ADDRESS_STATES },
): string {
  const { title, text, act, label } = ADDRESS_STATES[page.state];
  return renderAccountPage(site, {
    title,
    description: `Stop invitations from ${site.face.name}.`,
    children: (
      <>
        <p>{text}</p>
        <form method="post" action={`/unsubscribe/address/${page.token}`}>
          <button
            type="submit"
            name="act"
            value={act}
            class={page.state === 'asked' ? 'primary' : 'secondary'}
          >
            {label}
          </button>
        </form>
      </>
    ),
  });
}

export function renderBrokenLinkPage(site: Site): string {
  return renderAccountPage(site, {
    title: 'This link doesn’t work',
    description: 'The unsubscribe link doesn’t work.',
    children: (
      <>
        <p>The link is incomplete or too old, or the account was deleted.</p>
        <ChooseMails />
      </>
    ),
  });
}

function TopicList({ topics }: { topics: readonly Topic[] }): JSX.Element {
  return (
    <ul>
      {topics.map((topic) => (
        <li>{TOPIC_LABELS[topic].label}</li>
      ))}
    </ul>
  );
}

function ChooseMails(): JSX.Element {
  return (
    <p class="aside">
      You can change this in <a href="/settings/notifications">Settings</a>.
    </p>
  );
}
