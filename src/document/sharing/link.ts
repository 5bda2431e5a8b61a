/** Bytes of a link's secret: 192 bits, written as 32 characters of base64url. */
export const LINK_SECRET_BYTES = 24;

export const LINK_LIMITS = {
  /** Links of one document that work at the same time. */
  links: 50,
  /** Characters of a note. */
  note: 200,
} as const;

/** First path segment of secret links on the web host. No one can have it as namespace. */
export const LINK_SEGMENT = 's';

const SECRET = /^[\w-]{32}$/;

/** Returns a secret link's URL. */
export function linkUrl(webUrl: string, secret: string): string {
  return `${webUrl}/${LINK_SEGMENT}/${secret}`;
}

/** Whether a text has the form of a link's secret. Others cost no query. */
export function isLinkSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Whether a link works at `now`. */
export function isOpen({ expiresAt }: { expiresAt: string | null }, now: string): boolean {
  return expiresAt === null || now < expiresAt;
}

/**
 * Returns a path without what may be the secret of a link, for logs. The ids in signed addresses of
 * pages, which also follow `/s/`, stay.
 */
export function withoutSecrets(path: string): string {
  return path.replace(/\/s\/(?![0-9a-f-]{36}\/)[^/]+/g, `/${LINK_SEGMENT}/[redacted]`);
}
