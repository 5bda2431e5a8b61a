/** What happened to an account that could be an attack. */
export type SecurityEvent =
  | { what: 'password' }
  /** Somebody asked for a link to a new password, which this mail brings. */
  | { what: 'reset' }
  /** The mail goes to the address that the account had before. */
  | { what: 'email' }
  | { what: 'token'; name: string }
  | { what: 'application'; name: string; host: string }
  /** @property browser as in “Firefox on Linux” */
  | { what: 'browser'; browser: string }
  | { what: 'passkey added' | 'passkey removed'; name: string }
  | { what: 'codes on' | 'codes off' | 'recovery codes' }
  /** @property left how many recovery codes are left */
  | { what: 'recovery code used'; left: number }
  | { what: 'provider linked' | 'provider unlinked'; name: string }
  | { what: 'second factor reset' }
  | { what: 'deletion' }
  | { what: 'disabled' }
  | { what: 'enabled' }
  | { what: 'renamed'; from: string }
  | { what: 'verified' }
  | { what: 'sessions' }
  /** All its tokens and connected applications ended. */
  | { what: 'access' }
  /** Somebody else got a link to a new password, to pass it on. */
  | { what: 'resetLink' }
  | { what: 'unlocked' }
  /** @property to a username or a namespace */
  | { what: 'handed over'; number: number; to: string }
  | { what: 'admin'; isAdmin: boolean }
  | { what: 'organization'; namespace: string; name: string };

/** A mail about the security of an account, as it waits in the queue. */
export interface SecurityNotice {
  event: SecurityEvent;
  /** Whether it was done with a command on the server, not by someone in the web app. */
  byOperator: boolean;
  /** Whether an administrator of the instance did it. */
  byAdmin?: boolean;
  accountId: string;
  username: string;
  /** The address that the account had when it happened. */
  address: string;
  /** ISO 8601. */
  at: string;
}

interface NoticeText {
  subject: string;
  /** What happened, when, and by which means. */
  says: string;
  /** What to do about it otherwise. */
  advice: string;
  link?: { label: string; path: string };
}

const CHANGE_PASSWORD = 'and change your password';
const SECURITY = { label: 'Your security settings', path: '/settings/security' };
const ASK = 'ask the operator of this server for help';

/** What begins the advice. */
export function ifUnexpected({ byAdmin }: SecurityNotice): string {
  return byAdmin ? 'If you didn’t expect this' : 'If this wasn’t you';
}

