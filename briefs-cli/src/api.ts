import { setTimeout as sleep } from 'node:timers/promises';
import { KINDS, type Kind } from '../../src/base/schema/kind.ts';
import { Batches } from './batches.ts';
import { type Login, readCredentials, storeLogin } from './credentials.ts';
import { type DocumentRef, isId, isSafe } from './document-ref.ts';
import { type HttpAnswer, send } from './http.ts';
import { discover, isExpiring, refresh, serverOf } from './oauth.ts';
import { ApiError, CommandError, EXIT, isPassing } from './outcome.ts';
import type { Output } from './output.ts';

const MAX_REDIRECTS = 5;

/** How many requests run at once. */
const AT_ONCE = 6;

/** How often to send a request that the server asks to send again later. */
const MAX_TRIES = { 429: 20, 503: 4 };

/** The longest `Retry-After` to wait for, in seconds. */
const MAX_WAIT_S = { 429: 3600, 503: 60 };

/** A document from the service, checked. */
export interface RemoteDocument {
  id: string;
  ref: DocumentRef & { server: string };
  /** The address where people open it. */
  url: string;
  text: string;
  revision: number;
  /** The entity tag of its state; `undefined` if the server didn’t send one. */
  etag: string | undefined;
  /** Whether the write merged changes of others. */
  merged: boolean;
  /** What the server says about the text, after a write. */
  warnings: string[];
}

/** A document to create. */
export interface NewDocument {
  kind: Kind;
  /** `undefined` for the caller. */
  owner: string | undefined;
  name: string;
  visibility: string;
  text: string;
}

interface Sent {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/** The API of one server, with a token. */
export class Api {
  readonly server: string;
  #login: Login;
  /** Whether the token may be stored: one from the environment never is. */
  readonly #isStored: boolean;
  /** Says something to the user. */
  readonly notice: (text: string) => void;
  #refreshing: Promise<boolean> | undefined;
  /** When the rate limit allows requests again, in ms since the epoch. */
  #resumesAt = 0;
  #running = 0;
  readonly #next: (() => void)[] = [];
  /** Whether the server takes several documents in one request. */
  #takesMany = true;
  readonly #creations = new Batches((documents: readonly NewDocument[]) =>
    this.#many(
      '/documents',
      documents.map(({ kind: type, text: content, ...rest }) => ({ type, ...rest, content })),
      documents.map(({ text }) => text),
    ),
  );
  readonly #reads = new Batches((refs: readonly Omit<DocumentRef, 'server'>[]) =>
    this.#many(
      '/documents/read',
      refs.map(({ kind: type, owner, name }) => ({ type, owner, name })),
    ),
  );

  constructor(
    server: string,
    login: Login,
    isStored: boolean,
    notice: (text: string) => void = () => {},
  ) {
    this.server = server;
    this.notice = notice;
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
    const read = await this.#reads.add(ref);
    return this.#oneOf(read) ?? this.documentOf(ref.kind, await this.request(pathIn(ref)));
  }

  /**
   * Creates a document, in one request with others that are created at the same time.
   *
   * @returns `undefined` if it has to be created alone
   * @throws ApiError
   */
  async createWithOthers(document: NewDocument): Promise<RemoteDocument | undefined> {
    return this.#oneOf(await this.#creations.add(document, document.text.length));
  }

  #oneOf(result: RemoteDocument | ApiError | undefined): RemoteDocument | undefined {
    if (result instanceof ApiError) throw result;
    return result;
  }

  /** Sends what concerns several documents. @returns `undefined` for those that have to be alone */
  async #many(
    path: string,
    documents: readonly object[],
    texts: readonly string[] = [],
  ): Promise<(RemoteDocument | ApiError | undefined)[]> {
    if (!this.#takesMany) return [];
    let answer: HttpAnswer;
    try {
      answer = await this.request(path, { method: 'POST', body: { documents } });
    } catch (error) {
      if (!(error instanceof ApiError) || isPassing(error) || error.status === 401) throw error;
      // An earlier version of the service, or too much at once.
      this.#takesMany &&= error.status !== 404;
      return [];
    }
    const results: unknown[] = Array.isArray(answer.json?.data) ? answer.json.data : [];
    return results.map((result, index) => this.#resultOf(result, texts[index]));
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer, checked by `documentOf`
  #resultOf(result: any, sentText?: string): RemoteDocument | ApiError | undefined {
    const { status, document, error } = result ?? {};
    if (error && [403, 404, 409, 422].includes(status)) {
      return new ApiError(status, String(error.code), String(error.message));
    }
    const kind: Kind | undefined = Object.values(KINDS).find(
      (each) => each.kind === document?.type,
    )?.kind;
    if (!kind) return undefined;
    const { content, revision, etag, ...data } = document;
    const headers = new Headers({ 'x-revision': String(revision), etag: String(etag) });
    const json = { data: { ...data, [KINDS[kind].contentField]: content } };
    return this.documentOf(kind, { status, headers, text: '', json }, sentText);
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
    const merged = ['true', 'words'].includes(headers.get('x-merged') ?? '');
    const etag = headers.get('etag') ?? undefined;
    const warnings = warningsIn(data.warnings);
    return { id: data.id, ref, url: data.url, text, revision, etag, merged, warnings };
  }

  async #sendPatiently(url: string, sent: Sent): Promise<HttpAnswer> {
    if (this.#running === AT_ONCE) await new Promise<void>((resume) => this.#next.push(resume));
    else this.#running += 1;
    try {
      return await this.#sendInTime(url, sent);
    } finally {
      const resume = this.#next.shift();
      if (resume) resume();
      else this.#running -= 1;
    }
  }

  /** Waits as long as the server asks for, together with all other requests to it. */
  async #sendInTime(url: string, sent: Sent): Promise<HttpAnswer> {
    for (let tries = 1; ; tries++) {
      const waitMs = this.#resumesAt - Date.now();
      if (waitMs > 0) await sleep(waitMs);
      const answer = await this.#sendFollowing(url, sent);
      const { status } = answer;
      if ((status !== 429 && status !== 503) || tries === MAX_TRIES[status]) return answer;
      const seconds = Number(answer.headers.get('retry-after') ?? 1);
      if (!(seconds <= MAX_WAIT_S[status])) return answer;
      this.#pause(status, seconds);
    }
  }

  #pause(status: 429 | 503, seconds: number): void {
    const isKnown = this.#resumesAt > Date.now();
    this.#resumesAt = Math.max(this.#resumesAt, Date.now() + seconds * 1000);
    if (isKnown || seconds < 5) return;
    const why = status === 429 ? 'allows no more requests for now' : 'is unavailable';
    this.notice(`${this.server} ${why}. Continuing in ${seconds} s.`);
  }

  async #sendFollowing(first: string, { method = 'GET', body, headers, timeoutMs }: Sent) {
    const { base, token } = this.#login;
    const isJson = body !== undefined && !(body instanceof Uint8Array);
    let url = first;
    for (let step = 0; ; step++) {
      const answer = await send(
        url,
        {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(isJson && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && {
            body: isJson ? JSON.stringify(body) : (body as Uint8Array<ArrayBuffer>),
          }),
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

  /** Requests that run at once share one refresh, because the server accepts the old token once. */
  #refresh(): Promise<boolean> {
    this.#refreshing ??= this.#refreshNow().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refreshNow(): Promise<boolean> {
    const login = this.#newer() ?? (await refresh(this.#login));
    if (login && login !== this.#newer() && this.#isStored) storeLogin(this.server, login);
    // Another process may have been quicker.
    const next = login ?? this.#newer();
    if (next) this.#login = next;
    return next !== undefined;
  }

  /** Returns the login that another process has stored since. */
  #newer(): Login | undefined {
    const stored = this.#isStored ? readCredentials().servers[this.server] : undefined;
    return stored && stored.token !== this.#login.token ? stored : undefined;
  }

  #errorOf({ status, json }: HttpAnswer): ApiError {
    if (status === 401) return signedOut(this.server, 'refuses your token');
    const { code = 'UNEXPECTED', message = `The server answered with status ${status}.` } =
      json?.error ?? {};
    // Signing in again replaces the token, with the scopes that all commands need.
    const [, scope] = /lacks the scope "([^"]+)"/.exec(String(message)) ?? [];
    const isOwn = scope !== undefined && this.#login.oauth !== undefined;
    const hint = isOwn ? ` Run "briefs login ${this.server}" and allow it.` : '';
    const exitCode = status === 409 && code === 'CONFLICT' ? EXIT.conflict : EXIT.failed;
    return new ApiError(status, String(code), String(message) + hint, exitCode);
  }
}

