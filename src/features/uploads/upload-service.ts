import type { Readable } from 'node:stream';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { FieldError, ServiceError } from '../../base/errors.ts';
import { isStorableText } from '../../base/schema/fields.ts';
import type { Via } from '../../base/schema/means.ts';
import type { Actor, Call, Context } from '../../core/context.ts';
import { type Published, replaceText } from '../../core/document/create-or-replace-service.ts';
import { DocumentMoved } from '../../core/document/document-moved.ts';
import { createDocument } from '../../core/document/document-service.ts';
import { type DocumentRow, findDocumentById } from '../../core/document/document-store.ts';
import type { MergedDocument } from '../../core/document/merge-service.ts';
import { readReach } from '../../core/identity/reach.ts';
import type { Scope } from '../../core/identity/scope.ts';
import { isTicketSecret } from '../../core/identity/ticket.ts';
import { endOf } from '../../core/identity/token-service.ts';
import { type ClosedOwner, closedToProgram, type Program } from '../../core/owner/program-rule.ts';
import { closedOwnerOf, findClosedOwners } from '../../core/owner/program-service.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { saveUpload, storeUpload } from '../files/file-service.ts';
import type { FileRow } from '../files/file-store.ts';
import { resolving } from '../suggestions/suggestion-service.ts';
import {
  type DocumentTask,
  type FileTask,
  limitBytesOf,
  type UploadTask,
} from './ticket-service.ts';
import { deleteTicket, findTicketByHash, type OpenTicketRow } from './ticket-store.ts';

/** The scope that uploading needs. It can be taken away from an application that has a ticket. */
const SCOPE: Scope = 'documents:write';

/** A usable ticket, and the actor it belongs to. */
export interface OpenTicket {
  actor: Actor;
  task: UploadTask;
  limitBytes: number;
  documentId: string | null;
  /** SHA-256 of its secret. */
  hash: string;
}

/**
 * Opens a ticket. It isn't used up before its upload is stored.
 *
 * @throws NOT_FOUND if it is malformed, unknown, used or expired, or if its token, grant or account
 *   has ended, indistinguishably
 */
export async function openTicket(context: Context, secret: string): Promise<OpenTicket> {
  if (!isTicketSecret(secret)) throw noSuchTicket();
  const hash = hashSecret(secret);
  const row = await findTicketByHash(context.sql.read, hash);
  if (!row || !isOpen(context, row)) throw noSuchTicket();
  const task = JSON.parse(row.task) as UploadTask;
  const { accountId: id, username, documentId } = row;
  const via: Via =
    row.tokenId === null
      ? { means: 'application', name: row.clientName }
      : { means: 'token', name: row.tokenName };
  const closedOwners = await closedTo(context, context.sql.read, row);
  const reach = readReach(row.tokenReach ?? row.grantReach);
  const actor: Actor = { id, username, via, scopes: [SCOPE], closedOwners, reach };
  return { actor, task, documentId, hash, limitBytes: limitBytesOf(task) };
}

/** Finds the organizations that shut the program of a ticket out. */
function closedTo(context: Context, db: Reader, row: OpenTicketRow): Promise<ClosedOwner[]> {
  const isToken = row.tokenId !== null;
  const program: Program = {
    means: isToken ? 'token' : 'application',
    createdAt: (isToken ? row.tokenCreatedAt : row.grantCreatedAt) as string,
    expiresAt: endOfProgram(context, row),
  };
  return findClosedOwners(db, row.accountId, program, context.now());
}

/** Returns when the token or the application that asked for a ticket ends. */
function endOfProgram(context: Context, row: OpenTicketRow): string | null {
  const { tokenCreatedAt: createdAt, tokenExpiresAt: expiresAt } = row;
  return createdAt === null ? row.grantExpiresAt : endOf(context, { createdAt, expiresAt });
}

/** Tells whether a ticket is valid now. */
function isOpen(context: Context, row: OpenTicketRow): boolean {
  const now = context.now();
  const isLater = (time: string | null) => time === null || now < time;
  return (
    isLater(row.expiresAt) &&
    row.disabledAt === null &&
    row.refusedAt === null &&
    row.tokenRevokedAt === null &&
    isLater(endOfProgram(context, row)) &&
    (row.grantScopes === null || row.grantScopes.split(' ').includes(SCOPE))
  );
}

/** A document whose text was uploaded. */
export interface Uploaded {
  isNew: boolean;
  seen: MergedDocument;
}

