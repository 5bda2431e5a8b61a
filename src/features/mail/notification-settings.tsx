import type { JSX } from 'preact';
import { TOPICS, type Topic } from '../../base/schema/mail.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { ButtonForm, FormActions } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';

/** The names of the kinds of mail on screens. */
export const TOPIC_LABELS: Readonly<Record<Topic, { label: string; means: string }>> = {
  invitation: {
    label: 'Invitations',
    means: 'Someone invites you to a document or an organization.',
  },
  mention: { label: 'Mentions', means: 'Someone mentions you in a comment.' },
  review: { label: 'Review requests', means: 'Someone asks you to review a document.' },
  answer: {
    label: 'Replies',
    means: 'Someone replies in a thread that you started or commented in.',
  },
  digest: {
    label: 'Daily digest',
    means: 'Once a day, the unread entries of your inbox, if there are new ones.',
  },
};

export function notificationSettingsPage(page: {
  email: string;
  isVerified: boolean;
  wanted: readonly Topic[];
}): AppPage {
  return settingsPage(
    'notifications',
    <section aria-labelledby="notifications">
      <h2 id="notifications">Email notifications</h2>
      <p class="aside">
        Sent to {page.email}. <a href="/settings">Change address</a>
      </p>
      {!page.isVerified && <Unverified />}
      <form class="form" method="post" action="/settings/notifications">
        <fieldset class="choices">
          <legend>Email me about</legend>
          {TOPICS.map((topic) => (
            <div class="choice">
              <input
                type="checkbox"
                name="topics"
                value={topic}
                id={`topic-${topic}`}
                checked={page.wanted.includes(topic)}
                aria-describedby={`topic-${topic}-hint`}
              />
              <label for={`topic-${topic}`}>{TOPIC_LABELS[topic].label}</label>
              <p class="hint" id={`topic-${topic}-hint`}>
                {TOPIC_LABELS[topic].means}
              </p>
            </div>
          ))}
        </fieldset>
        <p class="aside">
          You get no mail about what you or your own agents do, or about what you’ve already read.
        </p>
        <FormActions label="Save" />
      </form>
    </section>,
  );
}

function Unverified(): JSX.Element {
  return (
    <div class="notice">
      <p>
        This address isn’t verified, so nothing else is sent there yet. Open the link in our mail to
        verify it.
      </p>
      <ButtonForm
        action="/settings/notifications/verify"
        fields={{}}
        label="Send the link"
        class="secondary small"
      />
    </div>
  );
}
