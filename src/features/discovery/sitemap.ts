import { escapeXml, XML_DECLARATION } from '../../base/text/xml.ts';
import { documentUrl } from '../../core/document/addresses.ts';
import type { SitemapRow } from './sitemap-store.ts';

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** Writes the index of the site map (sitemaps.org, "Sitemap index"). */
export function writeSitemapIndex(webUrl: string, parts: readonly string[]): string {
  const entries = parts.map(
    (part) => `<sitemap><loc>${escapeXml(sitemapPartUrl(webUrl, part))}</loc></sitemap>\n`,
  );
  return `${XML_DECLARATION}<sitemapindex xmlns="${NAMESPACE}">\n${entries.join('')}</sitemapindex>\n`;
}

/** Writes one part of the site map. */
export function writeSitemapPart(webUrl: string, documents: readonly SitemapRow[]): string {
  const entries = documents.map((document) => {
    const loc = escapeXml(documentUrl(webUrl, document));
    return `<url><loc>${loc}</loc><lastmod>${document.updatedAt}</lastmod></url>\n`;
  });
  return `${XML_DECLARATION}<urlset xmlns="${NAMESPACE}">\n${entries.join('')}</urlset>\n`;
}

/** @param part the id of the part's first document */
function sitemapPartUrl(webUrl: string, part: string): string {
  return `${webUrl}/sitemap/${part}.xml`;
}
