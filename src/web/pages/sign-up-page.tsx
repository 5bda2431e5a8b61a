import type { JSX } from 'preact';
import type { Site } from './assets.ts';
import { Field, FormFault, Next } from './form-field.tsx';
import type { Viewer } from './layout.tsx';
import { renderPeoplePage } from './people-page.tsx';

export interface SignUpPage {
  viewer: Viewer;
  /** The path to go to afterwards. */
  next: string;
  /** What was sent before, without the password. */
  values: { username: string; email: string };
  /** What is wrong with it: a sentence by field, or by `form`. */
  faults: Readonly<Record<string, string>>;
}

/** Asks for what an account takes. */
export function renderSignUpPage(site: Site, { viewer, next, values, faults }: SignUpPage): string {
  const query = next === '/' ? '' : `?next=${encodeURIComponent(next)}`;
  return renderPeoplePage(site, {
    viewer,
    title: 'Make an account',
    description: 'Make an account on Briefs.',
    children: (
      <>
        <FormFault fault={faults.form} />
        <form class="form" method="post" action="/sign-up">
          <Next path={next} />
          <UsernameField site={site} value={values.username} fault={faults.username} />
          <EmailField value={values.email} fault={faults.email} />
          <Field
            name="password"
            label="Password"
            type="password"
            fault={faults.password}
            hint="At least 8 characters. A few words that do not belong together do well."
            autocomplete="new-password"
            minLength={8}
          />
          <button type="submit" class="primary">
            Make the account
          </button>
        </form>
        <p class="aside">
          Have one already? <a href={`/sign-in${query}`}>Sign in</a>.
        </p>
      </>
    ),
  });
}

/** Says that nobody can make an account here, and what to do instead. */
export function renderSignUpClosedPage(site: Site, viewer: Viewer): string {
  return renderPeoplePage(site, {
    viewer,
    title: 'Sign-ups are closed',
    description: 'Accounts on this service are made by whoever runs it.',
    children: (
      <>
        <p>Accounts on this service are made by whoever runs it. Ask them for one.</p>
        <p class="aside">
          Have one already? <a href="/sign-in">Sign in</a>.
        </p>
      </>
    ),
  });
}

interface Correctable {
  value: string;
  fault: string | undefined;
}

/** Asks for a username, and says what it is for. */
export function UsernameField({ site, value, fault }: Correctable & { site: Site }): JSX.Element {
  return (
    <Field
      name="username"
      label="Username"
      value={value}
      fault={fault}
      hint={`Everybody can see it: it begins the addresses of your documents, ${site.webUrl}/username/…`}
      autocomplete="username"
      maxLength={39}
      focused={fault !== undefined || value === ''}
    />
  );
}

export function EmailField({ value, fault }: Correctable): JSX.Element {
  return (
    <Field
      name="email"
      label="Email address"
      type="email"
      value={value}
      fault={fault}
      hint="Only you see it."
      autocomplete="email"
      maxLength={254}
    />
  );
}
