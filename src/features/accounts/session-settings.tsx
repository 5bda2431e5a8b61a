import type { JSX } from 'preact';
import { describeUserAgent } from '../../core/identity/user-agent.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { Moment } from '../../surfaces/web/pages/format.tsx';
import { ButtonForm } from '../../surfaces/web/pages/parts.tsx';
import { settingsPage } from '../../surfaces/web/pages/settings-page.tsx';

/** A browser in which the user is signed in. */
export interface ListedSession {
  id: string;
  createdAt: string;
  lastUsedAt: string;
  userAgent: string;
  /** Whether it is the browser that shows this page. */
  isThis: boolean;
}

export function sessionsPage(sessions: readonly ListedSession[]): AppPage {
  return settingsPage(
    'sessions',
    <section aria-labelledby="sessions">
      <h2 id="sessions">Where you’re signed in</h2>
      <p class="aside">Signed out after 14 idle days, 90 at most.</p>
      <ul class="rows">
        {sessions.map((session) => (
          <SessionRow session={session} />
        ))}
      </ul>
      {sessions.length > 1 && (
        <ButtonForm action="/settings/sessions/end-others" label="Sign out everywhere else" />
      )}
      <ButtonForm action="/settings/sessions/end-all" label="Sign out everywhere" />
      <p class="aside">Includes this browser. Your tokens and connected apps keep working.</p>
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