/** Says in a few sentences what happened, and what to do if it wasn't the reader. */
export function noticeText(notice: SecurityNotice): NoticeText {
  const { event, byOperator, username, at } = notice;
  const account = `your account ${username}`;
  const ofAccount = `Your account ${username}`;
  const [date, time] = [at.slice(0, 10), at.slice(11, 16)];
  const means = notice.byAdmin
    ? 'by an administrator'
    : byOperator
      ? 'by an operator of this server'
      : 'in the web app';
  const when = `on ${date} at ${time} UTC, ${means}`;
  switch (event.what) {
    case 'password':
      return {
        subject: 'Your account has a new password',
        says: `The password of ${account} was set ${when}.`,
        advice: `${ASK}: a new password ends all sessions`,
      };
    case 'reset':
      return {
        subject: 'A new password for your account',
        says: `A link to a new password for ${account} was asked for ${when}. It works for an hour.`,
        advice: 'ignore this mail: without the link, nothing changes',
        link: { label: 'Set a new password', path: '/sign-in/forgot' },
      };
    case 'email':
      return {
        subject: 'Your account has another email address',
        says: `The email address of ${account} was changed ${when}. Mails no longer go to this address.`,
        advice: ASK,
      };
    case 'token':
      return {
        subject: `New access token “${event.name}”`,
        says: `The access token “${event.name}” was created for ${account} ${when}. Programs that have it can use your account.`,
        advice: `revoke it ${CHANGE_PASSWORD}`,
        link: { label: 'Your tokens', path: '/settings/tokens' },
      };
    case 'application':
      return {
        subject: `“${event.name}” is connected to your account`,
        says: `An app that calls itself “${event.name}” (${event.host}) was connected to ${account} ${when}.`,
        advice: `disconnect it ${CHANGE_PASSWORD}`,
        link: { label: 'Your apps', path: '/settings/applications' },
      };
    case 'browser':
      return {
        subject: 'New sign-in to your account',
        says: `A new browser (${event.browser}) signed in to ${account} ${when}. It is new if it has never signed in before, or has no cookies of this site.`,
        advice: `sign it out ${CHANGE_PASSWORD}`,
        link: { label: 'Your sessions', path: '/settings/sessions' },
      };
    case 'passkey added':
      return {
        subject: `New passkey “${event.name}”`,
        says: `The passkey “${event.name}” was added to ${account} ${when}. Who has it can sign in.`,
        advice: `remove it ${CHANGE_PASSWORD}`,
        link: SECURITY,
      };
    case 'passkey removed':
      return {
        subject: `Passkey “${event.name}” removed`,
        says: `The passkey “${event.name}” was removed from ${account} ${when}.`,
        advice: `add it again ${CHANGE_PASSWORD}`,
        link: SECURITY,
      };
    case 'codes on':
      return {
        subject: 'One-time codes are on',
        says: `One-time codes were turned on for ${account} ${when}. Signing in now needs one.`,
        advice: ASK,
        link: SECURITY,
      };
    case 'codes off':
      return {
        subject: 'One-time codes are off',
        says: `One-time codes were turned off for ${account} ${when}.`,
        advice: `turn them on again ${CHANGE_PASSWORD}`,
        link: SECURITY,
      };
    case 'recovery codes':
      return {
        subject: 'New recovery codes',
        says: `New recovery codes were made for ${account} ${when}. The earlier ones no longer work.`,
        advice: `make new ones ${CHANGE_PASSWORD}`,
        link: SECURITY,
      };
    case 'recovery code used':
      return {
        subject: 'A recovery code was used',
        says: `A recovery code of ${account} was used ${when}. It can’t be used again; ${event.left} are left.`,
        advice: `make new recovery codes ${CHANGE_PASSWORD}`,
        link: SECURITY,
      };
    case 'provider linked':
      return {
        subject: `Your account is linked to ${event.name}`,
        says: `${account.replace(/^y/, 'Y')} was linked to a sign-in at ${event.name} ${when}. Who has that sign-in can use your account.`,
        advice: `unlink it ${CHANGE_PASSWORD}`,
        link: SECURITY,
      };
    case 'provider unlinked':
      return {
        subject: `Your account is no longer linked to ${event.name}`,
        says: `The link of ${account} to a sign-in at ${event.name} was removed ${when}.`,
        advice: `link it again ${CHANGE_PASSWORD}`,
        link: SECURITY,
      };
    case 'second factor reset':
      return {
        subject: 'Your second factor was removed',
        says: `All passkeys, one-time codes and recovery codes of ${account} were removed ${when}, and all sessions ended. Sign in with your password and set up a new second factor.`,
        advice: ASK,
      };
    case 'deletion':
      return {
        subject: 'Your account was deleted',
        says: `${ofAccount} and its documents were deleted ${when}.`,
        advice: ASK,
      };
    case 'disabled':
      return {
        subject: 'Your account was disabled',
        says: `${ofAccount} was disabled ${when}. You can’t sign in, and its documents aren’t shown to others, except to people you shared them with.`,
        advice: ASK,
      };
    case 'enabled':
      return {
        subject: 'Your account is enabled again',
        says: `${ofAccount} was enabled ${when}. You can sign in again.`,
        advice: ASK,
      };
    case 'renamed':
      return {
        subject: 'Your account has a new username',
        says: `Your account ${event.from} was renamed to ${username} ${when}. Sign in with the new name or your email address. Links to your documents under the old name no longer work.`,
        advice: ASK,
      };
    case 'verified':
      return {
        subject: 'Your email address was verified',
        says: `The email address of ${account} was marked as verified ${when}.`,
        advice: ASK,
      };
    case 'sessions':
      return {
        subject: 'You were signed out everywhere',
        says: `All sessions of ${account} were ended ${when}. Sign in again.`,
        advice: ASK,
      };
    case 'access':
      return {
        subject: 'Your tokens and apps were disconnected',
        says: `All access tokens of ${account} were revoked and all apps disconnected ${when}.`,
        advice: ASK,
      };
    case 'resetLink':
      return {
        subject: 'A link to a new password was made for your account',
        says: `A link to a new password for ${account} was made ${when}. Whoever has it can set a password, once, within a day.`,
        advice: `${ASK}. A link made before no longer works once you have set a password`,
      };
    case 'unlocked':
      return {
        subject: 'You can sign in again',
        says: `The failed sign-ins to ${account} were forgotten ${when}.`,
        advice: ASK,
      };
    case 'admin':
      return {
        subject: event.isAdmin
          ? 'You administer this server'
          : 'You no longer administer this server',
        says: event.isAdmin
          ? `${ofAccount} was made an administrator ${when}.`
          : `${ofAccount} is no longer an administrator. This was changed ${when}.`,
        advice: ASK,
      };
    case 'handed over':
      return {
        subject: 'Your documents have another owner',
        says: `${event.number === 1 ? 'One document' : `${event.number} documents`} of ${account} went to ${event.to} ${when}.`,
        advice: ASK,
      };
    case 'organization':
      return {
        subject: `You are an admin of ${event.name}`,
        says: `${ofAccount} was made an admin of the organization ${event.name} (${event.namespace}) ${when}.`,
        advice: ASK,
        link: { label: 'The organization', path: `/organizations/${event.namespace}` },
      };
  }
}
