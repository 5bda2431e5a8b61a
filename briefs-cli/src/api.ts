import { setTimeout as sleep } from 'node:timers/promises';
import { KINDS, type Kind } from '../../src/base/schema/kind.ts';
import { type Login, readCredentials, storeLogin } from './credentials.ts';
import { type DocumentRef, isId, isSafe } from './document-ref.ts';
import { type HttpAnswer, send } from './http.ts';
import { discover, isExpiring, refresh, serverOf } from './oauth.ts';
import { ApiError, CommandError, EXIT } from './outcome.ts';

const MAX_REDIRECTS = 5;
const MAX_RETRIES = 3;
const MAX_RETRY_WAIT_S = 60;

/** A document from the service, checked. */
export interface RemoteDocument {
  id: string;
  ref: DocumentRef & { server: string };
  /** The address where people open it. */
  url: string;
  text: string;
  revision: number;
  /** Whether the write merged changes of others. */
  merged: boolean;
  /** What the server says about the text, after a write. */
  warnings: string[];
}

interface Sent {
  method?: 'GET' | 'POST' | 'PATCH';
  body?: unknown;
  timeoutMs?: number;
}

/** The API of one server, with a token. */
export class Api {
  readonly server: string;
  #login: Login;
  /** Whether the token may be stored: one from the environment never is. */
  readonly #isStored: boolean;

  constructor(server: string, login: Login, isStored: boolean) {
    this.server = server;
    this.#login = login;
    this.#isStored = isStored;
  }

