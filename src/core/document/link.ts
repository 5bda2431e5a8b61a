/** Bytes of a link's secret: 192 bits, written as 32 characters of base64url. */
export const LINK_SECRET_BYTES = 24;

export const LINK_LIMITS = {
  /** The most active links of one document. */
  links: 50,
  /** The longest note, in characters. */
  note: 200,
} as const;

/** The first path segment of secret links on the web host. It can't be a namespace. */
export const LINK_SEGMENT = 's';

const SECRET = /^[\w-]{32}$/;

export function linkUrl(webUrl: string, secret: string): string {
  return `${webUrl}/${LINK_SEGMENT}/${secret}`;
}

/** Returns the secret of a secret link's URL; `undefined` for any other text. */
export function linkSecretOf(webUrl: string, url: string): string | undefined {
  const start = linkUrl(webUrl, '');
  if (!url.startsWith(start)) return undefined;
  const secret = url.slice(start.length).replace(/(\.md)?([?#].*)?$/s, '');
  return isLinkSecret(secret) ? secret : undefined;
}

/** Tells whether a text has the form of a link's secret. Checking others would cost a query. */
export function isLinkSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Tells whether a link is active at `now`. */
export function isOpen({ expiresAt }: { expiresAt: string | null }, now: string): boolean {
  return expiresAt === null || now < expiresAt;
}

/**
 * Returns a path without anything that may be the secret of a link to a document or of a mailed link,
 * for logs. Leaves the ids in signed addresses of pages, which also follow `/s/`.
 */
export function withoutSecrets(path: string): string {
  return path.replace(
    /\/(s|invited|verify|unsubscribe\/address|unsubscribe)\/(?![0-9a-f-]{36}\/)[^/]+/g,
    '/$1/[redacted]',
  );
}
