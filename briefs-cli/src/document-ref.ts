import { KINDS, type Kind } from '../../src/base/schema/kind.ts';
import { parseName } from '../../src/base/text/document-name.ts';
import { refOfPath } from '../../src/core/document/addresses.ts';
import { parseNamespace } from '../../src/core/owner/namespace.ts';

/** A document and its server. */
export interface DocumentRef {
  /** The address of the API without a final `/api`; `undefined` for the current server. */
  server: string | undefined;
  kind: Kind;
  owner: string;
  name: string;
}

/**
 * Tells whether an owner and a name from a server can become parts of a local path. A server can
 * send anything.
 */
export function isSafe({ owner, name }: Pick<DocumentRef, 'owner' | 'name'>): boolean {
  return parseNamespace(owner) !== undefined && safeName(name) === name;
}

/** Tells whether a value from a server or a file is a document's id. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}

/** Returns a name in the service's spelling; `undefined` if it can't be a file's. */
function safeName(text: string): string | undefined {
  const parsed = parseName(text);
  return 'name' in parsed && !parsed.name.startsWith('.') ? parsed.name : undefined;
}

/**
 * Returns the address to store in a file. If the API is at `{web_url}/api`, the address opens the
 * document in a browser.
 */
export function addressOfDocument({ server, name, ...ref }: DocumentRef): string {
  return `${server}/${pathOf({ ...ref, name: encodeURIComponent(name) })}`;
}

/** Returns `owner/name`, or `owner/pages/name`, as people read it. */
export function pathOf({ kind, owner, name }: Omit<DocumentRef, 'server'>): string {
  return [owner, ...KINDS[kind].webSegments, name].join('/');
}

/**
 * Parses an address that a file stores, or one of the web app.
 *
 * @param servers known servers, which can have a path
 */
export function parseDocumentAddress(
  address: string,
  servers: readonly string[] = [],
): DocumentRef | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return undefined;
  const bare = url.origin + url.pathname;
  const known = servers.find((server) => bare.startsWith(`${server}/`));
  const below = known ? bare.slice(known.length) : url.pathname;
  const segments = segmentsOf(below);
  if (!segments) return undefined;
  if (known) return toRef(known, refOfPath(segments));
  // Everything before owner and name belongs to the server.
  const length = segments.at(-2) === KINDS.page.webSegments[0] ? 3 : 2;
  const isApp =
    segments.length === length + 1 && /^(read|raw|edit|history|share)$/.test(segments[0] ?? '');
  const before = isApp ? [] : segments.slice(0, -length);
  return toRef([url.origin, ...before].join('/'), refOfPath(segments.slice(-length)));
}

/** Parses `owner/name`, `owner/pages/name` or an address. */
export function parseTarget(
  text: string,
  servers: readonly string[] = [],
): DocumentRef | undefined {
  if (/^https?:\/\//i.test(text)) return parseDocumentAddress(text, servers);
  const segments = segmentsOf(`/${text}`);
  const length = segments?.[1] === KINDS.page.webSegments[0] ? 3 : 2;
  if (segments?.length !== length) return undefined;
  return toRef(undefined, refOfPath(segments));
}

function toRef(
  server: string | undefined,
  found: ReturnType<typeof refOfPath>,
): DocumentRef | undefined {
  const owner = found && parseNamespace(found.owner);
  const name = found && safeName(found.name);
  return owner && name ? { server, kind: found.kind, owner, name } : undefined;
}

function segmentsOf(path: string): string[] | undefined {
  try {
    return path
      .replace(/^\/|\/$/g, '')
      .split('/')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
