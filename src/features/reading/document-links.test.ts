import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { startService } from '../../../test/harness.ts';
import { newVisitor } from '../../../test/sign-in/visitor.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';

const TEXT = '# Plan\n\n[other](other.md#part) [[Other]] [[secret note]] [[missing]]\n';

describe('Links between documents', async () => {
  const service = await startService();
  after(() => service.stop());
  const [ada, grace] = [await makePerson(service, 'ada'), await makePerson(service, 'grace')];
  const make = (name: string, content: string, visibility: string) =>
    ada.client.post('/user/briefs', { name, content, visibility });
  await make('plan', TEXT, 'public');
  await make('other', '# Other\n\n## Part\n', 'public');
  await make('secret-note', '# Secret', 'private');

  /** Follows the links of a screen, as a browser resolves them. */
  async function linksAt({ visitor }: Pick<Person, 'visitor'>, path: string): Promise<string[]> {
    const { text, status } = await visitor.get(path);
    assert.equal(status, 200, path);
    const links = text.matchAll(/<a href="([^"]*)">(?:other|Other|secret note|missing)<\/a>/g);
    return Array.from(links, ([, href = '']) => {
      const { pathname, hash } = new URL(href, service.webUrl + path);
      return pathname + hash;
    });
  }

  const below = (prefix: string) => [
    `${prefix}/other#user-content-part`,
    `${prefix}/other`,
    `${prefix}/secret-note`,
    `${prefix}/missing`,
  ];

  it('lead to the documents where the brief is shown', async () => {
    await ada.client.post('/user/briefs', { name: 'sent', content: TEXT, visibility: 'private' });
    const { data } = await ada.client.post('/briefs/ada/sent/links', { access: 'comment' });
    const secret = new URL((data as { url: string }).url).pathname;
    const anyone = { visitor: newVisitor(service) };
    for (const [who, path, prefix] of [
      [anyone, '/ada/plan', '/ada'],
      [ada, '/read/ada/plan', '/read/ada'],
      [grace, '/read/ada/plan', '/read/ada'],
      [ada, '/read/ada/plan@1', '/read/ada'],
      [anyone, secret, '/ada'],
      [grace, secret, '/ada'],
    ] as const) {
      assert.deepEqual(await linksAt(who, path), below(prefix), path);
    }
  });

  it('don’t say whether what one can’t read exists', async () => {
    const { text } = await grace.visitor.get('/read/ada/plan');
    const link = (name: string, label: string) => `<a href="${name}">${label}</a>`;
    assert.ok(text.includes(`${link('secret-note', 'secret note')} ${link('missing', 'missing')}`));
    for (const path of ['/ada/secret-note', '/read/ada/secret-note']) {
      const [there, missing] = [
        await grace.visitor.get(path),
        await grace.visitor.get(path.replace('secret-note', 'missing')),
      ];
      assert.deepEqual([there.status, missing.status], [404, 404]);
    }
    assert.equal(
      (await ada.visitor.get('/ada/secret-note')).headers.get('location'),
      '/read/ada/secret-note',
    );
  });

  it('lead on when the document has a new name', async () => {
    await ada.client.post('/user/briefs', { name: 'old', content: 'Old' });
    await ada.client.patch('/briefs/ada/old', { name: 'new' });
    const { status, headers } = await newVisitor(service).get('/ada/old');
    assert.deepEqual([status, headers.get('location')], [308, `${service.webUrl}/ada/new`]);
  });

  it('open the text and the preview under the chosen owner', async () => {
    const form = new FormData();
    form.append('content', '[[x]]');
    form.append('owner', 'grace');
    const { text } = await ada.visitor.post('/preview', form, { accept: 'application/json' });
    assert.ok(text.includes('/read/grace/x'), text);
  });
});
