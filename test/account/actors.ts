import { Readable } from 'node:stream';
import { FIXED_LIMITS, type RateLimiter } from '../../src/base/limits/rate-limit.ts';
import { VIA_WEB } from '../../src/base/schema/means.ts';
import { type Actor, callOf } from '../../src/core/context.ts';
import { ALL_SCOPES } from '../../src/core/identity/scope.ts';
import { saveUpload, storeUpload } from '../../src/features/files/file-service.ts';
import type { FileRow } from '../../src/features/files/file-store.ts';
import { openSqliteRateLimiter } from '../../src/storage/rate-limit/sqlite.ts';
import type { Client, Service } from '../harness.ts';

/** Returns the actor of a client's user, as signed in on the web. */
export async function actorOf(client: Client): Promise<Actor> {
  const { data } = await client.get('/user');
  return { id: data.id, username: data.username, scopes: ALL_SCOPES, via: VIA_WEB };
}

/** The counters that the service uses without Redis. */
export function openLimiter({ config }: Service): Promise<RateLimiter> {
  return openSqliteRateLimiter(config.dataDir, FIXED_LIMITS);
}

/** Uploads a text file. */
export async function upload(
  { app }: Service,
  actor: Actor,
  name: string,
  content: string | Buffer,
): Promise<FileRow> {
  const bytes = Readable.from([Buffer.from(content as string)]);
  const stored = await storeUpload(app.context, { name, claimedType: '', bytes });
  return saveUpload(callOf(app.context, actor), stored);
}

/** The result of a refused call: `CODE message`. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `${code} ${message}`;
  }
  return 'was not refused';
}