  /**
   * Sends a request with the token. Follows redirects of renamed documents, waits as the rate limit
   * requires, and refreshes an old token.
   *
   * @param path below the API's address, with query
   * @throws ApiError for an error of the service
   */
  async request(path: string, sent: Sent = {}): Promise<HttpAnswer> {
    if (isExpiring(this.#login)) await this.#refresh();
    let answer = await this.#sendPatiently(this.#login.base + path, sent);
    if (answer.status === 401 && (await this.#refresh())) {
      answer = await this.#sendPatiently(this.#login.base + path, sent);
    }
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw this.#errorOf(answer);
  }

  /** @throws ApiError, also if it doesn't exist */
  async getDocument(ref: Omit<DocumentRef, 'server'>): Promise<RemoteDocument> {
    return this.documentOf(ref.kind, await this.request(pathIn(ref)));
  }

  /** Returns a document; `undefined` if it doesn't exist or the caller can't read it. */
  async findDocument(ref: Omit<DocumentRef, 'server'>): Promise<RemoteDocument | undefined> {
    try {
      return await this.getDocument(ref);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /**
   * Checks an answer with a document. @param sentText the text to use, because creating doesn't
   * return it
   */
  documentOf(kind: Kind, { json, headers }: HttpAnswer, sentText?: string): RemoteDocument {
    const data = json?.data ?? {};
    const [owner, name] = String(data.fullName).split('/');
    const text = data[KINDS[kind].contentField] ?? sentText;
    const revision = Number(headers.get('x-revision') ?? 1);
    const found = { owner: owner ?? '', name: name ?? '' };
    const isWhole = typeof text === 'string' && Number.isSafeInteger(revision) && revision > 0;
    if (!isWhole || !isId(data.id) || !isSafe(found) || !isWebAddress(data.url)) {
      throw new CommandError('The server’s response isn’t a document.');
    }
    const ref = { server: this.server, kind, ...found };
    const merged = headers.get('x-merged') === 'true';
    const warnings = warningsIn(data.warnings);
    return { id: data.id, ref, url: data.url, text, revision, merged, warnings };
  }

  async #sendPatiently(url: string, sent: Sent): Promise<HttpAnswer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#sendFollowing(url, sent);
      if (answer.status !== 429 || tries > MAX_RETRIES) return answer;
      const seconds = Number(answer.headers.get('retry-after') ?? 1);
      if (!(seconds <= MAX_RETRY_WAIT_S)) return answer;
      await sleep(seconds * 1000);
    }
  }

  async #sendFollowing(first: string, { method = 'GET', body, timeoutMs }: Sent) {
    const { base, token } = this.#login;
    let url = first;
    for (let step = 0; ; step++) {
      const answer = await send(
        url,
        {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        },
        timeoutMs,
      );
      if (answer.status !== 308) return answer;
      const target = new URL(answer.headers.get('location') ?? '', url).href;
      // The token is for this API only.
      if (!target.startsWith(`${base}/`) || step === MAX_REDIRECTS) {
        throw new CommandError('The server redirects to another address.');
      }
      url = target;
    }
  }

  async #refresh(): Promise<boolean> {
    const login = await refresh(this.#login);
    if (!login) return false;
    this.#login = login;
    if (this.#isStored) storeLogin(this.server, login);
    return true;
  }

  #errorOf({ status, json }: HttpAnswer): ApiError {
    if (status === 401) return signedOut(this.server, 'refuses your token');
    const { code = 'UNEXPECTED', message = `The server answered with status ${status}.` } =
      json?.error ?? {};
    const exitCode = status === 409 && code === 'CONFLICT' ? EXIT.conflict : EXIT.failed;
    return new ApiError(status, String(code), String(message), exitCode);
  }
}

/** The servers that a command talks to. */
export class Servers {
  readonly #chosen: string | undefined;
  readonly #opened = new Map<string, Promise<Api>>();

  /** @param chosen from an option; otherwise `BRIEFS_SERVER` decides */
  constructor(chosen: string | undefined) {
    this.#chosen = chosen ?? (process.env.BRIEFS_SERVER || undefined);
  }

  known(): string[] {
    const { servers } = readCredentials();
    return [...Object.keys(servers), ...(this.#chosen ? [serverOf(this.#chosen)] : [])];
  }

  /**
   * Opens the server of a document, or the current one. A token from the environment is only sent
   * to the server that the environment or an option names, whatever a file says.
   */
  at(server: string | undefined): Promise<Api> {
    const key = server ?? '';
    const opened = this.#opened.get(key) ?? this.#open(server);
    this.#opened.set(key, opened);
    return opened;
  }

  async #open(server: string | undefined): Promise<Api> {
    const { current, servers } = readCredentials();
    const token = process.env.BRIEFS_TOKEN;
    if (this.#chosen === undefined) {
      if (token)
        throw new CommandError('BRIEFS_TOKEN is set without BRIEFS_SERVER. Set both.', EXIT.usage);
      const name = server ?? current;
      const login = name === undefined ? undefined : servers[name];
      if (name !== undefined && login) return new Api(name, login, true);
      throw signedOut(name ?? 'ADDRESS', 'needs you to sign in');
    }
    const given = serverOf(this.#chosen);
    const base = servers[given]?.base ?? (await discover(this.#chosen));
    const name = serverOf(base);
    if (server !== undefined && server !== name) {
      throw new CommandError(`it belongs to ${server}, and you chose ${name}.`);
    }
    if (token) return new Api(name, { base, token }, false);
    const login = servers[name];
    if (login) return new Api(name, login, true);
    throw signedOut(name, 'needs you to sign in');
  }
}

/** Returns a document's path below the API's address. */
export function pathIn({ kind, owner, name }: Omit<DocumentRef, 'server'>): string {
  return `/${KINDS[kind].segment}/${owner}/${encodeURIComponent(name)}`;
}

function isWebAddress(text: unknown): text is string {
  return typeof text === 'string' && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function signedOut(server: string, why: string): ApiError {
  const subject = server === 'ADDRESS' ? 'The server' : server;
  const message = `${subject} ${why}. Run "briefs login ${server}", or set BRIEFS_SERVER and BRIEFS_TOKEN.`;
  return new ApiError(401, 'UNAUTHORIZED', message, EXIT.signedOut);
}

/** Reads the warnings of an answer to a write. */
function warningsIn(field: unknown): string[] {
  if (!Array.isArray(field)) return [];
  return field.flatMap((each: { message?: unknown; addresses?: unknown } | null) => {
    if (typeof each?.message !== 'string') return [];
    const addresses = Array.isArray(each.addresses) ? each.addresses.map(String) : [];
    return [[each.message, ...addresses].join(' ')];
  });
}
