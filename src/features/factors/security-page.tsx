import type { JSX } from 'preact';
import { encode } from 'uqr';
import type { Faults } from '../../surfaces/web/form.ts';
import { leadingTo } from '../../surfaces/web/next-path.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { dialogScreen } from '../../surfaces/web/pages/dialog-screen.tsx';
import { Field, FormFault, Next } from '../../surfaces/web/pages/form-field.tsx';
import { Day, Moment } from '../../surfaces/web/pages/format.tsx';
import { ButtonForm, ConfirmForm, CopyLine, FormActions } from '../../surfaces/web/pages/parts.tsx';
import { PasskeyForm } from '../../surfaces/web/pages/passkey-form.tsx';
import { settingsPage, settingsPath } from '../../surfaces/web/pages/settings-page.tsx';
import { CurrentPassword } from '../accounts/current-password.tsx';
import type { IdentityRow } from '../accounts/upstream-store.ts';
import type { PasskeyRow } from './factor-store.ts';

const SECURITY = settingsPath('security');

/** Where users were going before they had to set up a second factor; `/` if nowhere. */
interface Leading {
  next: string;
}

/** The addresses of the security settings. */
export const PATHS = {
  newPasskey: `${SECURITY}/passkeys/new`,
  passkeys: `${SECURITY}/passkeys`,
  passkeyOptions: `${SECURITY}/passkeys/options`,
  codes: `${SECURITY}/codes`,
  codesOff: `${SECURITY}/codes/off`,
  recovery: `${SECURITY}/recovery-codes`,
  link: `${SECURITY}/provider/link`,
  unlink: `${SECURITY}/provider/unlink`,
  endOthers: `${settingsPath('sessions')}/end-others`,
} as const;

export interface SecurityPage extends Leading {
  /** Whether browsers allow passkeys at this address. */
  canHavePasskeys: boolean;
  passkeys: readonly PasskeyRow[];
  /** Since when one-time codes are on. */
  codesSince: string | undefined;
  recoveryCodesLeft: number;
  /** The provider's name, if there is one, and what the account is linked to there. */
  provider: { name: string; identities: readonly IdentityRow[] } | undefined;
  /** Whether the server requires a second factor and the user has none yet. */
  isWanting: boolean;
  /** In how many other browsers the user is signed in. */
  otherSessions: number;
}

/** Shows passkeys, one-time codes and recovery codes. */
export function securityPage(page: SecurityPage): AppPage {
  const { passkeys, codesSince, next } = page;
  const hasSecondFactor = passkeys.length > 0 || codesSince !== undefined;
  return settingsPage(
    'security',
    <>
      {page.isWanting && (
        <p class="form-fault" role="alert">
          This server requires a second factor. Add a passkey or set up one-time codes to go on.
        </p>
      )}
      {!page.isWanting && next !== '/' && (
        <section>
          <p>
            <a class="primary" href={next}>
              Go on
            </a>
          </p>
        </section>
      )}
      {page.canHavePasskeys && <Passkeys passkeys={passkeys} next={next} />}
      <section aria-labelledby="codes">
        <h2 id="codes">One-time codes</h2>
        {codesSince === undefined ? (
          <>
            <p>
              An app on your phone shows a new code every 30 seconds. Signing in without a passkey
              then asks for one.
            </p>
            <p>
              <a class="secondary" href={leadingTo(PATHS.codes, next)}>
                Set up one-time codes
              </a>
            </p>
          </>
        ) : (
          <>
            <p>
              On since <Day at={codesSince} />. Signing in without a passkey asks for a code.
            </p>
            <p>
              <a class="secondary" href={PATHS.codesOff} data-dialog>
                Turn off
              </a>
            </p>
          </>
        )}
      </section>
      {hasSecondFactor && (
        <section aria-labelledby="recovery">
          <h2 id="recovery">Recovery codes</h2>
          <p>
            If you lose your second factor, each of these codes stands in for it once. You have{' '}
            {page.recoveryCodesLeft} left.
          </p>
          <form method="post" action={PATHS.recovery}>
            <button type="submit" class="secondary">
              Make new recovery codes
            </button>
          </form>
          <p class="aside">The earlier ones then no longer work.</p>
        </section>
      )}
      {page.provider && <Provider {...page.provider} />}
      {page.otherSessions > 0 && (
        <section aria-labelledby="others">
          <h2 id="others">Other browsers</h2>
          <p>
            {page.otherSessions === 1
              ? 'Another browser is signed in.'
              : `${page.otherSessions} other browsers are signed in.`}{' '}
            <a href={settingsPath('sessions')}>See which</a>
          </p>
          <ButtonForm action={PATHS.endOthers} label="Sign out everywhere else" />
        </section>
      )}
    </>,
    { stylesheets: ['security.css'] },
  );
}

function Provider(props: { name: string; identities: readonly IdentityRow[] }): JSX.Element {
  const { name, identities } = props;
  return (
    <section aria-labelledby="provider">
      <h2 id="provider">{name}</h2>
      {identities.length === 0 ? (
        <>
          <p>Link your account to {name} to sign in there instead of with your password.</p>
          <ButtonForm action={PATHS.link} label={`Link to ${name}`} />
        </>
      ) : (
        identities.map(({ id, createdAt }) => (
          <>
            <p>
              Your account is linked to {name} since <Day at={createdAt} />.
            </p>
            <ButtonForm action={PATHS.unlink} fields={{ id }} label={`Unlink from ${name}`} />
          </>
        ))
      )}
    </section>
  );
}

