import { findWaysIn } from '../../src/core/identity/second-factor-store.ts';
import { passwordState, startSession } from '../../src/core/identity/session-service.ts';
import { type Answer, readAnswer, type Service } from '../harness.ts';

interface Kept {
  name: string;
  value: string;
  host: string;
  path: string;
}

/** A person's browser: stores cookies by host and path, and shows every redirect. */
export interface Visitor {
  /** Sends one request without following redirects. */
  request(url: string, init?: RequestInit): Promise<Answer>;
  get(url: string): Promise<Answer>;
  /** Sends a form, as a page of the same origin would. */
  submit(url: string, fields: [name: string, value: string][]): Promise<Answer>;
  /** The names of its cookies. */
  cookies(): string[];
}

/** A browser without a sign-in. */
export function openBrowser(): Visitor & { keep(cookie: Kept): void } {
  const jar = new Map<string, Kept>();
  const keep = (cookie: Kept) => jar.set(`${cookie.host} ${cookie.path} ${cookie.name}`, cookie);

  async function request(address: string, init: RequestInit = {}): Promise<Answer> {
    const url = new URL(address);
    const sent = [...jar.values()].filter((cookie) => isFor(cookie, url));
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: {
        accept: 'text/html,application/xhtml+xml',
        ...(sent.length > 0 && { cookie: sent.map((c) => `${c.name}=${c.value}`).join('; ') }),
        ...init.headers,
      },
    });
    for (const line of response.headers.getSetCookie()) keep(readCookie(line, url));
    return readAnswer(response);
  }

  return {
    request,
    keep,
    get: (url) => request(url),
    submit: (url, fields) =>
      request(url, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' },
      }),
    cookies: () => [...jar.values()].filter((c) => c.value !== '').map((c) => c.name),
  };
}

/** A browser in which someone is signed in. */
export async function signedIn(
  service: Service,
  accountId: string,
  userAgent = 'test',
): Promise<Visitor> {
  const browser = openBrowser();
  const account = await findWaysIn(service.app.context.sql.read, accountId);
  const value = await startSession(service.app.context, {
    accountId,
    userAgent,
    factors: ['password'],
    password: passwordState(account?.passwordHash ?? null),
    replaces: undefined,
    isNewBrowser: false,
  });
  browser.keep({ name: 'briefs-session', value, host: new URL(service.webUrl).host, path: '/' });
  return browser;
}

function isFor({ host, path }: Kept, url: URL): boolean {
  const inside = url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, '/'));
  return host === url.host && inside;
}

function readCookie(line: string, url: URL): Kept {
  const [pair = '', ...attributes] = line.split(/; */);
  const at = pair.indexOf('=');
  const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
  return { name: pair.slice(0, at), value: pair.slice(at + 1), host: url.host, path };
}
