import { undefinedIfNotFound } from '../../base/errors.ts';
import type { Call } from '../../core/context.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import { type DocumentRef, normaliseRef } from '../../core/document/document-ref.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import { findInvitationTo } from './invitation-store.ts';

/**
 * Returns where the app, which has all that a user can do, shows a document to one who can read it or
 * is invited to it. Every other address gets the same answer and costs the same, so that no one learns
 * whether there is such a document.
 *
 * @returns `undefined` for everyone else
 * @throws DocumentMoved if the user can read it under a new name
 */
export async function findAppPath(
  { sql: { read }, actor }: Call,
  ref: DocumentRef,
  revision?: number,
): Promise<string | undefined> {
  const isForActor =
    (await undefinedIfNotFound(requireDocument(read, actor, ref, 'read'))) ??
    (await findInvitationTo(read, normaliseRef(ref), actor.id));
  return isForActor ? pathOfRef('read', ref, revision) : undefined;
}
