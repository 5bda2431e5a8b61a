import { setTimeout } from 'node:timers/promises';
import { BackEndUnavailable } from '../../base/errors.ts';
import { backoffMs, GIVE_UP_AFTER_MS, nextDigestAt } from '../../base/schema/mail.ts';
import { type BackgroundLoop, startLoop } from '../../base/threads/background-loop.ts';
import { type Context, later } from '../../core/context.ts';
import {
  type Claim,
  claimMails,
  deleteMails,
  hasDueMail,
  type MailRow,
  releaseMails,
} from '../../core/outbox/mail-store.ts';
import { composeMail, testLetter } from './compose-service.ts';
import type { SendMail } from './smtp.ts';

/** How often a process looks for due mails. */
const EVERY_MS = 1_000;

/**
 * How long a shutdown waits for the mail server. An unfinished mail is sent again after the next
 * start.
 */
const STOP_WITHIN_MS = 5_000;

/** How long the mailer waits while the database is down. */
const WHILE_AWAY_MS = 10_000;

/**
 * How long a claim holds: longer than sending a mail should take. After that, any process can claim
 * the mail again, for example because the first one was killed.
 */
const CLAIM_MS = 2 * 60_000;

/** The longest stored error, in UTF-16 code units. */
const MAX_FAULT_LENGTH = 500;

/**
 * Sends queued mails in the background. On shutdown, waits a few seconds for the mail server.
 *
 * @param events.onFailure called if a mail can't be sent and will be tried again
 * @param events.onDropped called if a mail will never be sent
 * @param everyMs how often to look for due mails
 */
export function startMailer(
  context: Context,
  { send, close }: SendMail,
  events: { onFailure(error: unknown): void; onDropped(error: unknown): void },
  everyMs = EVERY_MS,
): Pick<BackgroundLoop, 'stop'> {
  context.sendTestMail = (to) => send(testLetter(context, to));
  const loop = startLoop({
    step: async () => ((await sendNext(context, send, events)) ? 0 : undefined),
    everyMs,
    whileAwayMs: WHILE_AWAY_MS,
    onFailure: events.onFailure,
  });
  return {
    async stop() {
      const patience = new AbortController();
      const { signal } = patience;
      await Promise.race([loop.stop(), setTimeout(STOP_WITHIN_MS, undefined, { signal })]);
      patience.abort();
      close();
    },
  };
}

/** Sends the mail that has been due longest. @returns `false` if none is due */
async function sendNext(
  context: Context,
  send: SendMail['send'],
  events: { onFailure(error: unknown): void; onDropped(error: unknown): void },
): Promise<boolean> {
  const now = context.now();
  if (!(await hasDueMail(context.sql.read, now))) return false;
  const until = later(now, CLAIM_MS);
  const mails = await context.sql.transaction((tx) => claimMails(tx, { now, until }));
  if (mails.length === 0) return false;
  const outcome = await attempt(context, send, mails);
  if (!('error' in outcome)) {
    await finish(context, { mails, until }, outcome.position);
    return true;
  }
  const { error } = outcome;
  const isOver = (mail: MailRow) =>
    isFinal(error) || later(mail.createdAt, GIVE_UP_AFTER_MS) <= now;
  const dropped = mails.filter(isOver);
  if (dropped.length > 0) {
    events.onDropped(error);
    await finish(context, { mails: dropped, until });
  }
  const kept = mails.filter((mail) => !isOver(mail));
  if (kept.length > 0) {
    events.onFailure(error);
    const attempts = Math.max(...kept.map((mail) => mail.attempts)) + 1;
    const fault = faultOf(error);
    const next = { dueAt: later(now, backoffMs(attempts)), attempts, fault };
    await context.sql.transaction((tx) => releaseMails(tx, { mails: kept, until }, next));
  }
  return true;
}

/**
 * Composes and sends a mail, if there is still something to report.
 *
 * @returns the position of the last event in a digest, or the failure
 * @throws BackEndUnavailable; then the mails wait until the claim ends
 */
async function attempt(
  context: Context,
  send: SendMail['send'],
  mails: readonly MailRow[],
): Promise<{ position: number | undefined } | { error: unknown }> {
  try {
    const letter = await composeMail(context, mails);
    if (letter) await send(letter);
    return { position: letter?.position };
  } catch (error) {
    if (error instanceof BackEndUnavailable) throw error;
    return { error };
  }
}

/** Returns what went wrong, for administrators: the server's answer or the network's error. */
function faultOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll('\0', '').slice(0, MAX_FAULT_LENGTH);
}

/**
 * Tells whether the server refused the recipient or the mail for good (RFC 5321, section 4.2.1).
 */
function isFinal(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
}

/** Deletes mails that were sent or dropped. A digest is due again the next day. */
async function finish(context: Context, claim: Claim, position?: number): Promise<void> {
  const [first] = claim.mails as [MailRow];
  await context.sql.transaction(async (tx) => {
    if (first.kind !== 'digest') return deleteMails(tx, claim);
    // Counts from `createdAt`, which retries don't move.
    const dueAt = nextDigestAt(first.createdAt, context.now());
    const next = {
      dueAt,
      createdAt: dueAt,
      attempts: 0,
      position: position ?? first.position ?? 0,
    };
    await releaseMails(tx, claim, next);
  });
}
