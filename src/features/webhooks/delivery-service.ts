import { randomInt } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import { addressesOf, PrivateAddress, pinnedTo } from '../../base/net/guarded-address.ts';
import type { Resolve } from '../../base/net/name-lookups.ts';
import { type Context, later } from '../../core/context.ts';
import { type Attempt, outcomeOf } from './retry.ts';
import { signedHeaders } from './signature.ts';
import {
  claimDelivery,
  type DueDelivery,
  findSendable,
  type Sendable,
  updateOutcome,
} from './webhook-delivery-store.ts';
import { updateDisabled, updateFailingSince } from './webhook-store.ts';

/** How long a claim holds: longer than an attempt can take. */
const CLAIM_MS = 60_000;

/** The type of a test delivery, which is about no document. */
const TEST_TYPE = 'webhook.test';

/**
 * Claims a delivery, sends it once and stores the outcome. If the process is killed in between, the
 * claim expires and the delivery is sent again with the same id.
 *
 * @param signal aborts the attempt, which then doesn't count
 */
export async function deliver(
  context: Context,
  due: DueDelivery,
  signal: AbortSignal,
): Promise<void> {
  const claimedUntil = later(context.now(), CLAIM_MS);
  const isClaimed = await context.sql.transaction((tx) => claimDelivery(tx, due, claimedUntil));
  if (!isClaimed) return;
  const sendable = await findSendable(context.sql.read, due.id);
  if (!sendable) return;
  try {
    await send(context, due, { sendable, claimedUntil, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    const claim = { ...due, nextAt: claimedUntil };
    await context.sql.transaction((tx) => claimDelivery(tx, claim, context.now()));
  }
}

async function send(
  context: Context,
  { id, webhookId, accountId }: DueDelivery,
  attempt: { sendable: Sendable; claimedUntil: string; signal: AbortSignal },
): Promise<void> {
  const { sendable, claimedUntil, signal } = attempt;
  const body = JSON.stringify(payloadOf(sendable));
  const now = context.now();
  const timestamp = Math.floor(Date.parse(now) / 1_000);
  const headers = signedHeaders({ id, timestamp, body }, secretsAt(sendable, now));
  const result = await postOnce(
    { url: sendable.url, headers, body },
    {
      privateAddresses: context.webhookPrivateAddresses,
      resolve: context.lookups.ofAccount(accountId),
      signal,
    },
  );
  const isTest = sendable.eventId === null;
  const at = context.now();
  const { failingSince } = sendable;
  const state = { attempt: sendable.attempt, isTest, failingSince };
  const outcome = outcomeOf(result, state, at, randomInt(1_000) / 1_000);
  await context.sql.transaction(async (tx) => {
    if (!(await updateOutcome(tx, { id, claimedUntil, at }, outcome))) return;
    if (!isTest || outcome.failingSince === null) {
      await updateFailingSince(tx, webhookId, outcome.failingSince);
    }
    const because = outcome.disabledBecause;
    if (because) await updateDisabled(tx, webhookId, { because, at });
  });
}

function secretsAt({ secret, previousSecret, previousUntil }: Sendable, now: string): string[] {
  const isPreviousValid = previousSecret !== null && previousUntil !== null && previousUntil > now;
  return isPreviousValid ? [secret, previousSecret] : [secret];
}

/** Builds the body: what happened to which document, without any text. */
function payloadOf(sendable: Sendable) {
  const { type, at, kind, owner, name, documentId, version, threadId, actor, via } = sendable;
  const { firstVersion: firstRevision, coAuthors } = sendable;
  if (type === null) return { type: TEST_TYPE, timestamp: sendable.createdAt, data: {} };
  const document = { kind, owner, name, id: documentId };
  const others = coAuthors?.split(' ') ?? [];
  const about = { document, revision: version, firstRevision, thread: threadId };
  const data = { ...about, actor, coAuthors: others, via };
  return { type, timestamp: at, data };
}

/** For the whole attempt, including the DNS lookup. */
const TIMEOUT_MS = 15_000;

interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Posts JSON to an untrusted address, once, without following redirects or reading the response's
 * body. Connects only to addresses that were checked.
 *
 * @param options.resolve looks up the host
 * @param options.signal aborts the attempt
 * @throws the signal's reason when it aborts
 */
async function postOnce(
  { url, headers, body }: Post,
  options: { privateAddresses: 'refuse' | 'allow'; resolve: Resolve; signal: AbortSignal },
): Promise<Attempt> {
  const { privateAddresses, resolve } = options;
  const target = new URL(url);
  if (privateAddresses === 'refuse' && (target.protocol !== 'https:' || target.port !== '')) {
    return { fault: 'address' };
  }
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    const addresses = await addressesOf(target, { resolve, signal, privateAddresses });
    return await post(target, addresses, { headers, body, signal });
  } catch (error) {
    options.signal.throwIfAborted();
    if (timeout.aborted || isTimeout(error)) return { fault: 'timeout' };
    return { fault: error instanceof PrivateAddress ? 'address' : 'connection' };
  }
}

/** Tells whether an error is the timeout of a lookup. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function post(
  url: URL,
  addresses: readonly string[],
  { headers, body, signal }: Omit<Post, 'url'> & { signal: AbortSignal },
): Promise<Attempt> {
  const { Agent, request } = url.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: false, ...pinnedTo(addresses) });
  return new Promise((settle, fail) => {
    const bytes = Buffer.from(body);
    const sent = request(url, {
      agent,
      signal,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': bytes.length,
        'user-agent': 'Briefs-Webhooks',
        ...headers,
      },
    });
    sent.on('error', fail);
    // The connection closed without a response, for example after 101.
    sent.on('close', () => fail(new Error('there was no response')));
    sent.on('response', ({ statusCode = 0, headers: received }) => {
      settle({ code: statusCode, retryAfter: received['retry-after'] });
      sent.destroy();
    });
    sent.end(bytes);
  });
}
