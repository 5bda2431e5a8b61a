import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { deriveKey, IV_BYTES, openText, sealText } from '../../base/crypto/seal.ts';
import { BackEndUnavailable, FieldError, ServiceError } from '../../base/errors.ts';
import { type Actor, type Call, type Context, later } from '../../core/context.ts';
import {
  deleteAnsweredRequest,
  deleteAnsweredUntil,
  findAnsweredRequest,
  insertAnsweredRequest,
  type RequestId,
  updateAnswer,
} from '../../core/identity/answered-request-store.ts';

export const IDEMPOTENCY_KEY =
  'Any text of up to 255 characters, unique to this request. If you repeat the request with the ' +
  'same key within 24 hours, it isn’t carried out again, and the response is that of the first one.';

const KEPT_MS = 24 * 60 * 60_000;

const KEY = /^[\x20-\x7e]{1,255}$/;

/** How long a repeated request waits for the answer to the first one, in another process. */
const PATIENCE_MS = 3_000;
const LOOK_EVERY_MS = 50;

/** The part of a call that {@link answerOnce} needs. */
interface RepeatableRequest {
  call: Call;
  body: unknown;
  request: FastifyRequest;
}

/** A request whose sender can repeat it. */
interface Repeatable extends RequestId {
  call: Call;
  hash: string;
  /** Seals the answer. Only requests have the key itself; the database has its hash. */
  seal: Uint8Array;
}

/** Another request with this key has been carried out. */
class AlreadyAnswered extends Error {}

/** The running requests of this process, by account and key. */
const running = new Map<string, Promise<unknown>>();

/**
 * Carries a request out once, however often it is sent with the same `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header). Its first transaction records the key, so it is stored
 * if and only if something was written. The answer is stored afterwards; one that failed is not.
 *
 * @throws BAD_REQUEST for an invalid key; UNPROCESSABLE if another request had this key; CONFLICT if
 *   the request was carried out, but its answer isn't stored
 */
export async function answerOnce<C extends RepeatableRequest, Answer extends object>(
  asked: C,
  handle: (asked: C) => Promise<Answer>,
): Promise<Answer> {
  const request = repeatableOf(asked);
  if (!request) return handle(asked);
  const id = `${request.accountId} ${request.key}`;
  for (let other = running.get(id); other; other = running.get(id)) await other.catch(() => {});
  const work = attempt<Answer>(request, (call) => handle({ ...asked, call }));
  running.set(id, work);
  try {
    return await work;
  } finally {
    running.delete(id);
  }
}

/**
 * Tells whether a request has the key of one that was carried out. Its caller may have lost access
 * since by that very request, such as a move.
 */
export async function isAnswered(call: Call, request: FastifyRequest): Promise<boolean> {
  const key = readKey(request);
  if (key === undefined) return false;
  const id = { accountId: call.actor.id, key: hashSecret(key) };
  return (await findAnsweredRequest(call.sql.read, id, oldest(call))) !== undefined;
}

/** Forgets answers that are older than 24 hours. @returns how many */
export async function sweepAnswers(context: Context): Promise<number> {
  return context.sql.transaction((tx) => deleteAnsweredUntil(tx, oldest(context)));
}

const oldest = ({ now }: Context) => later(now(), -KEPT_MS);

async function attempt<Answer extends object>(
  request: Repeatable,
  handle: (call: Call) => Promise<Answer>,
): Promise<Answer> {
  const first = await storedAnswer<Answer>(request);
  if (first) return first;
  const { call, isRecorded } = recording(request);
  try {
    const answer = await handle(call);
    await keep(request, answer, isRecorded());
    return answer;
  } catch (error) {
    // Another process may have carried it out meanwhile, which can be why this attempt failed.
    const repeated = isRecorded() ? undefined : await storedAnswer<Answer>(request);
    if (repeated) return repeated;
    if (isRecorded() && error instanceof ServiceError) {
      await request.call.sql.transaction((tx) => deleteAnsweredRequest(tx, request));
    }
    throw error;
  }
}

