import { startOfText } from '../../base/text/raw-length.ts';
import { isLoopbackRedirect, redirectHost, redirectProblem } from './redirect-uri.ts';

/** An application's description of itself (RFC 7591, section 2). Untrusted and unchecked. */
export type ClientMetadata = Record<string, unknown>;

/** The fields that we use. Others are dropped. */
const KNOWN_FIELDS = [
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

/** What a client gets that names none. */
export const GRANT_TYPES = ['authorization_code', 'refresh_token'];
/** RFC 8628. Only for clients that ask for it. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const RESPONSE_TYPES = ['code'];

const MAX_REDIRECT_URIS = 20;
const MAX_NAME_LENGTH = 80;

/**
 * Normalises an application's metadata: drops unknown fields and unsupported values, cleans the
 * name for display, and derives `application_type` from the redirect addresses. Checks only the
 * types of fields that it uses.
 *
 * @returns as `problem` the broken rule, which begins with the field's name
 */
export function tidyClientMetadata(
  given: ClientMetadata,
): { metadata: ClientMetadata } | { problem: string } {
  const metadata = Object.fromEntries(
    KNOWN_FIELDS.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
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
  keepSupported(metadata, 'grant_types', [...GRANT_TYPES, DEVICE_GRANT]);
  keepSupported(metadata, 'response_types', RESPONSE_TYPES);
  // A native application's loopback redirects can use any port.
  const installed = uris.some(
    (uri) => isLoopbackRedirect(uri) || !uri.toLowerCase().startsWith('https:'),
  );
  metadata.application_type = installed ? 'native' : 'web';
  // A client with a public description has no secret.
  if (isDocumentAddress(metadata.client_id)) metadata.token_endpoint_auth_method = 'none';
  return { metadata };
}

/** Tells whether a client's id is the address of its metadata document, which proves its host. */
export function isDocumentAddress(clientId: unknown): boolean {
  return typeof clientId === 'string' && /^https:\/\//i.test(clientId);
}

/** Returns a client's name for display, or its redirect host. */
export function shownName(name: string | undefined, redirectUri: string): string {
  return (name && tidyName(name)) || redirectHost(redirectUri);
}

/**
 * Reduces a name to one line, without characters that affect the text around it or that nobody sees.
 */
function tidyName(name: string): string {
  const line = startOfText(name)
    .normalize('NFC')
    .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu, ' ');
  return Array.from(line.trim()).slice(0, MAX_NAME_LENGTH).join('');
}

/** Removes unsupported values from a list, unless none would be left. */
function keepSupported(metadata: ClientMetadata, name: string, values: readonly string[]): void {
  const given = metadata[name];
  if (!isTexts(given)) return;
  const known = given.filter((value) => values.includes(value));
  if (known.length > 0) metadata[name] = known;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