function Passkeys(props: { passkeys: readonly PasskeyRow[] } & Leading): JSX.Element {
  const { passkeys, next } = props;
  return (
    <section aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      <p>
        Sign in with your fingerprint, face, or the lock of your device. A passkey is a second
        factor, too: signing in in another way, such as with your password, then asks for it.
      </p>
      {passkeys.length > 0 && (
        <ul class="rows">
          {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
            <li>
              <div>
                <strong>{name}</strong>
                <p class="aside">
                  Added <Day at={createdAt} />
                  &nbsp;·{' '}
                  {lastUsedAt === null ? (
                    'Never used'
                  ) : (
                    <>
                      Last used <Moment at={lastUsedAt} />
                    </>
                  )}
                </p>
              </div>
              <a
                class="secondary"
                href={`${PATHS.passkeys}/${id}/remove`}
                aria-label={`Remove ${name}`}
                data-dialog
              >
                Remove
              </a>
            </li>
          ))}
        </ul>
      )}
      <p>
        <a class="secondary" href={leadingTo(PATHS.newPasskey, next)}>
          Add a passkey
        </a>
      </p>
    </section>
  );
}

/** Asks for the name of a new passkey, and lets the browser create it. */
export function newPasskeyPage(page: { name: string; faults: Faults } & Leading): AppPage {
  const { name, faults, next } = page;
  return {
    ...dialogScreen({
      title: 'Add a passkey',
      place: 'settings',
      children: (
        <>
          <FormFault fault={faults.form} />
          <PasskeyForm
            act="create"
            action={PATHS.passkeys}
            options={PATHS.passkeyOptions}
            label="Create the passkey"
            class="primary"
            fields={{ next }}
          >
            <Field
              name="name"
              label="Name"
              value={name}
              fault={faults.name}
              hint="To tell it from your others, such as “Phone”."
              autocomplete="off"
              maxLength={100}
              focused
            />
          </PasskeyForm>
          <p class="aside">
            <a href={leadingTo(SECURITY, next)}>Back to the security settings</a>
          </p>
        </>
      ),
    }),
    scripts: ['passkey.js'],
    stylesheets: ['security.css'],
  };
}

/** Asks for confirmation before a passkey is removed. */
export function removePasskeyPage({ id, name }: PasskeyRow): AppPage {
  return dialogScreen({
    title: `Remove ${name}?`,
    place: 'settings',
    children: (
      <>
        <p>
          It will no longer sign you in. You can then delete it on your device or in your password
          manager, too.
        </p>
        <ConfirmForm
          action={`${PATHS.passkeys}/${id}/remove`}
          label="Remove passkey"
          back={SECURITY}
        />
      </>
    ),
  });
}

/** Shows the secret of an app for one-time codes, and asks for a first code. */
export function codeSetUpPage(
  page: {
    secret: string;
    /** The address in the QR code. */
    address: string;
    /** The secret, sealed for this browser's session. */
    sealed: string;
    faults: Faults;
  } & Leading,
): AppPage {
  const { secret, address, sealed, faults, next } = page;
  const screen = dialogScreen({
    title: 'Set up one-time codes',
    place: 'settings',
    children: (
      <>
        <FormFault fault={faults.form} />
        <p>Scan this with an app for one-time codes, such as the one of your password manager:</p>
        <QrCode text={address} label="QR code for your app" />
        <p>Or type this key into the app:</p>
        <CopyLine text={(secret.match(/.{1,4}/g) ?? []).join(' ')} label="Key" />
        <form class="form" method="post" action={PATHS.codes}>
          <input type="hidden" name="secret" value={sealed} />
          <Next path={next} />
          <Field
            name="code"
            label="The code that the app shows"
            fault={faults.code}
            autocomplete="one-time-code"
            maxLength={10}
            focused={faults.code !== undefined}
          />
          <FormActions label="Turn on" back={leadingTo(SECURITY, next)} />
        </form>
      </>
    ),
  });
  return { ...screen, stylesheets: ['security.css'] };
}

/** Asks for password and code before one-time codes are turned off. */
export function codesOffPage(page: { hasPassword: boolean; faults: Faults }): AppPage {
  const { hasPassword, faults } = page;
  return dialogScreen({
    title: 'Turn off one-time codes?',
    place: 'settings',
    children: (
      <>
        <FormFault fault={faults.form} />
        <form class="form" method="post" action={PATHS.codesOff}>
          {hasPassword && <CurrentPassword name="password" label="Password" faults={faults} />}
          <Field
            name="code"
            label="Code from your app, or a recovery code"
            fault={faults.code}
            autocomplete="one-time-code"
            maxLength={40}
            focused={faults.code !== undefined}
          />
          <FormActions label="Turn off" back={SECURITY} class="danger" />
        </form>
      </>
    ),
  });
}

/** Shows new recovery codes, which are shown only once. */
export function recoveryCodesPage(
  page: { codes: readonly string[]; done: string } & Leading,
): AppPage {
  const text = page.codes.join('\n');
  return settingsPage(
    'security',
    <section class="shown-once" aria-labelledby="recovery" data-shown-once>
      <h2 id="recovery">{page.done} Keep these recovery codes</h2>
      <p>
        If you lose your second factor, each stands in for it once. You won’t see them again: print
        them, or store them in a safe place.
      </p>
      <pre class="recovery-codes">{text}</pre>
      <p class="form-actions">
        <button
          type="button"
          class="secondary needs-script"
          data-action="copy-text"
          data-text={text}
        >
          <span class="label">Copy</span>
        </button>
        <a class="primary" href={page.next === '/' ? SECURITY : page.next}>
          I’ve stored them
        </a>
      </p>
    </section>,
    { stylesheets: ['security.css'] },
  );
}

/** Draws a QR code, dark on light in every theme, because cameras need that. */
function QrCode({ text, label }: { text: string; label: string }): JSX.Element {
  const { data, size } = encode(text, { border: 4 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
