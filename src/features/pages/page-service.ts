import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Text } from '@codemirror/state';
import { IV_BYTES } from '../../base/crypto/seal.ts';
import { nothingAtAddress } from '../../base/errors.ts';
import type { Call, Context } from '../../core/context.ts';
import { NOBODY } from '../../core/document/access-rules.ts';
import { requireDocument, see } from '../../core/document/authorize.ts';
import { type DocumentRef, normaliseRef } from '../../core/document/document-ref.ts';
import { type DocumentRow, findDocumentById } from '../../core/document/document-store.ts';
import { isOpen } from '../../core/document/link.ts';
import { findLink } from '../../core/document/link-store.ts';
import type { LinkedDocument } from '../../core/document/linked-document-service.ts';
import { refuseMissing } from '../../core/document/public-document-service.ts';
import { findPublicPage } from '../../core/document/public-document-store.ts';
import { findAccountById } from '../../core/identity/account-store.ts';
import { readReach } from '../../core/identity/reach.ts';
import { loadLiveText } from '../../core/live/live-texts.ts';
import { findTyped } from '../../core/live/typed-service.ts';
import { contextFor, findClosedOwners } from '../../core/owner/program-service.ts';
import { findProgram } from '../../core/owner/program-store.ts';
import { canReview } from '../../core/review/review-access.ts';
import { findReviewSettings } from '../../core/review/review-setting-store.ts';
import { readPublicRevision } from '../../core/revision/public-revision-service.ts';
import { findReadableText } from '../../core/revision/readable-text-service.ts';
import type { RevisionName } from '../../core/revision/revision-name.ts';
import type { ByteRange } from '../../storage/blob/blob.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import {
  type Grant,
  SIGNED_ADDRESS_LIFETIME_MS,
  signAddress,
  verifyAddress,
} from './signed-address.ts';
import { currentSigningKey } from './signing-key-service.ts';
import { listSigningKeys } from './signing-key-store.ts';

/** A page's HTML, to be sent whole or in part. */
export interface PageContent {
  etag: string;
  sizeBytes: number;
  /** Whether range requests are answered with the whole. */
  isWhole?: boolean;
  /** Opens the bytes; `undefined` if they have been replaced or deleted since. */
  open(range?: ByteRange): Promise<Readable | undefined>;
}

/**
 * Opens a public page, for anyone.
 *
 * @throws errors of {@link refuseMissing}
 */
export async function openPublicPage(
  context: Context,
  owner: string,
  name: string,
): Promise<PageContent> {
  const ref = { kind: 'page', owner, name } as const;
  const { read } = context.sql;
  const row = await findPublicPage(read, normaliseRef(ref));
  return contentOf(context, row ?? (await refuseMissing(read, ref)));
}

/**
 * Opens a pinned revision of a public page, for anyone.
 *
 * @throws NOT_FOUND if there is none, indistinguishably
 */
export async function openPublicPageRevision(
  context: Context,
  owner: string,
  { name, number }: RevisionName,
): Promise<PageContent> {
  const ref = { kind: 'page', owner, name } as const;
  const { document, text } = await readPublicRevision(context, ref, number);
  return oldContent(document.id, number, text);
}

export interface SignedPage extends PageContent {
  /** Whether it is shown beside comments. */
  isReview: boolean;
}

/**
 * Opens the page of a signed address.
 *
 * @param target path and query of the request
 * @throws NOT_FOUND if the address is malformed, forged or expired; if the page is gone, or has
 *   changed and the address is for neither an old text nor what is being typed; if the user who asked
 *   for the address can no longer read the page, or its comments if the address is for review
 */
export async function openSignedPage(context: Context, target: string): Promise<SignedPage> {
  const secrets = await listSigningKeys(context.sql.read);
  const now = Date.parse(context.now()) / 1000;
  const grant = verifyAddress(target, context.renderUrl, secrets, now);
  if (!grant) throw nothingAtAddress();
  const row = await findForHolder(context, grant);
  if (!row || see(row).level === 'none') throw nothingAtAddress();
  const { isReview } = grant;
  if (isReview) {
    const { comments } = await findReviewSettings(context.sql.read, row.id);
    if (!canReview(row, comments, 'see')) throw nothingAtAddress();
  }
  if (grant.isOld) {
    const text = await findReadableText(context, row, grant.version);
    if (text === undefined) throw nothingAtAddress();
    return { ...oldContent(row.id, grant.version, text), isReview };
  }
  if (grant.isTyped) {
    const typed = await typedContent(context, row);
    // A revision that was made meanwhile has it.
    const current = typed ? row : ((await findForHolder(context, grant)) ?? row);
    return { ...(typed ?? contentOf(context, current)), isReview };
  }
  if (row.version !== grant.version) throw nothingAtAddress();
  return { ...contentOf(context, row), isReview };
}

/**
 * Finds the page of a grant, with the standing of the grant's holder: a user, or a secret link.
 *
 * @returns `undefined` if the page, the account or the link is gone, disabled or expired
 */
async function findForHolder(
  context: Context,
  { pageId, viewerId, credentialId }: Grant,
): Promise<DocumentRow | undefined> {
  const { read } = context.sql;
  const viewer = await findAccountById(read, viewerId);
  if (viewer) {
    if (viewer.disabledAt !== null) return undefined;
    const reader = await readerOf(context, viewerId, credentialId);
    return reader && findDocumentById(reader, pageId, viewerId);
  }
  const link = await findLink(read, viewerId);
  if (link?.documentId !== pageId || !isOpen(link, context.now())) return undefined;
  const row = await findDocumentById(read, pageId, NOBODY.id);
  return row && { ...row, link: link.access };
}

