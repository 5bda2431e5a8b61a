import { escapeXml, XML_DECLARATION } from '../../base/text/xml.ts';
import { documentUrl } from '../../core/document/addresses.ts';
import type { ProfileDocumentRow } from '../../core/document/public-document-store.ts';
import type { ProfileRow } from '../../core/owner/profile-store.ts';
import { profilePath } from '../../surfaces/web/pages/format.tsx';
import { feedPath } from '../../surfaces/web/pages/link-preview.tsx';

/**
 * Writes an owner's public documents as an Atom feed (RFC 4287). Ids are those of the documents, so
 * readers recognise a document after it was renamed or moved.
 *
 * @param documents newest first
 */
export function writeAtomFeed(
  webUrl: string,
  owner: ProfileRow,
  documents: readonly ProfileDocumentRow[],
): string {
  const { id, namespace, displayName, createdAt } = owner;
  const profile = webUrl + profilePath(namespace);
  const updated = documents.map(({ updatedAt }) => updatedAt).reduce(later, createdAt);
  const name = displayName ?? namespace;
  return [
    `${XML_DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom">`,
    `<id>urn:uuid:${id}</id>`,
    `<title>${escapeXml(name)}</title>`,
    `<updated>${updated}</updated>`,
    `<link rel="self" type="application/atom+xml" href="${escapeXml(webUrl + feedPath(namespace))}"/>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(profile)}"/>`,
    `<author><name>${escapeXml(name)}</name><uri>${escapeXml(profile)}</uri></author>`,
    ...documents.map((document) => writeEntry(webUrl, namespace, document)),
    '</feed>\n',
  ].join('\n');
}

function writeEntry(webUrl: string, ownerNamespace: string, document: ProfileDocumentRow): string {
  const { id, kind, name, title, createdBy, createdAt, updatedAt } = document;
  const url = documentUrl(webUrl, { kind, name, ownerNamespace });
  const markdown = `<link rel="alternate" type="text/markdown" href="${escapeXml(`${url}.md`)}"/>`;
  return [
    '<entry>',
    `<id>urn:uuid:${id}</id>`,
    `<title>${escapeXml(title ?? name)}</title>`,
    `<published>${createdAt}</published>`,
    `<updated>${updatedAt}</updated>`,
    `<link rel="alternate" type="text/html" href="${escapeXml(url)}"/>`,
    ...(kind === 'brief' ? [markdown] : []),
    ...(createdBy === null ? [] : [`<author><name>${escapeXml(createdBy)}</name></author>`]),
    `<category term="${kind}"/>`,
    '</entry>',
  ].join('\n');
}

/** Returns the later time. ISO 8601 times sort as text. */
function later(one: string, other: string): string {
  return one > other ? one : other;
}
