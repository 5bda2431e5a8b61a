import type { JSX } from 'preact';
import type { Site } from './assets.ts';

/** A public view of this site, as other sites preview it. */
export interface LinkPreviewProps {
  site: Site;
  type: 'article' | 'profile' | 'website';
  title: string;
  description: string;
  /** The absolute canonical address. */
  url: string;
  /** The owner, whose feed is linked. */
  owner: string;
  /** Whether the address is a document's, so that `/oembed.json` describes it. */
  isDocument?: boolean;
  updatedAt?: string | undefined;
}

/**
 * Returns the path of an owner's feed. It has a dot, so it can't be a document's or an owner's
 * path.
 */
export function feedPath(owner: string): string {
  return `/${encodeURIComponent(owner)}.atom`;
}

/**
 * Adds what sites and chats read to preview a link: Open Graph, Twitter cards, oEmbed's discovery
 * and the owner's feed. Only for public views.
 */
export function LinkPreview(props: LinkPreviewProps): JSX.Element {
  const { site, type, title, description, url, owner, isDocument, updatedAt } = props;
  return (
    <>
      <link
        rel="alternate"
        type="application/atom+xml"
        href={feedPath(owner)}
        title={`Public documents of ${owner}`}
      />
      {isDocument && (
        <link
          rel="alternate"
          type="application/json+oembed"
          href={`${site.webUrl}/oembed.json?url=${encodeURIComponent(url)}`}
          title={title}
        />
      )}
      <meta property="og:type" content={type} />
      <meta property="og:site_name" content={site.face.name} />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={url} />
      <meta property="og:image" content={site.webUrl + site.assets.url('icon-512.png')} />
      {updatedAt !== undefined && <meta property="article:modified_time" content={updatedAt} />}
      <meta name="twitter:card" content="summary" />
    </>
  );
}
