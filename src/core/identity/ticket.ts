/** Bytes of a ticket's secret: 192 bits, written as 32 characters of base64url. */
export const TICKET_SECRET_BYTES = 24;

/** How long a ticket can be used. */
export const TICKET_LIFETIME_MS = 15 * 60_000;

/** The first path segment of upload addresses below `{base_url}`. */
export const UPLOAD_SEGMENT = 'uploads';

const SECRET = /^[\w-]{32}$/;

export function uploadUrl(baseUrl: string, secret: string): string {
  return `${baseUrl}/${UPLOAD_SEGMENT}/${secret}`;
}

/** Tells whether a text has the form of a ticket's secret. Other texts cost no query. */
export function isTicketSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Returns a path for logs, without anything that may be the secret of a ticket. */
export function withoutTickets(path: string): string {
  return path.replace(/\/uploads\/[^/]{16,}/g, `/${UPLOAD_SEGMENT}/[redacted]`);
}
