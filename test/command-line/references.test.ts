import { strict as assert } from 'node:assert';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { until } from '../until.ts';
import { startSlowServer } from './slow-server.ts';
import { startWork, statusOf } from './work.ts';

/** A picture of one pixel, with a text in it and more bytes of pixels. */
function picture(text: string | undefined, more = 0): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(type, 4);
    return Buffer.concat([head, data, Buffer.alloc(4)]);
  };
  const size = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', size),
    ...(text === undefined ? [] : [chunk('tEXt', Buffer.from(text))]),
    chunk('IDAT', deflateSync(Buffer.from([0, 0]))),
    ...(more > 0 ? [chunk('IDAT', Buffer.alloc(more))] : []),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const INDEX =
  '# Index\n\n[sub](sub/My%20page.md#part), [[Second note]], [[sub/My page|mine]], ' +
  '![i](img/a.png)\n\n![[b.png]]\n\n[page](sub/p.html) [gone](gone.md) [out](https://example.com/x.md) `[c](sub/My page.md)`\n';

describe('References between the files of a folder', () => {
  const work = startWork();

  /** Makes a folder whose files refer to one another. */
  function makeFolder(folder: string): void {
    work.desk.write(`${folder}/index.md`, INDEX);
    work.desk.write(`${folder}/sub/My page.md`, '# Page\n\n[up](../index.md)\n');
    work.desk.write(`${folder}/Second note.md`, '# Second\n\n![a](<img/a.png> "t")\n');
    work.desk.write(`${folder}/sub/p.html`, '<title>P</title><a href="../index.md">up</a>');
    work.desk.write(`${folder}/img/a.png`, picture('a'));
    work.desk.write(`${folder}/b.png`, picture('b'));
  }

  async function newOwner(name: string) {
    const client = await work.service.user(name);
    work.desk.environment.BRIEFS_TOKEN = client.token as string;
    const textOf = async (document: string): Promise<string> =>
      (await client.get(`/briefs/${name}/${document}`)).data.content;
    return { client, textOf };
  }

  for (const command of ['push', 'sync']) {
    it(`${command}: links and pictures work in the documents, and the files keep theirs`, async () => {
      const { client, textOf } = await newOwner(`links-${command}`);
      makeFolder('vault');
      const { results } = await work.desk.json(0, command, 'vault');
      assert.deepEqual(statusOf({ results }), ['created', 'created', 'created', 'created']);
      const [, index] = results as { unresolved?: string[] }[];
      assert.deepEqual(index?.unresolved, ['gone.md']);
      const files = (await client.get('/user/files')).data as { name: string; url: string }[];
      assert.deepEqual(files.map(({ name }) => name.replace(/-[0-9a-f]{16}/, '')).sort(), [
        'a.png',
        'b.png',
      ]);
      const urlOf = (name: string) =>
        files.find((each) => each.name.startsWith(name.replace('.png', '-')))?.url;
      assert.equal(
        await textOf('index'),
        '# Index\n\n[sub](sub-my-page.md#part), [[Second note]], [[sub-my-page|mine]], ' +
          `![i](${urlOf('a.png')})\n\n![b.png](${urlOf('b.png')})\n\n` +
          '[page](sub-p.html) [gone](gone.md) [out](https://example.com/x.md) `[c](sub/My page.md)`\n',
      );
      assert.equal(await textOf('sub-my-page'), '# Page\n\n[up](index.md)\n');
      const page = await client.get(`/pages/links-${command}/sub-p`);
      const up = `${work.service.webUrl}/links-${command}/index`;
      assert.equal(page.data.html, `<title>P</title><a href="${up}">up</a>`);
      assert.equal(await textOf('second-note'), `# Second\n\n![a](${urlOf('a.png')} "t")\n`);
      assert.equal(work.desk.read('vault/index.md').slice(-INDEX.length), INDEX);
      // Nothing is sent or uploaded again, for the folder or for one file.
      for (const path of ['vault', 'vault/index.md', 'vault/sub', 'vault/sub/My page.md']) {
        const again = await work.desk.json(0, command, path);
        assert.ok(
          statusOf(again).every((status) => status === 'unchanged'),
          path,
        );
      }
      assert.equal((await client.get('/user/files')).data.length, 2);
      // The folder's memory is only a shortcut.
      rmSync(work.desk.path('vault/.briefs'), { recursive: true });
      const forgot = await work.desk.json(0, command, 'vault');
      assert.ok(statusOf(forgot).every((status) => status === 'unchanged'));
      assert.equal((await client.get('/user/files')).data.length, 2);
    });
  }

  it('sync: a file stays as it is although others get documents while it is sent', async (t) => {
    const { textOf } = await newOwner('links-slow');
    const text = '![[b.png]] [late](./late.md) [[late]] changed\n';
    work.desk.write('vault/b.png', picture('b'));
    const slow = await startSlowServer(work.service.webUrl, async (body) => {
      if (!body.includes('changed')) return;
      await until('the other has its document', () =>
        /^briefs:/m.test(work.desk.read('vault/late.md')),
      );
    });
    t.after(() => slow.stop());
    work.desk.environment.BRIEFS_SERVER = slow.url;
    work.desk.write('vault/early.md', '![[b.png]]\n');
    await work.desk.json(0, 'sync', 'vault');
    // A change and a new document don't go in one request.
    work.desk.write('vault/early.md', work.desk.read('vault/early.md').replace(/!.*\n$/, text));
    work.desk.write('vault/late.md', '# Late\n');
    await work.desk.json(0, 'sync', 'vault');
    assert.equal(work.desk.read('vault/early.md').split('---\n').at(-1), text);
    assert.match(await textOf('early'), /\[late\]\(late\.md\)/);
  });

  it('sync: wikilinks with folders lead to the documents, and come back as they are', async () => {
    const { client, textOf } = await newOwner('links-paths');
    const notes = (words: string) =>
      `One [[sub/My page]], ${words} [[sub/My page#Part|the part]] and [[a/b/Deep note#Part]]. ` +
      '![[a/b/c.png|80]] ![[Second note]] [[b.png]] [[grace/plan]]\n';
    makeFolder('vault');
    work.desk.write('vault/notes.md', notes('two'));
    work.desk.write('vault/a/b/Deep note.md', '# Deep\n\n[[sub/My page]] ![p](c.png)\n');
    work.desk.write('vault/a/b/c.png', picture('c'));
    await work.desk.json(0, 'sync', 'vault');
    const files = (await client.get('/user/files')).data as { name: string; url: string }[];
    const urlOf = (name: string) => files.find((each) => each.name.startsWith(name))?.url;
    const there = (words: string) =>
      `One [[sub-my-page|sub/My page]], ${words} [[sub-my-page#Part|the part]] and ` +
      `[[a-b-deep-note#Part|a/b/Deep note#Part]]. ![a/b/c.png|80](${urlOf('c-')}) [[Second note]] ` +
      `[b.png](${urlOf('b-')}) [[grace/plan]]\n`;
    assert.equal(await textOf('notes'), there('two'));
    const html = await client.get('/briefs/links-paths/notes?format=html');
    assert.match(JSON.stringify(html.data), /sub-my-page/);
    await client.patch('/briefs/links-paths/notes', { content: there('and three more words') });
    await work.desk.json(0, 'sync', 'vault');
    const local = () => work.desk.read('vault/notes.md').split('---\n').at(-1);
    assert.equal(local(), notes('and three more words'));
    // A new folder has the names of documents, which say the same.
    await work.desk.json(0, 'pull', 'links-paths', '--into', 'copy');
    for (const folder of ['copy', 'vault']) {
      const again = await work.desk.json(0, 'sync', folder);
      assert.ok(statusOf(again).every((status) => status === 'unchanged'));
    }
    assert.equal(local(), notes('and three more words'));
    assert.equal(await textOf('notes'), there('and three more words'));
  });

  it('sync: wikilinks whose labels change on the server name the same files', async () => {
    const { client, textOf } = await newOwner('links-odd');
    const names = [
      'Über uns/Größe & Maß (v2)',
      'a/b',
      '100%/50% done',
      '日本語/メモ',
      'v1.2/rel. x',
    ];
    const text = (label: string) =>
      `${names.map((name) => `[[${name}#H|${label}]]`).join(' ')}\n\n| [[a/b\\|${label}]] |\n|---|\n`;
    for (const name of [...names, 'a-b']) work.desk.write(`vault/${name}.md`, '## H\n');
    work.desk.write('vault/hub.md', text('early'));
    await work.desk.json(0, 'sync', 'vault');
    const there = await textOf('hub');
    assert.match(there, /^\[\[über-uns-größe-maß-v2#H\|early\]\] \[\[a-b(-2)?#H\|early\]\]/);
    const content = there.replaceAll('early', 'later').concat('\n[[v1.2-rel.-x|new]]\n');
    await client.patch('/briefs/links-odd/hub', { content });
    await work.desk.json(0, 'sync', 'vault');
    const local = work.desk.read('vault/hub.md').split('---\n').slice(2).join('---\n');
    assert.equal(local, `${text('later')}\n[[v1.2/rel. x|new]]\n`);
    const again = await work.desk.json(0, 'sync', 'vault');
    assert.ok(statusOf(again).every((status) => status === 'unchanged'));
    assert.equal(await textOf('hub'), content);
  });

  for (const command of ['push', 'sync']) {
    it(`${command}: pictures of a page are inside its document, not in the file`, async () => {
      const owner = `links-inside-${command}`;
      const { client } = await newOwner(owner);
      const html = (words: string) =>
        '<title>P</title><style>p{background:url(b.png)}</style>' +
        '<img src="img/a b.png" alt="a"><img src=b.png>\n' +
        '<img srcset="b.png, img/a%20b.png 2x" src=\'./b.png\'> <img src="no.png"> <img src="text.png">\n' +
        `${words} <img src="b.png"> <a href="b.png">b</a>\n`;
      work.desk.write('vault/page.html', html('Words'));
      work.desk.write('vault/img/a b.png', picture('a'));
      work.desk.write('vault/b.png', picture('b', 10));
      work.desk.write('vault/text.png', 'no picture');
      const { results } = await work.desk.json(0, command, 'vault');
      assert.deepEqual(results[0].unresolved, ['no.png', 'text.png']);
      const read = async () => (await client.get(`/pages/${owner}/page`)).data.html as string;
      const there = await read();
      // Without its text, as an uploaded one.
      const inside = (more: number) =>
        `data:image/png;base64,${picture(undefined, more).toString('base64')}`;
      const url = (await client.get('/user/files')).data[0].url;
      assert.equal(
        there,
        html('Words')
          .replace('src=b.png', `src="${inside(10)}"`)
          .replace(/(?<=src="|, )img\/a(?: |%20)b\.png/g, inside(0))
          .replace(/(?<=src="|src='|srcset="|url\()(?:\.\/)?b\.png/g, inside(10))
          .replace('href="b.png"', `href="${url}"`),
      );
      const bodyOf = () => work.desk.read('vault/page.html').replace(/\n<!-- briefs.*\n/, '');
      assert.equal(bodyOf(), html('Words').trimEnd());
      await client.patch(`/pages/${owner}/page`, { html: there.replace('Words', 'More words') });
      await work.desk.json(0, 'pull', 'vault/page.html');
      assert.equal(bodyOf(), html('More words').trimEnd());
      assert.deepEqual(statusOf(await work.desk.json(0, command, 'vault')), ['unchanged']);
      assert.equal((await work.desk.json(0, 'diff', 'vault/page.html')).diffs.length, 0);
      assert.equal((await client.get('/user/files')).data.length, 1);
    });
  }

  for (const command of ['push', 'sync']) {
    it(`${command}: pictures that are written into a brief are uploaded, and the file keeps them`, async () => {
      const { client, textOf } = await newOwner(`data-${command}`);
      const data = (name: string, more = 0) =>
        `data:image/png;base64,${picture(name, more).toString('base64')}`;
      // With its pictures, it is larger than a brief can be.
      const text = (a: string, b: string) =>
        `# Data\n\n![a](${a} "t") <img src="${a}" alt="x">\n\n![b][b] \`![c](${data('c')})\`\n\n[b]: ${b}\n`;
      const written = text(data('a', 1_000_000), data('b'));
      const svg = '![s](data:image/svg+xml;base64,PHN2Zy8+)\n';
      work.desk.write('vault/data.md', written);
      work.desk.write('vault/svg.md', svg);
      const run = work.desk.start([command, 'vault']);
      const { code, stderr } = await run.ended;
      assert.equal(code, 0, stderr);
      assert.match(stderr, /vault\/data\.md: 2 pictures that are written into it: uploaded/);
      assert.match(
        stderr,
        /warning: vault\/svg\.md: A picture of it is written as a data: address/,
      );
      const files = (await client.get('/user/files')).data as { url: string; sizeBytes: number }[];
      assert.equal(files.length, 2);
      const [large, small] = files.sort((a, b) => b.sizeBytes - a.sizeBytes).map(({ url }) => url);
      const there = text(large as string, small as string);
      assert.equal(await textOf('data'), there);
      assert.equal(await textOf('svg'), svg);
      const bodyOf = () => work.desk.read('vault/data.md').replace(/^---\nbriefs: .*\n---\n/, '');
      assert.equal(bodyOf(), written);
      assert.deepEqual(statusOf(await work.desk.json(0, command, 'vault')), [
        'unchanged',
        'unchanged',
      ]);
      await client.patch(`/briefs/data-${command}/data`, {
        content: there.replace('Data', 'More'),
      });
      await work.desk.json(0, 'pull', 'vault/data.md');
      assert.equal(bodyOf(), written.replace('Data', 'More'));
      assert.equal((await work.desk.json(0, 'diff', 'vault/data.md')).diffs.length, 0);
      assert.equal((await client.get('/user/files')).data.length, 2);
    });
  }

  it('sync: pictures that came in a document’s text stay as they are until the file changes', async () => {
    const { client, textOf } = await newOwner('data-pulled');
    const data = `data:image/png;base64,${picture('a').toString('base64')}`;
    await client.post('/user/briefs', { name: 'pulled', content: `# Pulled\n\n![a](${data})\n` });
    await work.desk.json(0, 'sync', '.', '--with', 'data-pulled');
    const synced = await work.desk.json(0, 'sync', '.', '--with', 'data-pulled');
    assert.deepEqual(statusOf(synced), ['unchanged']);
    assert.equal((await client.get('/user/files')).data.length, 0);
    work.desk.write('pulled.md', `${work.desk.read('pulled.md')}\nMore.\n`);
    assert.deepEqual(statusOf(await work.desk.json(0, 'sync', '.')), ['pushed']);
    const [{ url }] = (await client.get('/user/files')).data;
    assert.equal(await textOf('pulled'), `# Pulled\n\n![a](${url})\n\nMore.\n`);
  });

  it('push: pictures that don’t fit into a page stay outside, and are named', async () => {
    const { client } = await newOwner('links-large');
    work.desk.write('vault/a.png', picture('x', 3_000_000));
    work.desk.write('vault/page.html', '<img src="a.png"> <img src="a.png"> <img src="b.png">\n');
    work.desk.write('vault/b.png', picture('b'));
    const { results } = await work.desk.json(0, 'push', 'vault');
    assert.equal(results[0].status, 'created');
    assert.deepEqual(results[0].unresolved, ['a.png']);
    assert.match(results[0].warnings.join(' '), /a\.png/);
    const { html } = (await client.get('/pages/links-large/page')).data;
    assert.match(html, /^<img src="data:[^"]*"> <img src="a\.png"> <img src="data:[^"]*">/);
  });

  it('sync: lines that change on the server come with references to files', async () => {
    const { client, textOf } = await newOwner('links-back');
    makeFolder('vault');
    await work.desk.json(0, 'sync', 'vault');
    const there = await textOf('index');
    const content = there.replace('mine]],', 'mine]] and [s](second-note.md),').concat('\nEnd.\n');
    await client.patch('/briefs/links-back/index', { content });
    assert.ok(statusOf(await work.desk.json(0, 'sync', 'vault')).includes('pulled'));
    const local = work.desk.read('vault/index.md');
    const line =
      '[sub](sub/My%20page.md#part), [[Second note]], [[sub/My page|mine]] and [s](Second%20note.md), ![i](img/a.png)';
    assert.ok(local.includes(`\n${line}\n`), local);
    assert.ok(local.includes('\n![[b.png]]\n'), local);
    const again = await work.desk.json(0, 'sync', 'vault');
    assert.ok(statusOf(again).every((status) => status === 'unchanged'));
    assert.equal(await textOf('index'), content);
  });

  it('sync: no file is uploaded because a text from the server names it', async () => {
    const { client, textOf } = await newOwner('links-named');
    makeFolder('vault');
    work.desk.write('vault/private.png', picture('private'));
    await work.desk.json(0, 'sync', 'vault');
    const named = '\n![x](private.png) ![y](img/../private.png) ![[private.png]]\n';
    const content = (await textOf('index')) + named;
    await client.patch('/briefs/links-named/index', { content });
    for (const change of ['', 'Mine.\n']) {
      work.desk.write('vault/index.md', work.desk.read('vault/index.md') + change);
      for (let count = 0; count < 3; count += 1) await work.desk.json(0, 'sync', 'vault');
      assert.equal(await textOf('index'), content + change);
      assert.equal((await client.get('/user/files')).data.length, 2);
    }
    await work.desk.json(0, 'pull', 'links-named', '--into', 'copy');
    work.desk.write('copy/private.png', picture('private'));
    await work.desk.json(0, 'sync', 'copy');
    await work.desk.json(0, 'push', 'copy');
    assert.equal((await client.get('/user/files')).data.length, 2);
    // One's own reference, in another file.
    work.desk.write(
      'vault/Second note.md',
      `${work.desk.read('vault/Second note.md')}\n![p](private.png)\n`,
    );
    await work.desk.json(0, 'sync', 'vault');
    assert.equal((await client.get('/user/files')).data.length, 3);
    await work.desk.json(0, 'sync', 'vault');
    assert.match(await textOf('index'), /!\[x\]\(private\.png\)/);
  });

  it('sync: links follow renamed and moved files, and renamed documents, at once', async () => {
    const { client, textOf } = await newOwner('links-moved');
    makeFolder('vault');
    work.desk.write('vault/index.md', `${INDEX}[[Second note#A]] [s](<Second note.md>)\n`);
    work.desk.write('vault/private.png', picture('private'));
    await work.desk.json(0, 'sync', 'vault');
    const page = (await textOf('sub-my-page')).concat('![x](private.png)\n');
    await client.patch('/briefs/links-moved/sub-my-page', { content: page });
    await work.desk.json(0, 'sync', 'vault');
    const before = await textOf('index');
    work.desk.move('vault/sub/My page.md', 'vault/new/part/Page one.md');
    work.desk.move('vault/Second note.md', 'vault/new/Third note.md');
    const dry = await work.desk.json(0, 'status', 'vault');
    assert.equal(
      dry.results.some(({ unresolved = [] }: { unresolved?: string[] }) =>
        unresolved.includes('Second note'),
      ),
      false,
    );
    const { results } = await work.desk.json(0, 'sync', 'vault');
    assert.equal(
      results.find(({ file }: { file: string }) => file === 'vault/index.md').status,
      'pushed',
    );
    const moved = `${INDEX}[[Third note#A]] [s](new/Third%20note.md)\n`
      .replace('sub/My%20page.md', 'new/part/Page%20one.md')
      .replace('[[Second note]]', '[[Third note]]')
      .replace('[[sub/My page|mine]]', '[[Page one|mine]]');
    const bodyOf = (path: string) => work.desk.read(path).split('---\n').at(-1);
    assert.equal(bodyOf('vault/index.md'), moved);
    assert.equal(
      await textOf('index'),
      before
        .replace('[[Second note]]', '[[second-note|Third note]]')
        .replace('[[Second note#A]]', '[[second-note#A|Third note#A]]'),
    );
    // Its own links, too; and a picture that its document names is still none of the folder's.
    assert.equal(
      bodyOf('vault/new/part/Page one.md'),
      '# Page\n\n[up](../../index.md)\n![x](private.png)\n',
    );
    assert.equal(await textOf('sub-my-page'), page);
    assert.equal((await client.get('/user/files')).data.length, 2);
    await client.patch('/briefs/links-moved/sub-my-page', { name: 'chapter' });
    await work.desk.json(0, 'sync', 'vault');
    assert.match(await textOf('index'), /\[sub\]\(chapter\.md#part\).*\[\[chapter\|mine\]\]/);
    assert.equal(bodyOf('vault/index.md'), moved);
    const again = await work.desk.json(0, 'sync', 'vault');
    assert.ok(statusOf(again).every((status) => status === 'unchanged'));
  });

  for (const options of [[], ['--delete']]) {
    it(`sync ${options.join('')}: links to a deleted file stay, and are listed`, async () => {
      const { textOf } = await newOwner(`links-deleted${options.length}`);
      makeFolder('vault');
      await work.desk.json(0, 'sync', 'vault', ...options);
      const before = await textOf('index');
      rmSync(work.desk.path('vault/Second note.md'));
      rmSync(work.desk.path('vault/sub/My page.md'));
      for (const more of ['', '\nMore.\n', '']) {
        work.desk.write('vault/index.md', work.desk.read('vault/index.md') + more);
        const { results } = await work.desk.json(0, 'sync', 'vault', ...options);
        const { status, unresolved } = results.find(
          ({ file }: { file: string }) => file === 'vault/index.md',
        );
        assert.equal(status, more ? 'pushed' : 'unchanged');
        const gone = ['sub/My page.md', 'Second note', 'sub/My page'];
        assert.deepEqual(unresolved, more ? [...gone, 'gone.md'] : gone);
      }
      assert.equal(await textOf('index'), `${before}\nMore.\n`);
      assert.ok(work.desk.read('vault/index.md').endsWith(`${INDEX}\nMore.\n`));
    });
  }

  it('sync: links follow moved pictures; those that are deleted stay in documents', async () => {
    const { client, textOf } = await newOwner('links-pictures');
    makeFolder('vault');
    const notes = (folder: string) =>
      `![a](${folder}a.png) ![[${folder}a.png|9]] ![[img/c.png]] ![[b.png]]\n`;
    work.desk.write('vault/notes.md', notes('img/'));
    work.desk.write('vault/img/c.png', picture('c'));
    work.desk.write('vault/page.html', '<img src="img/a.png">\n');
    await work.desk.json(0, 'sync', 'vault');
    const before = await textOf('notes');
    const html = async () => (await client.get('/pages/links-pictures/page')).data.html;
    const page = await html();
    work.desk.move('vault/img/a.png', 'vault/new/part 1/a.png');
    work.desk.move('vault/notes.md', 'vault/sub/notes.md');
    rmSync(work.desk.path('vault/img/c.png'));
    for (const _ of [1, 2]) {
      const { results } = await work.desk.json(0, 'sync', 'vault');
      const { unresolved } = results.find(({ file }: { file: string }) => /notes/.test(file));
      assert.deepEqual(unresolved, ['img/c.png']);
      assert.match(work.desk.read('vault/index.md'), /!\[i\]\(new\/part%201\/a\.png\)/);
      assert.match(work.desk.read('vault/page.html'), /^<img src="new\/part%201\/a\.png">/);
      const local = '![a](../new/part%201/a.png) ![[a.png|9]] ![[img/c.png]] ![[b.png]]\n';
      assert.equal(work.desk.read('vault/sub/notes.md').split('---\n').at(-1), local);
      assert.equal(await html(), page);
    }
    const size = (text: string) => text.replace(/!\[[^\]]*\|9\]/, '![|9]');
    assert.equal(size(await textOf('notes')), size(before));
    assert.equal((await client.get('/user/files')).data.length, 3);
  });

  it('pull: a downloaded folder refers to its own files', async () => {
    const { client, textOf } = await newOwner('links-pull');
    makeFolder('vault');
    await work.desk.json(0, 'sync', 'vault');
    await work.desk.json(0, 'pull', 'links-pull', '--into', 'copy');
    assert.deepEqual(
      readdirSync(work.desk.path('copy'))
        .filter((name) => name !== '.briefs')
        .sort(),
      ['index.md', 'second-note.md', 'sub-my-page.md', 'sub-p.html'],
    );
    const copied = work.desk.read('copy/index.md');
    assert.match(copied, /\[sub\]\(sub-my-page\.md#part\), \[\[Second note\]\]/);
    const before = await textOf('index');
    for (const folder of ['copy', 'vault', 'copy']) {
      const again = await work.desk.json(0, 'sync', folder, '--with', 'links-pull');
      assert.ok(
        statusOf(again).every((status) => status === 'unchanged'),
        folder,
      );
    }
    assert.equal(await textOf('index'), before);
    // A renamed document: both folders follow, and settle.
    await client.patch('/briefs/links-pull/sub-my-page', { name: 'chapter' });
    for (const folder of ['vault', 'copy', 'vault', 'copy'])
      await work.desk.json(0, 'sync', folder);
    for (const folder of ['vault', 'copy']) {
      const again = await work.desk.json(0, 'sync', folder);
      assert.ok(
        statusOf(again).every((status) => status === 'unchanged'),
        folder,
      );
    }
    assert.match(await textOf('index'), /\[sub\]\(chapter\.md#part\)/);
    assert.equal(work.desk.read('vault/index.md').slice(-INDEX.length), INDEX);
    assert.match(work.desk.read('copy/index.md'), /\[sub\]\(sub-my-page\.md#part\)/);
  });

  it('push --no-remember: names choose the documents, and nothing is written', async () => {
    const { client, textOf } = await newOwner('links-ci');
    makeFolder('docs');
    const push = () =>
      work.desk.json(0, 'push', 'docs', '--to', 'links-ci', '--prefix', 'p-', '--no-remember');
    assert.deepEqual(statusOf(await push()), ['created', 'created', 'created', 'created']);
    assert.match(
      await textOf('p-index'),
      /\[sub\]\(p-sub-my-page\.md#part\), \[\[p-second-note\|Second note\]\]/,
    );
    assert.deepEqual(statusOf(await push()), ['unchanged', 'unchanged', 'unchanged', 'unchanged']);
    assert.ok(!existsSync(work.desk.path('docs/.briefs')));
    assert.equal((await client.get('/user/files')).data.length, 2);
  });

  it('status and --dry-run change nothing', async () => {
    const { client } = await newOwner('links-dry');
    makeFolder('vault');
    for (const args of [
      ['status', 'vault'],
      ['sync', 'vault', '--dry-run'],
      ['push', 'vault', '--dry-run'],
    ]) {
      assert.deepEqual(statusOf(await work.desk.json(0, ...args)), [
        'created',
        'created',
        'created',
        'created',
      ]);
    }
    assert.deepEqual((await client.get('/user/briefs')).data, []);
    assert.deepEqual((await client.get('/user/files')).data, []);
    assert.equal(work.desk.read('vault/index.md'), INDEX);
    assert.ok(!existsSync(work.desk.path('vault/.briefs')));
  });
});