/** Returns a call whose first committed transaction records the request. */
function recording(request: Repeatable): { call: Call; isRecorded: () => boolean } {
  const { sql } = request.call;
  let recorded = false;
  const transaction: Context['sql']['transaction'] = async (work, options) => {
    if (recorded) return sql.transaction(work, options);
    const result = await sql.transaction(async (tx) => {
      if (!(await record(tx, request, null))) throw new AlreadyAnswered();
      return work(tx);
    }, options);
    recorded = true;
    return result;
  };
  const call = { ...request.call, sql: { ...sql, transaction } };
  return { call, isRecorded: () => recorded };
}

function record(
  tx: Parameters<typeof insertAnsweredRequest>[0],
  request: Repeatable,
  answer: string | null,
): Promise<boolean> {
  const { call, hash: requestHash } = request;
  const times = { at: call.now(), since: oldest(call) };
  return insertAnsweredRequest(tx, request, { requestHash, answer }, times);
}

/**
 * Stores the answer, unless the account has too many. Without it, a repeated request gets 409, or is
 * carried out if the first one wrote nothing.
 */
async function keep(request: Repeatable, answer: object, isRecorded: boolean): Promise<void> {
  const sealed = sealText(JSON.stringify(answer), request.seal, randomBytes(IV_BYTES));
  const kilobytes = Math.ceil(sealed.length / 1_000);
  const { limiter } = request.call;
  const allowance = await limiter.consume('keptAnswer', request.accountId, kilobytes);
  if (allowance?.allowed === false) return;
  try {
    await request.call.sql.transaction(async (tx) => {
      if (isRecorded) await updateAnswer(tx, request, sealed);
      else await record(tx, request, sealed);
    });
  } catch (error) {
    if (!(error instanceof BackEndUnavailable)) throw error;
  }
}

/** @throws UNPROCESSABLE if another request had this key; CONFLICT if there is no answer */
async function storedAnswer<Answer>(request: Repeatable): Promise<Answer | undefined> {
  const { call } = request;
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const row = await findAnsweredRequest(call.sql.read, request, oldest(call));
    if (!row) return undefined;
    if (row.requestHash !== request.hash) {
      throw faultOf('UNPROCESSABLE', 'you used this key for another request. Send a new key.');
    }
    const text = row.answer === null ? undefined : openText(row.answer, request.seal);
    if (text !== undefined) return JSON.parse(text);
    if (performance.now() > giveUpAt) {
      throw faultOf(
        'CONFLICT',
        'the first request with this key was carried out, but its response is lost. Look at what ' +
          'it did before you send it again with a new key.',
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
}

function faultOf(code: 'BAD_REQUEST' | 'UNPROCESSABLE' | 'CONFLICT', problem: string): FieldError {
  return new FieldError(code, 'Idempotency-Key', problem);
}

function readKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw faultOf('BAD_REQUEST', 'must be 1 to 255 printable ASCII characters.');
}

/**
 * A form's body is read later, so two of them are the same request if their lengths are. With other
 * scopes, a request is another one: its handler may require more than the operation does. So it is when
 * another organization shuts the program out, of which the first answer may tell.
 */
function repeatableOf({ call, body, request }: RepeatableRequest): Repeatable | undefined {
  const key = readKey(request);
  if (key === undefined) return undefined;
  const { method, url, headers } = request;
  const sent = request.isMultipart?.() ? headers['content-length'] : JSON.stringify(body);
  return {
    call,
    accountId: call.actor.id,
    key: hashSecret(key),
    hash: hashSecret(`${method} ${url} ${rightsOf(call.actor)}\n${sent}`),
    seal: deriveKey(key, `answer to ${call.actor.id}`),
  };
}

function rightsOf({ scopes, closedOwners = [], reach }: Actor): string {
  const limits = reach ? [JSON.stringify(reach)] : [];
  return [...scopes, ...closedOwners.map(({ id }) => id), ...limits].join(' ');
}
