import type { JSX } from 'preact';
import { Moment } from '../../format.tsx';
import { describeUserAgent } from '../../user-agent.ts';
import type { AppPage } from '../app-page.tsx';
import { ButtonForm } from '../parts.tsx';
import { settingsPage } from './settings-page.tsx';

/** A browser that the person is signed in with. */
export interface ListedSession {
  id: string;
  /** ISO 8601. */
  createdAt: string;
  lastUsedAt: string;
  userAgent: string;
  /** Whether it is the one that looks at the page. */
  isThis: boolean;
}

/** Where one is signed in, with ways to end it. */
export function sessionsPage(sessions: readonly ListedSession[]): AppPage {
  return settingsPage(
    'sessions',
    <section aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <p class="aside">
        A browser stays signed in until nobody has used it for 14 days, and for 90 days at most.
      </p>
      <ul class="rows">
        {sessions.map((session) => (
          <SessionRow session={session} />
        ))}
      </ul>
      <ButtonForm action="/settings/sessions/end-all" label="Sign out everywhere" />
      <p class="aside">This browser, too. Your tokens and connected applications go on.</p>
    </section>,
  );
}

function SessionRow({ session }: { session: ListedSession }): JSX.Element {
  const name = describeUserAgent(session.userAgent);
  return (
    <li>
      <div>
        <strong title={session.userAgent}>{name}</strong>
        {session.isThis && <span class="badge">This browser</span>}
        <p class="aside">
          Last used <Moment at={session.lastUsedAt} />
          &nbsp;· Signed in <Moment at={session.createdAt} />
        </p>
      </div>
      {!session.isThis && (
        <ButtonForm
          action="/settings/sessions/end"
          fields={{ session: session.id }}
          label="Sign out"
          name={`Sign out ${name}`}
        />
      )}
    </li>
  );
}
