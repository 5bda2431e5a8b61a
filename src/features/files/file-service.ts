import { randomBytes } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { FieldError, nothingAtAddress } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { isStorableText } from '../../base/schema/fields.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { RAW_LIMITS } from '../../base/text/raw-length.ts';
import { unwantedCharacter } from '../../base/text/shown-name.ts';
import { audit } from '../../core/audit/audit.ts';
import type { Call, Context } from '../../core/context.ts';
import { discardBlobs, newStoragePath, withNewBlob } from '../../core/document/blob-lifecycle.ts';
import { requireExistingAccount } from '../../core/identity/account-service.ts';
import { queueNoticeTo } from '../../core/outbox/plain-notice.ts';
import { findOwnerById } from '../../core/owner/owner-store.ts';
import { charge } from '../../core/quota/quota-service.ts';
import type { ByteRange } from '../../storage/blob/blob.ts';
import type { Writer } from '../../storage/sql/sql.ts';
import { decideType, FILE_TYPES, SNIFFED_BYTES, sniffType } from './content-type.ts';
import {
  deleteFile,
  type FileRow,
  findFileByAddress,
  findOwnFile,
  insertFile,
  listFiles,
} from './file-store.ts';
import { withoutMetadata } from './image-metadata.ts';
import { requireShowable } from './image-pixels.ts';
import { requireText, SizeLimit } from './inspect.ts';

/** The largest file (specification, part "File uploads"). */
export const FILE_LIMIT_BYTES = 10 * 1024 * 1024;

const ADDRESS_BYTES = 20;
const MAX_NAME_CHARACTERS = 255;

/** A file sent by a client. */
export interface Upload {
  name: string;
  /** The media type declared by the client. */
  claimedType: string;
  bytes: Readable;
}

/** A file whose bytes are stored but that has no row yet. */
export type StoredUpload = Pick<FileRow, 'name' | 'contentType' | 'sizeBytes' | 'storagePath'>;

/**
 * Stores an upload as a stream, with only its first few thousand bytes in memory. Removes an image's
 * metadata. Call {@link saveUpload} or {@link discardUpload} afterwards.
 *
 * If this fails, for example because the upload is incomplete, nothing stays stored.
 *
 * @throws PAYLOAD_TOO_LARGE over 10 MB; UNPROCESSABLE if the type is not allowed, or differs from
 *   the declared one or the name's, or an image has over 50 million pixels; BAD_REQUEST for a bad name; BackEndUnavailable
 */
export async function storeUpload(context: Context, upload: Upload): Promise<StoredUpload> {
  const name = requireFileName(upload.name);
  const { head, rest } = await peek(upload.bytes, SNIFFED_BYTES);
  const decided = decideType(await sniffType(head), upload.claimedType, name);
  if ('problem' in decided) {
    upload.bytes.destroy();
    throw new FieldError('UNPROCESSABLE', 'file', `${decided.problem}.`);
  }
  const size = new SizeLimit(FILE_LIMIT_BYTES);
  const { type } = decided;
  const checks = FILE_TYPES[type].text ? [requireText()] : [cleaned(type)];
  const stored = new SizeLimit(FILE_LIMIT_BYTES);
  const storagePath = newStoragePath('files', context.newId(), '');
  // A failure in any stream fails the last one, which the store reads.
  const checked = pipeline(
    [Readable.from(rest, { objectMode: false }), size, ...checks, stored],
    () => {},
  );
  await context.blobs.write(storagePath, checked as unknown as Readable);
  return { name, contentType: type, sizeBytes: stored.sizeBytes, storagePath };
}

/**
 * Makes stored bytes the actor's file.
 *
 * @param alongside runs in the same transaction
 * @throws UNAUTHORIZED if the account is gone
 */
export async function saveUpload(
  call: Call,
  upload: StoredUpload,
  alongside?: (tx: Writer) => Promise<void>,
): Promise<FileRow> {
  const file: FileRow = {
    ...upload,
    id: call.newId(),
    accountId: call.actor.id,
    address: randomBytes(ADDRESS_BYTES).toString('base64url'),
    createdAt: call.now(),
  };
  await withNewBlob(call, upload.storagePath, () =>
    call.sql.transaction(async (tx) => {
      await requireExistingAccount(tx, call.actor.id);
      const { sizeBytes: bytes } = file;
      await charge(call, tx, call.actor.id, { bytes, fileBytes: bytes });
      await insertFile(tx, file);
      await alongside?.(tx);
    }),
  );
  return file;
}

/** Returns a stage of a pipeline that checks an image's size, removes its metadata, and passes other types. */
function cleaned(type: string): (bytes: AsyncIterable<Buffer>) => AsyncIterable<Buffer> {
  return (bytes) => withoutMetadata(type, bytes, (...size) => requireShowable('file', ...size));
}

/** Deletes the bytes of an upload that is not saved. */
export async function discardUpload(context: Context, upload: StoredUpload): Promise<void> {
  await discardBlobs(context, [upload.storagePath]);
}

/** Lists the actor's files, newest first. */
export async function listOwnFiles(call: Call, page: PageRequest): Promise<Page<FileRow>> {
  return listFiles(call.sql.read, call.actor.id, page);
}

