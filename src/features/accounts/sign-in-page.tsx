import type { JSX } from 'preact';
import { renderAccountPage } from '../../surfaces/web/pages/account-page.tsx';
import type { Site } from '../../surfaces/web/pages/assets.ts';
import { Field, FormFault, Next } from '../../surfaces/web/pages/form-field.tsx';
import type { Viewer } from '../../surfaces/web/pages/layout.tsx';
import { PasskeyForm } from '../../surfaces/web/pages/passkey-form.tsx';

/** Where a sign-in at the provider begins. */
export const UPSTREAM_PATH = '/sign-in/upstream';

export interface SignInPage {
  viewer: Viewer;
  /** The path to redirect to after sign-in. */
  next: string;
  /** The submitted name, shown again after an error. */
  name?: string;
  fault?: string | undefined;
  /** The name of the app that the visitor is about to connect. Anyone can register any name. */
  application?: string | undefined;
  /** The display name of the upstream provider, if one is configured. */
  upstreamName: string | undefined;
  /** Whether to offer signing in with a passkey. */
  hasPasskeys: boolean;
  hasPasswords: boolean;
  /** Whether to offer an account, too. */
  signUpsOpen: boolean;
}

export function renderSignInPage(site: Site, page: SignInPage): string {
  const query = page.next === '/' ? '' : `?next=${encodeURIComponent(page.next)}`;
  return renderAccountPage(site, {
    viewer: page.viewer,
    title: 'Sign in',
    description: `Sign in to ${site.face.name}.`,
    scripts: page.hasPasskeys ? ['passkey.js'] : [],
    children: (
      <>
        {page.application !== undefined && (
          <p>
            Sign in to connect “<bdi>{page.application}</bdi>”. You choose next what it can access.
          </p>
        )}
        <AlreadySignedIn viewer={page.viewer} next={page.next} />
        <FormFault fault={page.fault} />
        {page.hasPasswords && <PasswordForm page={page} />}
        {page.upstreamName !== undefined && (
          <form class="form alternative" method="post" action={UPSTREAM_PATH}>
            <Next path={page.next} />
            <button type="submit" class={page.hasPasswords ? 'secondary' : 'primary'}>
              Sign in with {page.upstreamName}
            </button>
          </form>
        )}
        {page.hasPasskeys && (
          <div class="alternative">
            <PasskeyForm
              act="get"
              action="/sign-in/passkey"
              options="/sign-in/passkey/options"
              fields={{ next: page.next }}
              label="Sign in with a passkey"
              isWide
            />
          </div>
        )}
        {page.signUpsOpen && (
          <p class="aside">
            New here? <a href={`/sign-up${query}`}>Create an account</a>.
          </p>
        )}
      </>
    ),
  });
}

function AlreadySignedIn({
  viewer,
  next,
}: Pick<SignInPage, 'viewer' | 'next'>): JSX.Element | null {
  if (viewer === 'signed out') return null;
  return (
    <p class="aside">
      You’re signed in as <strong>{viewer.username}</strong>. <a href={next}>Continue</a>, or sign
      in to another account:
    </p>
  );
}

function PasswordForm({ page }: { page: SignInPage }): JSX.Element {
  return (
    <>
      <form class="form" method="post" action="/sign-in">
        <Next path={page.next} />
        <Field
          name="name"
          label="Username or email address"
          value={page.name ?? ''}
          autocomplete="username"
          focused={!page.name}
        />
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          focused={Boolean(page.name)}
        />
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
      <p class="aside">
        <a href="/sign-in/forgot">Forgot your password?</a>
      </p>
    </>
  );
}
