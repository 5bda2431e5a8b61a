import type { JSX } from 'preact';
import { ApplicationsSection, type ConnectedApplication } from './applications-section.tsx';
import type { Site } from './assets.ts';
import { Field } from './form-field.tsx';
import { renderPeoplePage } from './people-page.tsx';
import { describeUserAgent } from './user-agent.ts';
import { Moment, profilePath } from './words.tsx';

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

export interface SettingsPage {
  username: string;
  email: string;
  hasPassword: boolean;
  sessions: readonly ListedSession[];
  applications: readonly ConnectedApplication[];
  /** What has just been done, as a sentence. */
  done: string | undefined;
  /** What is wrong with the password form: a sentence by field. */
  faults: Readonly<Record<string, string>>;
}

/** Somebody's own account. */
export function renderSettingsPage(site: Site, page: SettingsPage): string {
  return renderPeoplePage(site, {
    viewer: { username: page.username },
    title: 'Settings',
    description: 'Your account on Briefs.',
    children: (
      <>
        {page.done !== undefined && (
          <p class="done" role="status">
            {page.done}
          </p>
        )}
        <dl class="identity">
          <dt>Username</dt>
          <dd>
            <a href={profilePath(page.username)}>{page.username}</a>
          </dd>
          <dt>Email address</dt>
          <dd>{page.email}</dd>
        </dl>
        <PasswordSection page={page} />
        <SessionsSection sessions={page.sessions} />
        <ApplicationsSection applications={page.applications} />
      </>
    ),
  });
}

function PasswordSection({ page }: { page: SettingsPage }): JSX.Element {
  const { hasPassword, faults, username } = page;
  return (
    <section aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <form class="form" method="post" action="/settings/password">
        {/* Tells password managers whose password it is. */}
        <input
          type="text"
          name="username"
          value={username}
          autocomplete="username"
          hidden
          readonly
        />
        {hasPassword ? (
          <Field
            name="current"
            label="Current password"
            type="password"
            fault={faults.current}
            autocomplete="current-password"
            focused={faults.current !== undefined}
          />
        ) : (
          <p class="aside">You have none yet. With one, you can also sign in by name.</p>
        )}
        <Field
          name="password"
          label="New password"
          type="password"
          fault={faults.password}
          hint="At least 8 characters. Changing it signs you out everywhere else."
          autocomplete="new-password"
          minLength={8}
          focused={faults.password !== undefined}
        />
        <button type="submit" class="primary">
          {hasPassword ? 'Change the password' : 'Set the password'}
        </button>
      </form>
    </section>
  );
}

function SessionsSection({ sessions }: Pick<SettingsPage, 'sessions'>): JSX.Element {
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <ul class="rows">
        {sessions.map((session) => (
          <SessionRow session={session} />
        ))}
      </ul>
      <form method="post" action="/settings/sessions/end-all">
        <button type="submit" class="secondary">
          Sign out everywhere
        </button>
      </form>
    </section>
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
          Last used <Moment at={session.lastUsedAt} /> · Signed in <Moment at={session.createdAt} />
        </p>
      </div>
      {!session.isThis && (
        <form method="post" action="/settings/sessions/end">
          <input type="hidden" name="session" value={session.id} />
          <button type="submit" class="secondary" aria-label={`Sign out ${name}`}>
            Sign out
          </button>
        </form>
      )}
    </li>
  );
}
