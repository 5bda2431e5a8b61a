import { nothingAtAddress } from '../../base/errors.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import type { Context } from '../../core/context.ts';
import {
  listPublicDocuments,
  listPublicPinned,
  type ProfileDocumentRow,
} from '../../core/document/public-document-store.ts';
import { parseNamespace } from '../../core/owner/namespace.ts';
import { findProfile, type ProfileRow } from '../../core/owner/profile-store.ts';

/** Returns a user or organization, for anyone. @throws NOT_FOUND if no one has this namespace */
export async function readOwner(context: Context, owner: string): Promise<ProfileRow> {
  const namespace = parseNamespace(owner);
  const profile = namespace && (await findProfile(context.sql.read, namespace));
  if (!profile) throw nothingAtAddress();
  return profile;
}

/**
 * Returns a user or organization and a result page of its public documents, newest first, for
 * anyone.
 *
 * @throws NOT_FOUND if no one has this namespace
 */
export async function readProfile(
  context: Context,
  owner: string,
  page: PageRequest,
): Promise<ProfileRow & { documents: Page<ProfileDocumentRow> }> {
  const profile = await readOwner(context, owner);
  const documents = await listPublicDocuments(context.sql.read, profile.id, page);
  return { ...profile, documents };
}

/**
 * Lists an owner's public documents that are pinned to the top, the last pinned first, for anyone.
 */
export async function readPinned(
  context: Context,
  owner: Pick<ProfileRow, 'id'>,
): Promise<readonly ProfileDocumentRow[]> {
  return listPublicPinned(context.sql.read, owner.id);
}