/**
 * Returns a handle that reads what a user reaches: in person, or with a token or an application.
 *
 * @returns `undefined` if the token or the application's grant is gone
 */
async function readerOf(
  context: Context,
  accountId: string,
  credentialId: string | undefined,
): Promise<Reader | undefined> {
  const { read } = context.sql;
  if (credentialId === undefined) return read;
  const program = await findProgram(read, credentialId);
  if (!program) return undefined;
  const closedOwners = await findClosedOwners(read, accountId, program, context.now());
  return contextFor(context, { id: accountId, closedOwners, reach: readReach(program.reach) }).sql
    .read;
}

/**
 * Returns an address that opens a page for a limited time without a token, on the actor's behalf.
 *
 * @throws NOT_FOUND if the page is missing or the actor can't read it
 */
export async function createSignedAddress(
  call: Call,
  ref: DocumentRef,
): Promise<{ url: string; expiresAt: string }> {
  const { document } = await requireDocument(call.sql.read, call.actor, ref, 'read');
  return signedAddressOf(call, document);
}

/**
 * Does the same as {@link createSignedAddress}. The caller has checked that the actor can read it.
 *
 * @param revision signs for this old text instead of the current one
 */
export async function signedAddressOf(
  call: Call,
  document: Pick<DocumentRow, 'id' | 'version'>,
  { revision, ...shows }: { revision?: number } & Shows = {},
): Promise<{ url: string; expiresAt: string }> {
  const version = revision ?? document.version;
  const page = { ...showing(shows), pageId: document.id, version, isOld: revision !== undefined };
  return sign(call, { ...page, viewerId: call.actor.id, credentialId: call.actor.credentialId });
}

/** Returns an address that opens a page of a secret link. It expires no later than the link. */
export async function signedAddressOfLink(
  context: Context,
  { link, document }: LinkedDocument,
  shows: Shows = {},
): Promise<{ url: string; expiresAt: string }> {
  const page = {
    ...showing(shows),
    pageId: document.id,
    version: document.version,
    isOld: false,
  };
  return sign(context, { ...page, viewerId: link.id }, link.expiresAt);
}

/** What a signed address shows beyond the page. */
interface Shows {
  /** The frame beside comments. */
  isReview?: boolean;
  /** What is being typed. */
  isTyped?: boolean;
}

const showing = ({ isReview = false, isTyped = false }: Shows) => ({ isReview, isTyped });

/** @param until the latest expiry; `null` if only the usual lifetime limits it */
async function sign(
  context: Context,
  page: Omit<Grant, 'expiresAt'>,
  until: string | null = null,
): Promise<{ url: string; expiresAt: string }> {
  const secret = await currentSigningKey(context);
  const usual = Date.parse(context.now()) + SIGNED_ADDRESS_LIFETIME_MS;
  const end = until === null ? usual : Math.min(usual, Date.parse(until));
  const expiresAt = Math.floor(end / 1000);
  const grant = { ...page, expiresAt };
  const path = signAddress(grant, context.renderUrl, secret, randomBytes(IV_BYTES));
  return { url: context.renderUrl + path, expiresAt: new Date(expiresAt * 1000).toISOString() };
}

/** Returns a public page. @throws DocumentMoved, NOT_FOUND */
export async function getPublicPage(
  context: Context,
  ref: DocumentRef,
): Promise<Pick<DocumentRow, 'ownerNamespace' | 'name' | 'title'>> {
  const found = await findPublicPage(context.sql.read, normaliseRef(ref));
  return found ?? refuseMissing(context.sql.read, ref);
}

function contentOf(
  context: Context,
  row: Pick<DocumentRow, 'id' | 'version' | 'sizeBytes' | 'storagePath'>,
): PageContent {
  return {
    etag: `"${row.id}.${row.version}"`,
    sizeBytes: row.sizeBytes,
    open: (range) => context.blobs.read(row.storagePath as string, range),
  };
}

/** Returns a page's text with what is being typed; `undefined` if a revision has everything. */
async function typedContent(context: Context, row: DocumentRow): Promise<PageContent | undefined> {
  if (!(await findTyped(context.sql.read, row))) return undefined;
  const live = await loadLiveText(context, row.id);
  if (!live) return undefined;
  const { text, sizeBytes, listId, number } = live;
  return {
    etag: `"${row.id}.t${listId}.${number}"`,
    sizeBytes,
    async open({ start, end } = { start: 0, end: sizeBytes - 1 }) {
      return Readable.from(bytesOf(text, start, end), { objectMode: false });
    },
  };
}

/** Who doesn't read holds no more of a text than this, in UTF-16 code units: versions of it share the rest. */
const PIECE = 64 * 1024;

function* bytesOf(text: Text, start: number, end: number): Generator<Buffer> {
  let at = 0;
  for (let from = 0; from < text.length && at <= end; ) {
    const isCut = /[\uD800-\uDBFF]$/.test(text.sliceString(from, from + PIECE));
    const to = from + PIECE + Number(isCut);
    const piece = Buffer.from(text.sliceString(from, to));
    const part = piece.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    if (part.length > 0) yield part;
    at += piece.length;
    from = to;
  }
}

/** Returns a text from the history, which never changes. */
function oldContent(id: string, number: number, text: string): PageContent {
  return contentOfBytes(`"${id}.r${number}"`, Buffer.from(text));
}

export function contentOfBytes(etag: string, bytes: Buffer): PageContent {
  return {
    etag,
    sizeBytes: bytes.length,
    async open({ start, end } = { start: 0, end: bytes.length - 1 }) {
      return Readable.from([bytes.subarray(start, end + 1)], { objectMode: false });
    },
  };
}