/**
 * Uses a ticket up, in the transaction that stores its upload. If that fails, the ticket stays.
 *
 * @throws NOT_FOUND if it has ended since it was opened, or another upload was faster; FORBIDDEN if an
 *   organization has shut its program out since
 */
async function useTicket(call: Call, tx: Writer, ticket: OpenTicket): Promise<void> {
  const { hash } = ticket;
  const row = await findTicketByHash(tx, hash);
  if (!row || !isOpen(call, row)) throw noSuchTicket();
  const closed = (await closedTo(call, tx, row)).find(({ id }) => !closedOwnerOf(call.actor, id));
  if (closed) throw closedToProgram(closed, call.actor.via.means);
  if (!(await deleteTicket(tx, row.id))) throw noSuchTicket();
}

/**
 * Publishes an uploaded text.
 *
 * @throws BAD_REQUEST unless the bytes are UTF-8 text; NOT_FOUND if the ticket has ended or the
 *   document is gone; UNAVAILABLE if the document was just renamed; what publishing throws
 */
export async function publishUpload(
  call: Call,
  ticket: OpenTicket,
  task: DocumentTask,
  bytes: Uint8Array,
): Promise<Uploaded> {
  try {
    return await publishTask(call, ticket, task, textOf(bytes));
  } catch (error) {
    // The conflict may be with a faster upload that used the same ticket.
    throw (await isOpenStill(call, ticket)) ? error : noSuchTicket();
  }
}

async function publishTask(
  call: Call,
  ticket: OpenTicket,
  task: DocumentTask,
  content: string,
): Promise<Uploaded> {
  const { documentId } = ticket;
  const { what: kind, owner, name, visibility, message } = task;
  const fields = { content, ...(visibility && { visibility }) };
  if (documentId !== null) return replaceUploaded(call, ticket, task, documentId, fields);
  const input = name === undefined ? fields : { ...fields, name };
  const alongside = (tx: Writer) => useTicket(call, tx, ticket);
  const created = await createDocument(call, kind, owner, input, { message, alongside });
  return { isNew: true, seen: { ...created, merged: false, wordLines: [] } };
}

/** Replaces the text of the ticket's document, under its current name. */
async function replaceUploaded(
  call: Call,
  ticket: OpenTicket,
  task: DocumentTask,
  documentId: string,
  fields: Published,
): Promise<Uploaded> {
  const { ifMatch, baseRevision, message, resolves } = task;
  const row = await findDocumentById(call.sql.read, documentId, call.actor.id);
  if (!row) throw noSuchTicket();
  const ref = { kind: row.kind, owner: row.ownerNamespace, name: row.name };
  const resolve = resolving(call, resolves);
  const alongside = async (tx: Writer, document: DocumentRow) => {
    // Another document may have taken the name.
    if (document.id !== documentId) throw noSuchTicket();
    await useTicket(call, tx, ticket);
    await resolve?.(tx, document);
  };
  const options = { mayReplace: true, ifMatch, baseRevision, message, alongside };
  try {
    return { isNew: false, seen: await replaceText(call, ref, fields, options) };
  } catch (error) {
    // The document was renamed since it was looked up. The upload can be repeated.
    throw error instanceof DocumentMoved ? new ServiceError('UNAVAILABLE', MOVED) : error;
  }
}

async function isOpenStill(call: Call, { hash }: OpenTicket): Promise<boolean> {
  const row = await findTicketByHash(call.sql.read, hash);
  return row !== undefined && isOpen(call, row);
}

const MOVED = 'The document was just renamed. Upload it again.';

/**
 * Stores an uploaded file. @throws NOT_FOUND if the ticket has ended; what storing a file throws
 */
export async function saveUploadedFile(
  call: Call,
  ticket: OpenTicket,
  { name, claimedType }: FileTask,
  bytes: Readable,
): Promise<FileRow> {
  const stored = await storeUpload(call, { name, claimedType, bytes });
  return saveUpload(call, stored, (tx) => useTicket(call, tx, ticket));
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** @throws BAD_REQUEST */
function textOf(bytes: Uint8Array): string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new FieldError('BAD_REQUEST', 'body', 'is not UTF-8 text.');
  }
  if (isStorableText(text)) return text;
  throw new FieldError('BAD_REQUEST', 'body', 'must be text without the character U+0000.');
}

/** Returns the same error for every ticket that can't be used. */
function noSuchTicket(): ServiceError {
  const message =
    'This upload address has expired, was already used, or never existed. Ask for a new one.';
  return new ServiceError('NOT_FOUND', message);
}