/** Returns one of the actor's files. @throws NOT_FOUND */
export async function getOwnFile(call: Call, id: string): Promise<FileRow> {
  const file = await findOwnFile(call.sql.read, call.actor.id, normaliseId(id));
  if (!file) throw noSuchFile();
  return file;
}

/** Deletes one of the actor's files. @throws NOT_FOUND */
export async function removeFile(call: Call, id: string): Promise<void> {
  const { actor } = call;
  const storagePath = await call.sql.transaction(async (tx) => {
    const file = await findOwnFile(tx, actor.id, normaliseId(id));
    const path = file && (await deleteFile(tx, actor.id, file.id));
    if (path === undefined) throw noSuchFile();
    const about = {
      ownerId: actor.id,
      subject: file?.name ?? '',
      detail: { file: file?.id ?? '' },
    };
    await audit(call, tx, { action: 'file.deleted', actor, ...about });
    return path;
  });
  await discardBlobs(call, [storagePath]);
}

/** The longest reason, in UTF-16 code units. */
const MAX_REASON = 500;

/**
 * Deletes somebody's file for an operator, wherever it is shown. Its owner is mailed the reason.
 *
 * @param address the secret part of the file's URL
 * @returns the names of the file and its owner
 * @throws BAD_REQUEST naming `reason`; NOT_FOUND naming `address`
 */
export async function takeFileAway(
  context: Context,
  address: string,
  { reason }: { reason: string },
): Promise<{ name: string; owner: string }> {
  const quote = reason.replace(/\s+/gu, ' ').trim();
  if (quote === '' || quote.length > MAX_REASON || !isStorableText(quote)) {
    const problem = `must be a text of 1 to ${MAX_REASON} characters.`;
    throw new FieldError('BAD_REQUEST', 'reason', problem);
  }
  const { file, owner } = await context.sql.transaction(async (tx) => {
    const found = await findFileByAddress(tx, address);
    if (!found || (await deleteFile(tx, found.accountId, found.id)) === undefined) {
      throw new FieldError('NOT_FOUND', 'address', 'there is no file at this address.');
    }
    const { id, accountId, name: subject } = found;
    await audit(context, tx, {
      action: 'file.taken_away',
      accountId,
      subject,
      detail: { file: id, reason: quote },
    });
    await queueNoticeTo(context, tx, [accountId], {
      subject: `Your file ${subject} was deleted`,
      says: [
        `An administrator of this instance deleted the file ${subject}, which you uploaded. Documents no longer show it. The reason:`,
      ],
      quote,
      reason: 'You get this mail because the file was yours.',
    });
    return { file: found, owner: (await findOwnerById(tx, accountId))?.namespace ?? accountId };
  });
  await discardBlobs(context, [file.storagePath]);
  return { name: file.name, owner };
}

/** A file to serve at its URL. */
export interface OpenFile {
  contentType: string;
  /** A Content-Disposition header. */
  disposition: string;
  etag: string;
  sizeBytes: number;
  open(range?: ByteRange): Promise<Readable | undefined>;
}

/** Opens the file at an address. @throws NOT_FOUND */
export async function openFile(context: Context, address: string, name: string): Promise<OpenFile> {
  const file = /^[\w-]+$/.test(address) && (await findFileByAddress(context.sql.read, address));
  if (!file || file.name !== name) {
    throw nothingAtAddress();
  }
  const { disposition, text } = FILE_TYPES[file.contentType];
  return {
    contentType: file.contentType + (text ? '; charset=utf-8' : ''),
    disposition: `${disposition}; filename*=UTF-8''${encodeExtended(file.name)}`,
    etag: `"${file.id}"`,
    sizeBytes: file.sizeBytes,
    open: (range) => context.blobs.read(file.storagePath, range),
  };
}

function noSuchFile(): FieldError {
  return new FieldError('NOT_FOUND', 'id', 'you have no file with this id.');
}

/** Returns the name in a part's `filename`, which can be a path. @throws BAD_REQUEST */
export function requireFileName(text: string): string {
  const last = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1);
  const name = last.length > RAW_LIMITS.name ? undefined : last.trim().normalize('NFC');
  if (name === undefined || Array.from(name).length > MAX_NAME_CHARACTERS) {
    throw new FieldError(
      'BAD_REQUEST',
      'filename',
      `must have at most ${MAX_NAME_CHARACTERS} characters.`,
    );
  }
  const unwanted = unwantedCharacter(name);
  if (unwanted) {
    const problem = `must not contain the character ${unwanted}.`;
    throw new FieldError('BAD_REQUEST', 'filename', problem);
  }
  return name === '' || name === '.' || name === '..' ? 'file' : name;
}

/** Encodes a text for RFC 8187, which allows fewer characters than encodeURIComponent leaves. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Reads the first bytes of a stream, and returns them and the whole stream from its start. */
async function peek(
  bytes: Readable,
  count: number,
): Promise<{ head: Buffer; rest: AsyncIterable<Buffer> }> {
  const iterator: AsyncIterator<Buffer> = bytes[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  for (let length = 0; length < count; ) {
    const { done, value } = await iterator.next();
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  async function* all() {
    yield* chunks;
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { head: Buffer.concat(chunks).subarray(0, count), rest: all() };
}