/** The servers that a command talks to. */
export class Servers {
  readonly #chosen: string | undefined;
  readonly #opened = new Map<string, Promise<Api>>();
  readonly #notice: (text: string) => void;

  /**
   * @param chosen from an option; otherwise `BRIEFS_SERVER` decides
   * @param output where to say that the server asks to wait
   */
  constructor(chosen: string | undefined, output: Output) {
    this.#chosen = chosen ?? (process.env.BRIEFS_SERVER || undefined);
    this.#notice = (text) => output.notice(text);
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
    // The next call tries again.
    opened.catch(() => this.#opened.delete(key));
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
      if (name !== undefined && login) return new Api(name, login, true, this.#notice);
      throw signedOut(name ?? 'ADDRESS', 'needs you to sign in');
    }
    const given = serverOf(this.#chosen);
    const base = servers[given]?.base ?? (await discover(this.#chosen));
    const name = serverOf(base);
    if (server !== undefined && server !== name) {
      throw new CommandError(`it belongs to ${server}, and you chose ${name}.`);
    }
    if (token) return new Api(name, { base, token }, false, this.#notice);
    const login = servers[name];
    if (login) return new Api(name, login, true, this.#notice);
    throw signedOut(name, 'needs you to sign in');
  }
}

/** Returns a document's path below the API's address. */
export function pathIn({ kind, owner, name }: Omit<DocumentRef, 'server'>): string {
  return `/${KINDS[kind].segment}/${owner}/${encodeURIComponent(name)}`;
}

/** Returns the condition that a document is still as it was read. */
export function ifMatch({ etag }: Pick<RemoteDocument, 'etag'>): Record<string, string> {
  return etag === undefined ? {} : { 'if-match': etag };
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
