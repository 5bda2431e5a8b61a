/** Bytes of a ticket's secret: 192 bits, written as 32 characters of base64url. */
export const TICKET_SECRET_BYTES = 24;

/** How long a ticket can be used. */
export const TICKET_LIFETIME_MS = 15 * 60_000;

/** First path segment below `{base_url}` of the addresses to upload to. */
export const UPLOAD_SEGMENT = 'uploads';

const SECRET = /^[\w-]{32}$/;

export function uploadUrl(baseUrl: string, secret: string): string {
  return `${baseUrl}/${UPLOAD_SEGMENT}/${secret}`;
}

/** Whether a text has the form of a ticket's secret. Others cost no query. */
export function isTicketSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Returns a path without what may be the secret of a ticket, for logs. */
export function withoutTickets(path: string): string {
  return path.replace(/\/uploads\/[^/]{16,}/g, `/${UPLOAD_SEGMENT}/[redacted]`);
}
