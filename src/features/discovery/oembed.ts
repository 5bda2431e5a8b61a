import type { PublicDocumentRow } from '../../core/document/public-document-store.ts';
import { CARD_HEIGHT, CARD_WIDTH } from '../../surfaces/web/card.ts';
import { profilePath } from '../../surfaces/web/pages/format.tsx';
import { cardUrl } from '../../surfaces/web/pages/link-preview.tsx';

/** Describes a link to a public document (oembed.com, section 2.3.4; type "link"). */
export function describeLink(webUrl: string, url: string, document: PublicDocumentRow): object {
  const { title, name, ownerNamespace } = document;
  return {
    version: '1.0',
    type: 'link',
    title: title ?? name,
    author_name: ownerNamespace,
    author_url: webUrl + profilePath(ownerNamespace),
    provider_name: 'Briefs',
    provider_url: `${webUrl}/`,
    url,
    thumbnail_url: cardUrl(webUrl, url),
    thumbnail_width: CARD_WIDTH,
    thumbnail_height: CARD_HEIGHT,
  };
}
