import type { JSX } from 'preact';
import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Field, FormFault, Next } from '../../surfaces/web/pages/form-field.tsx';
import type { Viewer } from '../../surfaces/web/pages/layout.tsx';

export interface SignUpPage {
  viewer: Viewer;
  /** The path to redirect to after sign-up. */
  next: string;
  /** The submitted values, without the password. */
  values: { username: string; email: string };
  /** Error sentences by field, or under `form`. */
  faults: Readonly<Record<string, string>>;
}

export function renderSignUpPage(site: Site, { viewer, next, values, faults }: SignUpPage): string {
  const query = next === '/' ? '' : `?next=${encodeURIComponent(next)}`;
  return renderAccountPage(site, {
    viewer,
    title: 'Create account',
    description: `Create an account on ${site.face.name}.`,
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
            hint="At least 8 characters. Several unrelated words work well."
            autocomplete="new-password"
            minLength={8}
          />
          <Accepted site={site} />
          <button type="submit" class="primary">
            Create account
          </button>
        </form>
        <p class="aside">
          Already have an account? <a href={`/sign-in${query}`}>Sign in</a>.
        </p>
      </>
    ),
  });
}

/** Says what somebody agrees to by creating an account, if the operator has terms. */
export function Accepted({ site: { face } }: { site: Site }): JSX.Element | null {
  if (!face.terms && !face.privacy) return null;
  return (
    <p class="aside">
      {face.terms && (
        <>
          With an account, you accept the <a href={face.terms}>terms</a>.
        </>
      )}
      {face.privacy && (
        <>
          {' '}
          What is stored about you is in the <a href={face.privacy}>privacy notice</a>.
        </>
      )}
    </p>
  );
}

/** Renders the sign-up page of a server where only operators create accounts. */
export function renderSignUpClosedPage(site: Site, viewer: Viewer): string {
  return renderAccountPage(site, {
    viewer,
    title: 'Sign-ups are closed',
    description: 'Only administrators of this server can create accounts.',
    children: (
      <>
        <p>Only administrators of this server can create accounts. Ask one of them.</p>
        <p class="aside">
          Already have an account? <a href="/sign-in">Sign in</a>.
        </p>
      </>
    ),
  });
}

interface Correctable {
  value: string;
  fault: string | undefined;
}

export function UsernameField({ site, value, fault }: Correctable & { site: Site }): JSX.Element {
  return (
    <Field
      name="username"
      label="Username"
      value={value}
      fault={fault}
      hint={`Public. Your documents live at ${site.webUrl}/username/…`}
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
      hint="Only you can see it."
      autocomplete="email"
      maxLength={254}
    />
  );
}
