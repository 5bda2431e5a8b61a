import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startService } from '../../../test/harness.ts';
import { IN_BROWSER, signedIn } from '../../../test/in-browser.ts';
import { openPostOffice } from '../../../test/mail/post-office.ts';
import { launch } from '../../../test/render/browser.ts';
import { newVisitor, type Visitor } from '../../../test/sign-in/visitor.ts';
import { clientMissing, MANIFEST } from '../../../test/web/built-client.ts';
import { SCREENS } from '../../../test/web-app/screens.ts';
import { makePerson, makeWorld } from '../../../test/web-app/world.ts';
import { setAdmin } from '../../core/identity/admin.ts';

const KB = 1024;

/** Budgets of a first load, compressed with gzip: script, styles, and the page itself. */
interface Budget {
  script: number;
  styles: number;
  page: number;
}

// docs/develop/web-app.md has the same figures.
const READING: Budget = { script: 4.25 * KB, styles: 8 * KB, page: 4 * KB };
/** A brief: footnotes beside their references, large views, and changes as they come. */
const BRIEF: Budget = { ...READING, script: 8.25 * KB };
const APP: Budget = { script: 16.25 * KB, styles: 15.5 * KB, page: 5 * KB };
const WRITING: Budget = { script: 18 * KB, styles: 19.5 * KB, page: 5.25 * KB };
/** What the editor's screens load afterwards. */
const EDITOR_SCRIPT = 195 * KB;
/** What a brief with comments loads afterwards, uncompressed. */
const COMMENTS_SCRIPT = 26 * KB;

/**
 * The bytes that a browser with an empty cache transfers for a brief, including fonts and icons:
 * for the public, and in the app.
 */
const FIRST_VISIT = 60 * KB;
const FIRST_IN_APP = 86 * KB;
/** 5 KB with bold text. */
const PROSE = `# Tides\n\n${'The **moon** moves water, and the coast waits for it. '.repeat(90)}\n`;

const BUDGETS: Record<string, Budget> = {
  // With formulas, a review, and comments that fold, stand beside their passages and are written there.
  'read-brief': { ...APP, script: 17.5 * KB, styles: 18.75 * KB, page: 7 * KB },
  // Whose frame is replaced by that of a newer text.
  'read-page': { ...APP, script: 17 * KB },
  // With the script that says what is missing.
  'public-page': { ...READING, script: 8.25 * KB },
  'public-brief': BRIEF,
  'new-brief': WRITING,
  'edit-brief': WRITING,
  'new-page': WRITING,
  'edit-page': WRITING,
  // With all that an organization decides.
  'organization-settings': { ...APP, page: 5.25 * KB },
  // With all acts to choose from.
  audit: { ...APP, page: 5.5 * KB },
  'audit-of-one': { ...APP, page: 5.5 * KB },
  // With the script that says what is wrong with a field, and at signing in that for passkeys.
  'sign-in': { ...READING, script: 5.5 * KB },
  'sign-up': { ...READING, script: 5 * KB },
  reference: { ...READING, page: 73 * KB },
};

/** The client build's information about each module. */
type Manifest = Record<string, { file: string; imports?: string[] }>;

/** A module and everything that it imports statically. */
function closure(built: Manifest, name: string, found = new Set<string>()): string[] {
  if (!found.has(name)) {
    found.add(name);
    for (const imported of built[name]?.imports ?? []) closure(built, imported, found);
  }
  return [...found];
}

describe('First loads are within their budgets', { skip: clientMissing }, async () => {
  const visitors = new Map<string, Visitor>();

  const office = await openPostOffice();
  const service = await startService(office.settings);
  const { ada } = await makeWorld(service);
  visitors.set('nobody', newVisitor(service));
  visitors.set('ada', ada.visitor);
  visitors.set('newcomer', (await makePerson(service, 'newcomer')).visitor);
  visitors.set('steward', (await makePerson(service, 'steward')).visitor);
  const steward = { username: 'steward', isAdmin: true };
  await setAdmin(service.app.context, undefined, steward);

  after(async () => {
    await service?.stop();
    await office?.close();
  });

  const read = async (path: string) => (await fetch(service.webUrl + path)).text();

  /** A script and its static imports, each once. */
  async function collect(path: string, found: Map<string, string>): Promise<void> {
    if (found.has(path)) return;
    const text = await read(path);
    found.set(path, text);
    const directory = path.slice(0, path.lastIndexOf('/'));
    for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
      await collect(`${directory}/${name}`, found);
    }
  }

  it('the editor', async () => {
    const built = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest;
    for (const entry of ['brief-editor', 'page-editor'].map(
      (name) => `../../../features/editor/client/${name}.ts`,
    )) {
      const files = closure(built, entry).map((name) => read(`/${built[name]?.file}`));
      const size = weigh(await Promise.all(files));
      assert.ok(size <= EDITOR_SCRIPT, `${entry} has ${size} bytes of ${EDITOR_SCRIPT}`);
    }
  });

  it('comments', async () => {
    const built = JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest;
    const loaded = new Set(closure(built, '../../../client/app.ts'));
    const names = closure(built, '../../../features/discussion/client/comments.ts').filter(
      (name) => !loaded.has(name),
    );
    const texts = await Promise.all(names.map((name) => read(`/${built[name]?.file}`)));
    const size = texts.reduce((sum, { length }) => sum + length, 0);
    assert.ok(size > KB && size <= COMMENTS_SCRIPT, `${size} bytes of ${COMMENTS_SCRIPT}`);
  });

  const weigh = (texts: Iterable<string>) =>
    Array.from(texts, (text) => gzipSync(text).length).reduce((sum, size) => sum + size, 0);

  it('a brief in a browser with an empty cache', IN_BROWSER, async (test) => {
    const { client } = await makePerson(service, 'mary');
    await client.post('/user/briefs', { name: 'tides', content: PROSE });
    const browser = await launch();
    test.after(() => browser.close());
    for (const [path, who, most] of [
      ['/mary/tides', 'nobody', FIRST_VISIT],
      ['/read/mary/tides', 'ada', FIRST_IN_APP],
    ] as const) {
      const context = await signedIn(browser, service, visitors.get(who));
      const page = await context.newPage();
      const network = await context.newCDPSession(page);
      let bytes = 0;
      network.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await network.send('Network.enable');
      await page.goto(service.webUrl + path, { waitUntil: 'networkidle' });
      test.diagnostic(`${path}: ${bytes} bytes`);
      assert.ok(bytes > 50_000 && bytes <= most, `${path}: ${bytes} of ${most}`);
    }
  });

  for (const screen of SCREENS) {
    it(screen.name, async (test) => {
      const visitor = visitors.get(screen.as ?? 'ada') as Visitor;
      const { status, text } = await visitor.get(screen.path);
      assert.equal(status, screen.status ?? 200, screen.path);
      const scripts = new Map<string, string>();
      for (const [, path] of text.matchAll(/<script [^>]*src="([^"]+)"/g)) {
        await collect(path as string, scripts);
      }
      const styles = await Promise.all(
        Array.from(text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g), ([, path]) =>
          read(path as string),
        ),
      );
      const weight = {
        script: weigh(scripts.values()),
        styles: weigh(styles),
        page: weigh([text]),
      };
      test.diagnostic(JSON.stringify(weight));
      const budget = BUDGETS[screen.name] ?? (screen.as === 'nobody' ? READING : APP);
      for (const part of ['script', 'styles', 'page'] as const) {
        const [is, may] = [weight[part], budget[part]];
        assert.ok(is <= may, `${screen.path}: ${part} has ${is} bytes of ${may}`);
      }
    });
  }
});
