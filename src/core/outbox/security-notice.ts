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
  | { what: 'deletion' };

/** A mail about the security of an account, as it waits in the queue. */
export interface SecurityNotice {
  event: SecurityEvent;
  /** Whether it was done with a command on the server, not by someone in the web app. */
  byOperator: boolean;
  accountId: string;
  username: string;
  /** The address that the account had when it happened. */
  address: string;
  /** ISO 8601. */
  at: string;
}

/** The text of a notice. */
interface NoticeText {
  subject: string;
  /** What happened, when, and by which means. */
  says: string;
  /** What to do about it otherwise. */
  advice: string;
  link?: { label: string; path: string };
}

const CHANGE_PASSWORD = 'and change your password';
const ASK = 'ask the operator of this server for help';

/** Says in a few sentences what happened, and what to do if it wasn't the reader. */
export function noticeText({ event, byOperator, username, at }: SecurityNotice): NoticeText {
  const account = `your account ${username}`;
  const [date, time] = [at.slice(0, 10), at.slice(11, 16)];
  const means = byOperator ? 'by an operator of this server' : 'in the web app';
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
    case 'deletion':
      return {
        subject: 'Your account was deleted',
        says: `${account.replace(/^y/, 'Y')} and its documents were deleted ${when}.`,
        advice: ASK,
      };
  }
}
