import { randomBytes } from 'node:crypto';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { KINDS, type Kind } from '../../base/schema/kind.ts';
import type { Visibility } from '../../base/schema/visibility.ts';
import { type Call, type Context, later } from '../../core/context.ts';
import {
  type PublishOptions,
  preparePublication,
} from '../../core/document/create-or-replace-service.ts';
import { requireExistingAccount } from '../../core/identity/account-service.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import { TICKET_LIFETIME_MS, TICKET_SECRET_BYTES, uploadUrl } from '../../core/identity/ticket.ts';
import type { OwnerRef } from '../../core/owner/document-owner-service.ts';
import { requireStorage } from '../../core/quota/quota-service.ts';
import { FILE_LIMIT_BYTES, requireFileName } from '../files/file-service.ts';
import { deleteExpiredTickets, insertTicket } from './ticket-store.ts';

/** What to do with the bytes uploaded with a ticket. */
export type UploadTask = DocumentTask | FileTask;

export interface DocumentTask extends Pick<PublishOptions, 'ifMatch'> {
  what: Kind;
  owner: OwnerRef;
  name?: string | undefined;
  visibility?: Visibility | undefined;
  baseRevision?: number | undefined;
  message?: string | undefined;
  resolves?: string[] | undefined;
}

export interface FileTask {
  what: 'file';
  name: string;
  claimedType: string;
}

/** An address that takes one upload. It is shown once; only a hash of its secret is stored. */
export interface IssuedTicket {
  url: string;
  expiresAt: string;
  maxBytes: number;
}

/**
 * Issues a ticket to publish one document. Everything that doesn't depend on the text is checked
 * now, and again when the text arrives.
 *
 * @throws what {@link preparePublication} throws; RATE_LIMITED
 */
export async function issueDocumentTicket(
  call: Call,
  task: DocumentTask,
  mayReplace: boolean,
): Promise<IssuedTicket> {
  const { what: kind, owner, name, visibility, baseRevision, ifMatch, message } = task;
  const options = { mayReplace, ifMatch, baseRevision, message };
  const wanted = { kind, owner, name };
  const replaced = await preparePublication(call, wanted, visibility, options);
  return issueTicket(call, task, replaced?.id ?? null);
}

/**
 * Issues a ticket to upload one file.
 *
 * @throws BAD_REQUEST for the name; QuotaExceeded if the storage is full; RATE_LIMITED
 */
export async function issueFileTicket(
  call: Call,
  file: Omit<FileTask, 'what'>,
): Promise<IssuedTicket> {
  requireFileName(file.name);
  await requireStorage(call, call.sql.read, call.actor.id);
  return issueTicket(call, { what: 'file', ...file }, null);
}

/** Returns the most bytes that can be uploaded for a task. */
export function limitBytesOf({ what }: UploadTask): number {
  return what === 'file' ? FILE_LIMIT_BYTES : KINDS[what].contentLimitBytes;
}

/** Deletes expired tickets. @returns how many */
export async function sweepTickets(context: Context): Promise<number> {
  return context.sql.transaction((tx) => deleteExpiredTickets(tx, context.now()));
}

async function issueTicket(
  call: Call,
  task: UploadTask,
  documentId: string | null,
): Promise<IssuedTicket> {
  const { actor } = call;
  const { credentialId, via } = actor;
  if (credentialId === undefined) throw new Error('Tickets are for tokens and applications.');
  await countAttempt(call.limiter, [['uploadTicket', actor.id]]);
  const secret = randomBytes(TICKET_SECRET_BYTES).toString('base64url');
  const expiresAt = later(call.now(), TICKET_LIFETIME_MS);
  const isToken = via.means === 'token';
  await call.sql.transaction(async (tx) => {
    await requireExistingAccount(tx, actor.id);
    await insertTicket(tx, {
      id: call.newId(),
      accountId: actor.id,
      documentId,
      expiresAt,
      tokenId: isToken ? credentialId : null,
      grantId: isToken ? null : credentialId,
      task: JSON.stringify(task),
      secretHash: hashSecret(secret),
    });
  });
  return { url: uploadUrl(call.baseUrl, secret), expiresAt, maxBytes: limitBytesOf(task) };
}
