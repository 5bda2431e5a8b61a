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
  /** Where the form goes; by default `/sign-up`. */
  action?: string | undefined;
  /** Error sentences by field, or under `form`. */
  faults: Readonly<Record<string, string>>;
}

export function renderSignUpPage(site: Site, page: SignUpPage): string {
  const { viewer, next, values, faults, action = '/sign-up' } = page;
  const query = next === '/' ? '' : `?next=${encodeURIComponent(next)}`;
  return renderAccountPage(site, {
    viewer,
    title: 'Create account',
    description: `Create an account on ${site.face.name}.`,
    children: (
      <>
        <FormFault fault={faults.form} />
        <form class="form" method="post" action={action}>
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
export function renderSignUpClosedPage(site: Site, viewer: Viewer, byInvitation: boolean): string {
  const says = byInvitation
    ? 'You need an invitation to create an account here.'
    : 'Only administrators of this server can create accounts.';
  return renderAccountPage(site, {
    viewer,
    title: byInvitation ? 'By invitation' : 'Sign-ups are closed',
    description: says,
    children: (
      <>
        <p>{says} Ask one of the administrators.</p>
        <p class="aside">
          Already have an account? <a href="/sign-in">Sign in</a>.
        </p>
      </>
    ),
  });
}

/** Says that an administrator's invitation can't be used any more. */
export function renderInvitationGonePage(site: Site, viewer: Viewer): string {
  return renderAccountPage(site, {
    viewer,
    title: 'This invitation no longer works',
    description: 'This invitation no longer works.',
    children: (
      <>
        <p>It was used, has expired or was revoked. Ask for another.</p>
        <p class="aside">
          Already have an account? <a href="/sign-in">Sign in</a>.
        </p>
      </>
    ),
  });
}

/** Says that a link was mailed, whether or not there is an account with the address. */
export function renderLinkSentPage(site: Site, email: string): string {
  return renderAccountPage(site, {
    title: 'Look in your mail',
    description: 'A link that creates the account was sent.',
    children: (
      <>
        <p>
          We’ve sent a link to <bdi>{email}</bdi>. It creates your account, and works for a day.
        </p>
        <p class="aside">
          Nothing came? Look in the spam folder, or <a href="/sign-up">send it again</a>. If you
          have an account with this address already, <a href="/sign-in">sign in</a>.
        </p>
      </>
    ),
  });
}

/** Asks to create the account of a mailed link, because link checkers open links, too. */
export function renderConfirmPage(
  site: Site,
  page: { username: string; action: string } | undefined,
  fault = 'This link has expired.',
): string {
  return renderAccountPage(site, {
    title: page ? 'Create account' : 'This didn’t work',
    description: 'Create an account on Briefs.',
    children: page ? (
      <>
        <p>
          For <strong>{page.username}</strong>. Your address is verified with it.
        </p>
        <form class="form" method="post" action={page.action}>
          <button type="submit" class="primary">
            Create account
          </button>
        </form>
      </>
    ) : (
      <p>
        {fault} <a href="/sign-up">Sign up again</a>.
      </p>
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
      hint="Only you and the administrators can see it."
      autocomplete="email"
      maxLength={254}
    />
  );
}
