import { ServiceError } from '../../base/errors.ts';
import { type SeenBy, seenBy } from '../../base/schema/visibility.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Actor, Call, Context } from '../context.ts';
import { openSecrets } from '../identity/sealed-secret-service.ts';
import { requireLinkMaker } from '../owner/policy-service.ts';
import { requireLinkable } from '../review/protection-service.ts';
import { allow, effectiveLevel } from './access-rules.ts';
import { readerUrl } from './addresses.ts';
import type { DocumentRow } from './document-store.ts';
import { linkUrl } from './link.ts';
import { type LinkRow, listWorkingLinks } from './link-store.ts';

/** A link with its address; `null` if it can't be shown again, or not to the actor. */
export type ShownLink = LinkRow & { url: string | null };

/** Who can see a document, and the address to pass on. */
export interface DocumentAccess {
  seenBy: SeenBy;
  /** A secret link, if one works and the actor could create it; otherwise the document's address. */
  url: string;
  /** Whom the address works for: everyone with a secret link, also with its password, or readers. */
  worksFor: 'link' | 'password' | 'readers';
}

/**
 * Returns who can see documents, and what “Copy link” copies, by the documents' ids. The one rule
 * for all screens that say either.
 */
export async function accessOf(
  call: Call,
  documents: readonly DocumentRow[],
): Promise<Map<string, DocumentAccess>> {
  const { read } = call.sql;
  const hidden = documents.filter(({ visibility }) => visibility !== 'public');
  const ids = hidden.map(({ id }) => id);
  const links = ids.length === 0 ? [] : await listWorkingLinks(read, ids, call.now());
  const byDocument = Map.groupBy(links, ({ documentId }) => documentId);
  const entries = documents.map(async (document) => {
    const own = byDocument.get(document.id) ?? [];
    const copied = await copiedLink(call, document, own);
    const access: DocumentAccess = {
      seenBy: seenBy(document.visibility, own.length > 0),
      url: copied?.url ?? readerUrl(call.webUrl, document),
      worksFor: copied ? (copied.passwordHash === null ? 'link' : 'password') : 'readers',
    };
    return [document.id, access] as const;
  });
  return new Map(await Promise.all(entries));
}

/** Returns the link to pass on: the newest, and rather one without a password. */
async function copiedLink(
  call: Call,
  document: DocumentRow,
  links: readonly LinkRow[],
): Promise<(LinkRow & { url: string }) | undefined> {
  const isShown = links.length > 0 && (await canCreateLink(call.sql.read, call.actor, document));
  if (!isShown) return undefined;
  const shown = (await withUrls(call, links)).filter(({ url }) => url !== null);
  const found = shown.find(({ passwordHash }) => passwordHash === null) ?? shown[0];
  return found && { ...found, url: found.url as string };
}

/**
 * Tells whether the actor can create secret links to a document: an admin; of a protected document,
 * only in the web app.
 */
export async function canCreateLink(
  db: Reader,
  actor: Actor,
  document: DocumentRow,
): Promise<boolean> {
  if (!allow(actor, 'share', document) || !actor.scopes.includes('sharing')) return false;
  try {
    await requireLinkable(db, actor, document, effectiveLevel(document));
    await requireLinkMaker(db, document);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'FORBIDDEN') return false;
    throw error;
  }
}

/** Adds the addresses of links. Those made before secrets were kept have none. */
export async function withUrls(context: Context, links: readonly LinkRow[]): Promise<ShownLink[]> {
  const sealed = links.map(({ sealedSecret }) => sealedSecret);
  const secrets = await openSecrets(context, 'secret link', sealed);
  return links.map((link, index) => {
    const secret = secrets[index];
    return { ...link, url: secret === undefined ? null : linkUrl(context.webUrl, secret) };
  });
}
