import { strict as assert } from 'node:assert';
import type { Overrides } from '../../src/app.ts';
import { DOCUMENT_ACTS } from '../../src/core/document/addresses.ts';
import { type Answer, readAnswer, type Service, startService } from '../harness.ts';

export const PASSWORD = 'three odd walnuts';

/** The fields of a form: each once, some repeated, with files or raw bytes. */
export type SentForm = Record<string, string> | [name: string, value: string][] | FormData | Blob;

/**
 * A person's browser: stores cookies, and sends the origin of its forms. Fails if a page has a form
 * that acts on a document and doesn't say on which.
 */
export interface Visitor {
  /** The browser's cookies, by name. */
  cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /**
   * Sends a form like a page of the web host. A form at a document's address says which document it
   * is about, as the pages' forms do, unless `form` has the field `document` already.
   */
  post(path: string, form?: SentForm, headers?: Record<string, string>): Promise<Answer>;
}

/** Starts a service whose visitors can have several addresses. */
export function startWithVisitors(
  settings: Record<string, string> = {},
  overrides: Overrides = {},
): Promise<Service> {
  return startService({ TRUST_PROXY: 'loopback', ...settings }, overrides);
}

/**
 * A new browser.
 *
 * @param options.address the visitor's IP address
 * @param options.agent its User-Agent
 * @param options.cookies its existing cookies; the same map for the same browser elsewhere
 */
export function newVisitor(
  { webUrl }: Pick<Service, 'webUrl'>,
  options: { address?: string; agent?: string; cookies?: Map<string, string> } = {},
): Visitor {
  const { cookies = new Map<string, string>() } = options;
  async function send(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(new URL(path, webUrl), {
      redirect: 'manual',
      ...init,
      headers: {
        accept: 'text/html',
        'x-forwarded-for': options.address ?? '192.0.2.1',
        'user-agent': options.agent ?? 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
        ...(cookies.size > 0 && { cookie: cookieHeader(cookies) }),
        ...init.headers,
      },
    });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    const answer = await readAnswer(response);
    assertFormsSayDocument(answer);
    return answer;
  }
  /** Returns the id of the document at a form's address, if it is one that the visitor can read. */
  async function documentAt(path: string): Promise<string | undefined> {
    const [act = '', owner, first, second] = path.slice(1).split(/[/?]/);
    if (!isDocumentAct(act) || cookies.size === 0) return undefined;
    // A brief can have the name “pages”.
    const names = first === 'pages' && second !== undefined ? [`pages/${second}`, first] : [first];
    for (const name of names) {
      const { text } = await send(`/notifications/${owner}/${name}`, {});
      // A message above can have a form about another document.
      const [, id] = [...text.matchAll(/name="document" value="([^"]+)"/g)].at(-1) ?? [];
      if (id !== undefined) return id;
    }
    return undefined;
  }
  return {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    async post(path, form = {}, headers = {}) {
      const body =
        form instanceof FormData || form instanceof Blob ? form : new URLSearchParams(form);
      if (!(body instanceof Blob) && !body.has('document')) {
        const id = await documentAt(path);
        if (id !== undefined) body.set('document', id);
      }
      const origin = { origin: webUrl, 'sec-fetch-site': 'same-origin' };
      return send(path, { method: 'POST', body, headers: { ...origin, ...headers } });
    },
  };
}

function assertFormsSayDocument({ headers, text }: Answer): void {
  if (!headers.get('content-type')?.startsWith('text/html')) return;
  for (const [form, action = ''] of text.matchAll(
    /<form[^>]*action="([^"]*)"[^>]*>.*?<\/form>/gs,
  )) {
    const [, act = ''] = action.split('/');
    if (!/^<form[^>]*method="post"/.test(form) || !isDocumentAct(act)) continue;
    assert.match(form, /name="document" value="[^"]+"/, `the form to ${action}`);
  }
}

function isDocumentAct(act: string): boolean {
  return (DOCUMENT_ACTS as readonly string[]).includes(act);
}

function cookieHeader(cookies: Map<string, string>): string {
  return Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (/;\s*max-age=0\b/i.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}

/** Creates an account and returns its browser. */
export async function signUp(
  service: Pick<Service, 'webUrl'>,
  username: string,
  options: Parameters<typeof newVisitor>[1] & { password?: string } = {},
): Promise<Visitor> {
  const visitor = newVisitor(service, options);
  const { password = PASSWORD } = options;
  const email = `${username}@example.com`;
  const answer = await visitor.post('/sign-up', { username, email, password });
  assert.equal(answer.status, 303, answer.text);
  return visitor;
}

/** Tries to sign in. */
export function signIn(
  visitor: Visitor,
  name: string,
  password = PASSWORD,
  more: Record<string, string> = {},
): Promise<Answer> {
  return visitor.post('/sign-in', { name, password, ...more });
}

/** Returns the user that the service sees in the visitor. */
export async function whoIs(visitor: Visitor): Promise<string | undefined> {
  const { status, text } = await visitor.get('/settings');
  if (status === 303) return undefined;
  return /<dd><a href="\/([^"]+)">/.exec(text)?.[1];
}
