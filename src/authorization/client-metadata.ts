import { startOfText } from '../text/raw-length.ts';
import { isLoopback, redirectHost, redirectProblem } from './redirect-uri.ts';

/** What an application says of itself (RFC 7591, section 2); of untrusted shape. */
export type ClientMetadata = Record<string, unknown>;

/** What is kept of it. Whatever else a client says has no meaning here. */
const KEPT = [
  'client_id',
  'client_id_issued_at',
  'client_secret',
  'client_secret_expires_at',
  'client_name',
  'client_uri',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'application_type',
];

export const GRANT_TYPES = ['authorization_code', 'refresh_token'];
export const RESPONSE_TYPES = ['code'];

const MAX_REDIRECT_URIS = 20;
const MAX_NAME_LENGTH = 80;

/**
 * Brings what an application says of itself into the form that is kept: unknown fields and what we
 * do not offer left out, its name fit to be shown, its kind (`application_type`) by where it wants
 * people sent back to. Types are checked elsewhere, except those looked at here.
 *
 * @returns as `problem` the rule that is broken, beginning with the field's name
 */
export function tidyClientMetadata(
  given: ClientMetadata,
): { metadata: ClientMetadata } | { problem: string } {
  const metadata = Object.fromEntries(
    KEPT.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  );
  const uris = metadata.redirect_uris;
  if (!isTexts(uris) || uris.length < 1 || uris.length > MAX_REDIRECT_URIS) {
    return { problem: `redirect_uris must list 1 to ${MAX_REDIRECT_URIS} addresses` };
  }
  for (const uri of uris) {
    const problem = redirectProblem(uri);
    if (problem) {
      return { problem: `redirect_uris: ${JSON.stringify(uri.slice(0, 200))} ${problem}` };
    }
  }
  if (typeof metadata.client_name === 'string')
    metadata.client_name = tidyName(metadata.client_name);
  if (!metadata.client_name) delete metadata.client_name;
  offered(metadata, 'grant_types', GRANT_TYPES);
  offered(metadata, 'response_types', RESPONSE_TYPES);
  // An installed application's redirects may end on any port of the person's machine.
  const installed = uris.some((uri) => isLoopback(uri) || !uri.toLowerCase().startsWith('https:'));
  metadata.application_type = installed ? 'native' : 'web';
  // Whoever describes itself in public has no secret to share with us.
  if (isDocumentAddress(metadata.client_id)) metadata.token_endpoint_auth_method = 'none';
  return { metadata };
}

/** Whether a client's id is the address of its own description, so that its host is proven. */
export function isDocumentAddress(clientId: unknown): boolean {
  return typeof clientId === 'string' && /^https:\/\//i.test(clientId);
}

/** How a client is called before people: by its name, else by where it sends them back to. */
export function shownName(name: string | undefined, redirectUri: string): string {
  return (name && tidyName(name)) || redirectHost(redirectUri);
}

/** One line, without what would change the look of the text around it. */
function tidyName(name: string): string {
  const line = startOfText(name)
    .normalize('NFC')
    .replace(/[\p{C}\p{Z}]+/gu, ' ');
  return Array.from(line.trim()).slice(0, MAX_NAME_LENGTH).join('');
}

/** Leaves of a list what we offer, where there is any; the rest a client may want elsewhere. */
function offered(metadata: ClientMetadata, name: string, values: readonly string[]): void {
  const given = metadata[name];
  if (!isTexts(given)) return;
  const known = given.filter((value) => values.includes(value));
  if (known.length > 0) metadata[name] = known;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
