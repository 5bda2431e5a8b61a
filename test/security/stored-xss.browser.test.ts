import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { renderMarkdown } from '../../src/base/markdown/render.ts';
import { unwantedCharacter } from '../../src/base/text/shown-name.ts';
import { type Actor, callOf } from '../../src/core/context.ts';
import { createToken } from '../../src/core/identity/token-service.ts';
import { saveOwnProfile } from '../../src/features/profiles/own-profile-service.ts';
import { newChance } from '../chance.ts';
import { everythingIndexed } from '../document/everything-indexed.ts';
import { zip } from '../document/zip.ts';
import { uploadForm } from '../files/samples.ts';
import { type Service, startService } from '../harness.ts';
import { IN_BROWSER, openStage } from '../in-browser.ts';
import { XSS_VECTORS } from '../markdown/xss-vectors.ts';
import { authorizeUrl, makePkce, obtainTokens, register, UNLIMITED } from '../oauth/agent.ts';
import { signedIn } from '../oauth/visitor.ts';
import { startPlain } from '../render/browser.ts';
import { editorReady } from '../web-app/journey.ts';
import type { Person } from '../web-app/world.ts';
import { setTrap, type Trap } from './trap.ts';

/** Payloads that would break out of text, attributes, scripts or templates. */
const BREAKOUTS = [
  '"><img src=x onerror=alert(1)>',
  "'><img src=x onerror=alert(1)>",
  '" onmouseover=alert(1) x="',
  "' onfocus=alert(1) autofocus '",
  '` onerror=alert(1) `',
  '" autofocus onfocus="alert(1)',
  '</title><script>alert(1)</script>',
  '</textarea><script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '</style><svg onload=alert(1)>',
  '--><img src=x onerror=alert(1)>',
  ']]><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '&lt;img src=x onerror=alert(1)&gt;',
  '&amp;lt;img src=x onerror=alert(1)&amp;gt;',
  '\\u003cimg src=x onerror=alert(1)\\u003e',
  '{{constructor.constructor("alert(1)")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a payload for templates
  "${alert(1)}'-alert(1)-'",
  '<math><mi><mglyph><style><img src=x onerror=alert(1)>',
  '<svg><style><img src=x onerror=alert(1)>',
  '＜img src=x onerror=alert(1)＞',
  '\u202e<img src=x onerror=alert(1)>',
];

/**
 * With `XSS_PAYLOADS=all`, tests every payload everywhere, which takes minutes. By default, each
 * seed tests other samples.
 */
const ALL = process.env.XSS_PAYLOADS === 'all';
const SAMPLED = 8;
const first = newChance('payloads').below(SAMPLED);
const sampleOf = <T>(items: readonly T[]) =>
  items.filter((_, index) => ALL || index % SAMPLED === first);

/** One line each, as short as names must be. */
const SHORT = [
  ...BREAKOUTS,
  ...sampleOf(XSS_VECTORS.filter((text) => text.length <= 80 && !/\p{Cc}/u.test(text))),
];

/** Payloads that can be names: names with control or bidirectional characters are refused. */
const NAMES = SHORT.filter((text) => !unwantedCharacter(text));

/** Tells whether text after a payload renders as it would without the payload. */
function isContained(payload: string): boolean {
  return renderMarkdown(`${payload}\n\nend`).html.endsWith('<p>end</p>\n');
}

/** All payloads that are text: many in one document where each leaves the next alone. */
const MARKDOWN = [...XSS_VECTORS, ...BREAKOUTS].filter((payload) => !payload.includes('\0'));
const IN_A_DOCUMENT = 25;
const CONTAINED = MARKDOWN.filter(isContained);
const DOCUMENTS = [
  ...Array.from({ length: Math.ceil(CONTAINED.length / IN_A_DOCUMENT) }, (_, at) =>
    CONTAINED.slice(at * IN_A_DOCUMENT, (at + 1) * IN_A_DOCUMENT).join('\n\n'),
  ),
  ...sampleOf(MARKDOWN.filter((payload) => !isContained(payload))),
];
/**
 * How many documents to open in the app, where they render as on the public page. Those with many
 * payloads come first.
 */
const IN_THE_APP = ALL ? 11 : 5;

/** How many windows read at once. */
const AT_ONCE = 3;

