import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { findAccountById } from '../account/account-store.ts';
import { type Actor, type Context, later } from '../context.ts';
import { IV_BYTES } from '../crypto/seal.ts';
import { nothingAtAddress } from '../errors.ts';
import type { ByteRange } from '../storage/blob/blob.ts';
import { requireDocument, see } from './authorize.ts';
import { type DocumentRef, normaliseRef } from './document-ref.ts';
import { type DocumentRow, findDocumentById } from './document-store.ts';
import { findPublicPage } from './public-document-store.ts';
import { readPublicRevision } from './revision/public-revision-service.ts';
import type { RevisionName } from './revision/revision-name.ts';
import { findReadableText } from './revision/revision-service.ts';
import { SIGNED_ADDRESS_LIFETIME_MS, signAddress, verifyAddress } from './signed-address.ts';
import {
  deleteSigningKeys,
  deleteSigningKeysReplacedBy,
  insertSigningKey,
  listSigningKeys,
} from './signing-key-store.ts';

const SECRET_BYTES = 32;

/** Below every other id: however many processes make the first key at once, there is one. */
const FIRST_KEY_ID = '00000000-0000-7000-8000-000000000000';

/** A page's HTML, ready to be sent in part or whole. */
export interface PageContent {
  etag: string;
  sizeBytes: number;
  /** The bytes, or `undefined` when they have been replaced or removed since. */
  open(range?: ByteRange): Promise<Readable | undefined>;
}

/**
 * A public page, for anybody.
 *
 * @throws NOT_FOUND when it is missing or not public, without a difference
 */
export async function openPublicPage(
  context: Context,
  owner: string,
  name: string,
): Promise<PageContent> {
  const ref = normaliseRef({ kind: 'page', owner, name });
  const row = await findPublicPage(context.sql.read, ref);
  if (!row) throw nothingAtAddress();
  return contentOf(context, row);
}

/**
 * A pinned revision of a public page, for anyone.
 *
 * @throws NOT_FOUND when there is none, without a difference
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

/**
 * The page that a signed address stands for, as long as the access it lends lasts.
 *
 * @param target path and query as they were requested
 * @throws NOT_FOUND when the address is not ours, changed or expired; when the page is gone or has
 *   another version, unless the address is of an old text; when whoever asked for the address may no
 *   longer read it
 */
export async function openSignedPage(context: Context, target: string): Promise<PageContent> {
  const secrets = await listSigningKeys(context.sql.read);
  const now = Date.parse(context.now()) / 1000;
  const grant = verifyAddress(target, context.renderUrl, secrets, now);
  if (!grant) throw nothingAtAddress();
  const viewer = await findAccountById(context.sql.read, grant.viewerId);
  const row = await findDocumentById(context.sql.read, grant.pageId, grant.viewerId);
  const readable = viewer && viewer.disabledAt === null && see(row)?.level !== 'none';
  if (!row || !readable) throw nothingAtAddress();
  if (grant.isOld) {
    const text = await findReadableText(context, row, grant.version);
    if (text === undefined) throw nothingAtAddress();
    return oldContent(row.id, grant.version, text);
  }
  if (row.version !== grant.version) throw nothingAtAddress();
  return contentOf(context, row);
}

/**
 * An address at which the page can be read for a while without a token, on the actor's
 * behalf.
 *
 * @throws NOT_FOUND when the page is missing or the actor may not read it
 */
export async function createSignedAddress(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
): Promise<{ url: string; expiresAt: string }> {
  const { document } = await requireDocument(context.sql.read, actor, ref, 'read');
  return signedAddressOf(context, actor, document);
}

/**
 * {@link createSignedAddress} of a page that the actor has been found to be allowed to read.
 *
 * @param revision signs for this text of its history in place of the current one
 */
export async function signedAddressOf(
  context: Context,
  actor: Actor,
  document: Pick<DocumentRow, 'id' | 'version'>,
  revision?: number,
): Promise<{ url: string; expiresAt: string }> {
  const secret = await currentSecret(context);
  const expiresAt = Math.floor((Date.parse(context.now()) + SIGNED_ADDRESS_LIFETIME_MS) / 1000);
  const version = revision ?? document.version;
  const isOld = revision !== undefined;
  const grant = { pageId: document.id, version, isOld, viewerId: actor.id, expiresAt };
  const path = signAddress(grant, context.renderUrl, secret, randomBytes(IV_BYTES));
  return { url: context.renderUrl + path, expiresAt: new Date(expiresAt * 1000).toISOString() };
}

/** What the frame around a page needs to know. */
export interface PageView {
  document: Pick<DocumentRow, 'ownerNamespace' | 'name' | 'title' | 'updatedAt' | 'visibility'>;
  /** A signed address, where the page is not public. */
  signedUrl: string | undefined;
}

/**
 * A page as a visitor of its web address may see it.
 *
 * @param visitor who is signed in, if anybody is
 * @throws NOT_FOUND when it is missing or the visitor may not read it, without a difference
 */
export async function viewPage(
  context: Context,
  visitor: Actor | undefined,
  ref: DocumentRef,
): Promise<PageView> {
  const publicPage = await findPublicPage(context.sql.read, normaliseRef(ref));
  if (publicPage) {
    return { document: { ...publicPage, visibility: 'public' }, signedUrl: undefined };
  }
  if (!visitor) throw nothingAtAddress();
  const { document } = await requireDocument(context.sql.read, visitor, ref, 'read');
  const { url } = await signedAddressOf(context, visitor, document);
  return { document, signedUrl: url };
}

/**
 * Makes a new key sign from now on. Addresses signed before keep working until they expire, unless
 * `revoke` is set.
 */
export async function rotateSigningKey(
  context: Context,
  options: { revoke: boolean },
): Promise<void> {
  await context.sql.transaction(async (tx) => {
    const now = context.now();
    if (options.revoke) await deleteSigningKeys(tx);
    else await deleteSigningKeysReplacedBy(tx, later(now, -SIGNED_ADDRESS_LIFETIME_MS));
    const secret = randomBytes(SECRET_BYTES);
    await insertSigningKey(tx, { id: context.newId(), secret, createdAt: now });
  });
}

/** The key that signs; made when there is none yet. */
async function currentSecret(context: Context): Promise<Uint8Array> {
  const [newest] = await listSigningKeys(context.sql.read);
  if (newest) return newest;
  return context.sql.transaction(async (tx) => {
    const secret = randomBytes(SECRET_BYTES);
    await insertSigningKey(tx, { id: FIRST_KEY_ID, secret, createdAt: context.now() });
    const [made] = await listSigningKeys(tx);
    return made as Uint8Array;
  });
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

/** A text from the history; it never changes. */
function oldContent(id: string, number: number, text: string): PageContent {
  const bytes = Buffer.from(text);
  return {
    etag: `"${id}.r${number}"`,
    sizeBytes: bytes.length,
    async open({ start, end } = { start: 0, end: bytes.length - 1 }) {
      return Readable.from([bytes.subarray(start, end + 1)], { objectMode: false });
    },
  };
}
