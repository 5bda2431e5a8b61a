import type { JSX } from 'preact';
import type { Topic } from '../../mail/mail.ts';
import { renderAccountPage } from './account-page.tsx';
import { TOPIC_LABELS } from './app/settings/notifications.tsx';
import type { Site } from './assets.ts';

/** Asks whether to stop the mails that an unsubscribe link names. */
export function renderUnsubscribePage(
  site: Site,
  page: { username: string; topics: readonly Topic[]; token: string },
): string {
  return renderAccountPage(site, {
    title: 'Unsubscribe',
    description: 'Stop mails from Briefs.',
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
    description: 'Mails from Briefs are stopped.',
    children: (
      <>
        <p>You won’t get these mails any more:</p>
        <TopicList topics={page.topics} />
        <ChooseMails />
      </>
    ),
  });
}

/** Asks whether to stop invitations to an address, or to allow them again. */
export function renderAddressPage(
  site: Site,
  page: { token: string; getsThem: boolean; isDone?: boolean },
): string {
  const { token, getsThem, isDone = false } = page;
  return renderAccountPage(site, {
    title: titleOf(getsThem, isDone),
    description: 'Stop invitations from Briefs.',
    children: (
      <>
        <p>
          {getsThem
            ? 'Stop all invitations to the address that this mail was sent to?'
            : 'The address that this mail was sent to gets no invitations.'}
        </p>
        <form method="post" action={`/unsubscribe/address/${token}`}>
          <button
            type="submit"
            name="act"
            value={getsThem ? 'stop' : 'resume'}
            class={getsThem ? 'primary' : undefined}
          >
            {getsThem ? 'Stop invitations' : 'Get invitations again'}
          </button>
        </form>
      </>
    ),
  });
}

function titleOf(getsThem: boolean, isDone: boolean): string {
  if (!getsThem) return 'You’re unsubscribed';
  return isDone ? 'You get invitations again' : 'Get no more invitations';
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