describe('Stored XSS: no script runs from', IN_BROWSER, () => {
  let service: Service;
  let browser: Browser;
  let own: string[];
  let ada: Person;
  let grace: Person;

  /** Idle traps by their signed-in user. A new trap costs as much as loading two pages. */
  const idle = new Map<Person | undefined, Trap[]>();
  const users = new Map<Trap, Person | undefined>();

  // A script may have run after the last check.
  after(async () => {
    for (const { context, sprung } of users.keys()) {
      await context.close();
      assert.deepEqual(sprung, []);
    }
  });
  openStage({ people: ['ada', 'grace'], start: () => startService(UNLIMITED) }, (stage) => {
    ({ service, browser, ada, grace } = stage);
    own = [service.webUrl, service.renderUrl];
  });

  /** Opens paths of the web host, and fails if a script ran there. */
  async function visit(paths: readonly string[], person?: Person): Promise<void> {
    const trap = await openTrap(person);
    for (const path of paths) {
      const status = await trap.open(service.webUrl + path);
      assert.ok(status < 500 && status !== 404, `${status} ${path}`);
      assert.deepEqual(trap.sprung, [], path);
    }
    close(trap);
  }

  async function openTrap(person?: Person): Promise<Trap> {
    const trap = idle.get(person)?.pop() ?? (await setTrap(browser, own, person?.visitor));
    users.set(trap, person);
    return trap;
  }

  /** Returns a trap for the next test, if no script ran in it. */
  function close(trap: Trap): void {
    assert.deepEqual(trap.sprung, []);
    const person = users.get(trap);
    idle.set(person, [...(idle.get(person) ?? []), trap]);
  }

  const make = async (path: string, body: object, person = ada) => {
    const answer = await person.client.post(path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.data;
  };

  it('(control) the trap notices scripts, with and without a policy', async () => {
    const plain = await startPlain();
    const image = '<img src=x onerror=alert(1)>';
    const policy = `<meta http-equiv="content-security-policy" content="script-src 'none'">`;
    for (const [html, sign] of [
      [image, /^RAN alert/],
      [policy + image, /^POLICY script-src/],
      ['<a href="javascript:alert(1)">x</a>', /^href=javascript/],
      ['<script src="https://evil.example/x.js"></script>', /^script from https/],
    ] as const) {
      plain.documents.set('/', html);
      const trap = await setTrap(browser, [plain.origin]);
      await trap.open(`${plain.origin}/`);
      assert.ok(
        trap.sprung.some((what) => sign.test(what)),
        `${html}: ${trap.sprung}`,
      );
      await trap.context.close();
    }
    plain.close();
  });

  it('Markdown on its public page', async () => {
    const publish = (content: string, index: number) =>
      make('/user/briefs', { content, name: `v${index}` });
    await Promise.all(DOCUMENTS.map(publish));
    const lanes = Array.from({ length: AT_ONCE }, (_, lane) =>
      [...DOCUMENTS.keys()].filter((at) => at % AT_ONCE === lane).map((at) => `/ada/v${at}`),
    );
    await Promise.all(lanes.map((paths) => visit(paths)));
  });

  it('Markdown in the app: reading view, search, lists, editor and preview', async () => {
    const some = DOCUMENTS.slice(0, IN_THE_APP);
    for (const [index, content] of some.entries()) {
      await make('/user/briefs', { content, name: `v${index}`, visibility: 'private' }, grace);
    }
    await everythingIndexed(service.app.context);
    const names = some.map((_, index) => `v${index}`);
    await visit(
      [
        ...names.map((name) => `/read/grace/${name}`),
        '/',
        '/?in=own',
        '/search?q=alert',
        '/search?q=script+javascript',
        ...['history', 'rename', 'delete', 'share'].map((screen) => `/${screen}/grace/v0`),
      ],
      grace,
    );
    const trap = await openTrap(grace);
    for (const name of names) {
      // An `error` event while its styles load would keep the editor from opening.
      await trap.page.goto(`${service.webUrl}/edit/grace/${name}`);
      await editorReady(trap.page);
      await trap.provoke();
      const previewed = trap.page.waitForResponse(/\/preview$/);
      await trap.page.keyboard.press('Control+Alt+Shift+d');
      assert.equal((await previewed).status(), 200);
      await trap.provoke();
      await trap.page.keyboard.press('Control+Alt+Shift+d');
      assert.deepEqual(trap.sprung, [], name);
    }
    close(trap);
  });

  it('comments: their Markdown, quotes and suggestions', async () => {
    const payloads = BREAKOUTS.map((text) => text.trim());
    const content = payloads.map((text) => `\`\`\`\n${text}\n\`\`\``).join('\n\n');
    await make('/user/briefs', { content, name: 'said', visibility: 'private' }, grace);
    const path = '/briefs/grace/said/threads';
    const bodies = [...payloads, ...MARKDOWN.filter((text) => text.trim() !== '')];
    for (const [index, payload] of payloads.entries()) {
      const on = { quote: `\`\`\`\n${payload}\n` };
      await make(path, { on, replacement: `New: ${payload}`, body: bodies[index] }, grace);
    }
    for (const body of bodies.slice(payloads.length)) await make(path, { body }, grace);
    await visit(['/read/grace/said'], grace);
  });

  it('comments beside a page: bodies, quotes, suggestions, names and titles', async () => {
    const payloads = BREAKOUTS.map((text) => text.trim());
    const asText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const paragraphs = payloads.map((text, index) => `<p id="p${index}">${asText(text)}</p>`);
    const title = asText(payloads[0] as string);
    const html = `<!doctype html><title>${title}</title>\n${paragraphs.join('\n')}\n`;
    await make('/user/pages', { html, name: 'carded', visibility: 'private' }, grace);
    const path = '/pages/grace/carded/threads';
    for (const [index, payload] of payloads.entries()) {
      const on = { quote: paragraphs[index], element: `#p${index}` };
      const said = { body: payload, ...(index % 3 === 0 && { replacement: payload }) };
      await make(
        path,
        { ...said, on: index % 2 === 0 ? { element: on.element } : { quote: on.quote } },
        grace,
      );
    }
    // Text that only a script shows is stored as it was sent.
    for (const quote of payloads.slice(0, 6)) {
      await make(path, { body: 'Shown', on: { quote, element: '#p0', unverified: true } }, grace);
    }
    for (const body of sampleOf(MARKDOWN.filter((text) => text.trim() !== ''))) {
      await make(path, { body }, grace);
    }
    const { context } = service.app;
    const actor = { id: '', username: 'grace', scopes: [], via: { means: 'web', name: null } };
    const { data: account } = await grace.client.get('/user');
    const { data: link } = await grace.client.post('/pages/grace/carded/links', {
      access: 'comment',
    });
    for (const displayName of NAMES.filter((name) => Array.from(name).length <= 40).slice(0, 4)) {
      await saveOwnProfile(callOf(context, { ...actor, id: account.id } as Actor), {
        displayName,
        summary: '',
      });
      const { text } = await grace.visitor.get('/read/grace/pages/carded');
      assert.match(text, /<bdi>/, displayName);
      await visit(['/read/grace/pages/carded'], grace);
    }
    await visit([new URL(link.url).pathname], ada);
    const trap = await openTrap(grace);
    await trap.open(`${service.webUrl}/edit/grace/pages/carded`);
    await editorReady(trap.page);
    await trap.page.locator('.thread-marker:visible').first().waitFor();
    await trap.page.keyboard.press('Control+Alt+m');
    for (let step = 0; step < payloads.length; step++) {
      await trap.page.locator('.thread-panel .thread').first().waitFor();
      await trap.provoke();
      await trap.page.getByRole('button', { name: 'Next comment' }).click();
    }
    close(trap);
  });

  it('titles of pages', async () => {
    const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    for (const [index, payload] of BREAKOUTS.entries()) {
      const html = `<!doctype html><title>${escaped(payload)}</title><p>x`;
      await make('/user/pages', { html, name: `t${index}` });
    }
    await everythingIndexed(service.app.context);
    const framed = BREAKOUTS.slice(0, 9).map((_, index) => `/ada/pages/t${index}`);
    await visit([...framed, '/ada', '/ada?page=2']);
    await visit(['/', '/?in=own', '/read/ada/pages/t0', '/search?q=onerror', '/shared'], ada);
  });

  it('names of organizations, for members, invited people and others', async () => {
    for (const [index, name] of NAMES.entries()) {
      await make('/user/orgs', { namespace: `o${index}`, name });
      const role = { role: 'member' };
      const invited = await ada.client.put(`/orgs/o${index}/members/grace`, role);
      assert.equal(invited.status, 201, invited.text);
    }
    const some = BREAKOUTS.slice(0, 8).map((_, index) => `o${index}`);
    await visit(['/invitations'], grace);
    await visit(
      [
        '/organizations',
        '/new',
        '/import',
        '/',
        ...some.map((namespace) => `/organizations/${namespace}`),
        ...['members', 'invitations', 'settings'].map((tab) => `/organizations/o0/${tab}`),
      ],
      ada,
    );
    await visit(some.map((namespace) => `/${namespace}`));
    // The browser's code renders the toast after accepting, and the palette.
    const trap = await openTrap(grace);
    await trap.open(`${service.webUrl}/invitations`);
    await trap.page.getByRole('button', { name: 'Accept' }).first().click();
    await trap.page.locator('.toast').waitFor();
    await trap.provoke();
    await trap.open(`${service.webUrl}/organizations`);
    await trap.page.keyboard.press('Control+k');
    await trap.page.locator('.palette input').fill(BREAKOUTS[0] as string);
    await trap.page.locator('.palette [role="option"]').first().waitFor();
    await trap.provoke();
    close(trap);
  });

  it('names of tokens and files, and User-Agent headers', async () => {
    const { context } = service.app;
    const accountId = (await ada.client.get('/user')).data.id;
    for (const payload of SHORT) {
      const bytes = new TextEncoder().encode('x');
      const upload = uploadForm({
        bytes,
        name: payload.replaceAll('"', '%22'),
        type: 'text/plain',
      });
      const { status } = await ada.client.request('/user/files', { method: 'POST', ...upload });
      assert.ok(status === 201 || status === 400, payload);
    }
    for (const name of NAMES.slice(0, 90)) {
      await createToken(context, { username: 'ada', name, lifetimeMs: undefined });
      await signedIn(service, accountId, name);
    }
    const paths = ['/settings/tokens', '/settings/uploads', '/settings/sessions', '/settings'];
    await visit(paths, ada);
    const tokens = await ada.visitor.get('/settings/tokens');
    const revokes = Array.from(tokens.text.matchAll(/href="([^"]+\/revoke)"/g), ([, path]) => path);
    assert.ok(revokes.length > 20);
    await visit(revokes.slice(0, 5) as string[], ada);
  });

  it('names and addresses of applications, on the consent screen and in settings', async () => {
    const accountId = (await ada.client.get('/user')).data.id;
    const visitor = await signedIn(service, accountId);
    const trap = await openTrap(ada);
    for (const [index, payload] of BREAKOUTS.entries()) {
      const registered = await register(service, {
        client_name: payload,
        redirect_uris: [`http://127.0.0.1:9123/${encodeURI(payload).slice(0, 60)}?"'<x>=${index}`],
      }).catch(() => register(service, { client_name: payload }));
      await obtainTokens(service, visitor, registered);
      const { challenge } = makePkce();
      const asked = authorizeUrl(service, {
        client_id: registered.client_id,
        redirect_uri: registered.redirect_uris[0],
        code_challenge: challenge,
        state: payload,
      });
      assert.equal(await trap.open(asked), 200);
      assert.match(trap.page.url(), /\/authorize\//);
      assert.deepEqual(trap.sprung, [], payload);
    }
    await trap.open(`${service.webUrl}/settings/applications`);
    close(trap);
  });

  it('reflected input: searches, errors, sign-in, refused forms', async () => {
    const said = BREAKOUTS.slice(0, 8).map((payload) => encodeURIComponent(payload));
    await visit(
      said.flatMap((text) => [`/search?q=${text}`, `/sign-in?next=${text}`]),
      ada,
    );
    const trap = await openTrap();
    for (const text of said) {
      await trap.open(`${service.webUrl}/ada/${text}`);
      await trap.open(`${service.baseUrl}/sso/authorize?client_id=${text}&redirect_uri=${text}`);
    }
    await trap.open(`${service.webUrl}/sign-in`);
    for (const payload of BREAKOUTS.slice(0, 4)) {
      await trap.page.locator('[name="name"]').fill(payload);
      await trap.page.locator('[name="password"]').fill(payload);
      await trap.page.locator('form [type="submit"], form button:not([type])').first().click();
      await trap.page.waitForLoadState();
      await trap.provoke();
    }
    close(trap);
  });

  it('the results of an import', async () => {
    const trap = await openTrap(ada);
    await trap.open(`${service.webUrl}/import`);
    const file = (name: string, text: string) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(text),
    });
    const inside = Object.fromEntries(
      SHORT.map((name) => [`${name.replaceAll('\\', '')}.md`, '# x']),
    );
    await trap.page
      .getByLabel('Files', { exact: true })
      .setInputFiles([
        ...BREAKOUTS.map((name) => file(`${name}.md`, `# ${name}`)),
        ...BREAKOUTS.map((name) => file(name, 'x')),
        { ...file('all.zip', ''), buffer: await zip(inside) },
      ]);
    await trap.page.getByRole('button', { name: 'Import' }).click();
    await trap.page.getByText(/\d+ imported, /).waitFor();
    assert.ok((await trap.page.locator('#fates tbody tr').count()) > BREAKOUTS.length);
    await trap.provoke();
    close(trap);
  });
});
