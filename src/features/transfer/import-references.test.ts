import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { actorOf } from '../../../test/account/actors.ts';
import { streamOf, zip } from '../../../test/document/zip.ts';
import { PNG } from '../../../test/files/samples.ts';
import { type Client, startService } from '../../../test/harness.ts';
import { callOf } from '../../core/context.ts';
import { type ImportFate, importDocuments } from './import-service.ts';
import type { ImportOptions } from './import-target.ts';

describe('References between imported files', async () => {
  let users = 0;

  const service = await startService();
  after(() => service.stop());

  async function importZip(
    client: Client,
    files: Record<string, string | Buffer>,
    options: Partial<ImportOptions> = {},
  ): Promise<ImportFate[]> {
    const archive = await zip(files);
    async function* all() {
      yield { path: 'a.zip', bytes: streamOf(archive) };
    }
    const owner = { type: 'user', namespace: client.username } as const;
    const base = {
      visibility: 'private',
      ifTaken: 'skip',
      requireSession: async () => {},
    } as const;
    const { context } = service.app;
    const fates: ImportFate[] = [];
    const actor = await actorOf(client);
    for await (const fate of importDocuments(callOf(context, actor), owner, all(), {
      ...base,
      ...options,
    })) {
      fates.push(fate);
    }
    return fates;
  }

  const newUser = () => service.user(`ada${++users}`);
  const textOf = async (client: Client, name: string): Promise<string> =>
    (await client.get(`/briefs/${client.username}/${name}`)).data.content;
  const urlOf = (fates: ImportFate[], path: string): string => {
    const fate = fates.find((each) => each.path === `a.zip/${path}`);
    assert.equal(fate?.outcome, 'uploaded', path);
    return fate.url;
  };
  const unresolvedIn = (fates: ImportFate[], name: string) =>
    fates.flatMap((fate) =>
      fate.outcome === 'created' && fate.name === name ? fate.unresolved : [],
    );

  it('a picture with too many pixels stays out, of briefs and of pages', async () => {
    const ada = await newUser();
    const png = Buffer.from(PNG);
    png.writeUInt32BE(30_000, 16);
    png.writeUInt32BE(30_000, 20);
    for (const [name, text] of [
      ['p.html', '<!doctype html><img src="a.png">'],
      ['b.md', '![a](a.png)'],
    ] as const) {
      const fates = await importZip(ada, { [name]: text, 'a.png': png });
      const reasons = JSON.stringify(fates);
      assert.match(reasons, /was refused: .*at most 50 million pixels/, name);
    }
  });

  it('a picture in many places can’t fill the memory, and missing links don’t hide others', async () => {
    const ada = await newUser();
    const picture = Buffer.concat([PNG, Buffer.alloc(2_000_000)]);
    const html = '<img src=a.png>'.repeat(50_000);
    const [fate] = await importZip(ada, { 'p.html': html, 'a.png': picture });
    assert.equal(fate?.outcome, 'failed');
    assert.match(fate.reason, /with its pictures$/);
    const missing = Array.from({ length: 2_000 }, (_, index) => `[x](no-${index}.md)`).join('\n');
    const fates = await importZip(ada, {
      'many.md': `${missing}\n[a](docs/a.md) ![p](docs/p.png)`,
      'docs/a.md': '# A',
      'docs/p.png': PNG,
    });
    assert.equal(unresolvedIn(fates, 'many').length, 1_000);
    // What is there is found all the same.
    const last = `\n[a](a.md) ![p](${urlOf(fates, 'docs/p.png')})`;
    assert.equal(await textOf(ada, 'many'), missing + last);
  });

  it('of a folder of Markdown lead to the new briefs and uploads', async () => {
    const ada = await newUser();
    const fates = await importZip(ada, {
      'docs/README.md':
        '[d](chapter2/details.md) [i](Chapter%201/intro.md) [x](missing.md) ![n](no.png)',
      'docs/Chapter 1/intro.md':
        '[o](overview.md) [d](../chapter2/details.md#sec-a) [s](<./My File.md>) ![p](assets/pic.png)\n\n[r]\n\n[r]: /docs/README.md\n\n`[c](overview.md)`\n',
      'docs/Chapter 1/overview.md': '# O',
      'docs/Chapter 1/My File.md': '[up](..) <img src="assets/pic.png" width="9">',
      'docs/Chapter 1/assets/pic.png': PNG,
      'docs/chapter2/details.md':
        '[[My File]] [[Chapter 1/overview|over]] ![[pic.png|30]] [[nowhere]]',
      'docs/unused.png': PNG,
    });
    const url = urlOf(fates, 'docs/Chapter 1/assets/pic.png');
    assert.ok(url.startsWith(`${service.app.context.renderUrl}/files/`));
    assert.deepEqual(
      Buffer.from(await (await fetch(url)).arrayBuffer()).subarray(0, 4),
      PNG.subarray(0, 4),
    );
    assert.equal(
      await textOf(ada, 'readme'),
      '[d](details.md) [i](intro.md) [x](missing.md) ![n](no.png)',
    );
    assert.equal(
      await textOf(ada, 'intro'),
      `[o](overview.md) [d](details.md#sec-a) [s](my-file.md) ![p](${url})\n\n[r]\n\n[r]: readme.md\n\n\`[c](overview.md)\`\n`,
    );
    assert.equal(await textOf(ada, 'my-file'), `[up](readme.md) <img src="${url}" width="9">`);
    assert.equal(
      await textOf(ada, 'details'),
      `[[My File]] [[overview|over]] ![pic.png|30](${url}) [[nowhere]]`,
    );
    assert.deepEqual(unresolvedIn(fates, 'readme'), ['missing.md', 'no.png']);
    assert.deepEqual(unresolvedIn(fates, 'details'), ['[[nowhere]]']);
    // Only the last part of a long path counts, and two may be a folder that isn't there.
    const others = await importZip(ada, { 'paths.md': '[[a/b/details]] [[a/details]]' });
    assert.deepEqual(unresolvedIn(others, 'paths'), ['[[a/details]]']);
    const files = await ada.get('/user/files');
    assert.equal(files.data.length, 1, 'once, and only what is shown');
    assert.match(JSON.stringify(fates.at(-1)), /unused\.png.*no document refers to it/);
  });

  it('of pages: links lead to documents, pictures are inside', async () => {
    const ada = await newUser();
    const fates = await importZip(ada, {
      'site/index.html':
        '<a href="a.html#x">a</a><a href=b.md>b</a><img src="p.png"><link rel="stylesheet" href="s.css">',
      'site/a.html': '<title>A</title>',
      'site/b.md': '[a](a.html) [i](index.html)',
      'site/p.png': PNG,
      'site/s.css': 'a{}',
    });
    const { data } = await ada.get(`/pages/${ada.username}/index`);
    const [web, owner] = [service.webUrl, ada.username];
    assert.match(
      data.html,
      new RegExp(
        `^<a href="${web}/${owner}/pages/a#x">a</a><a href=${web}/read/${owner}/b>b</a><img src="data:image/png;base64,[\\w+/=]+">`,
      ),
    );
    assert.equal(await textOf(ada, 'b'), '[a](a.html) [i](index.html)');
    assert.deepEqual(unresolvedIn(fates, 'index'), ['s.css']);
  });

  it('with equal names lead to the right file, also when a name is taken', async () => {
    const ada = await newUser();
    const files = {
      'README.md': '[a](a/README.md) [b](b/README.md)',
      'a/README.md': '# A\n\n[up](../README.md)',
      'b/README.md': '# B',
    };
    await importZip(ada, files);
    assert.equal(await textOf(ada, 'readme'), '[a](a-readme.md) [b](b-readme.md)');
    assert.equal(await textOf(ada, 'a-readme'), '# A\n\n[up](readme.md)');
    await importZip(ada, files, { ifTaken: 'number' });
    assert.equal(await textOf(ada, 'readme-2'), '[a](a-readme-2.md) [b](b-readme-2.md)');
    assert.equal(await textOf(ada, 'a-readme-2'), '# A\n\n[up](readme-2.md)');
    const again = await importZip(ada, { ...files, 'new.md': '[[README]]' });
    assert.equal(again.filter(({ outcome }) => outcome === 'skipped').length, 3);
    assert.equal(await textOf(ada, 'new'), '[[README]]');
  });

  it('between the parts of an export that are archives in an archive are right', async () => {
    const ada = await newUser();
    const fates = await importZip(ada, {
      'Part-1.zip': await zip({ 'Home.md': '[plan](Space/Plan.md) ![x](Space/x.png)' }),
      'Part-2.zip': await zip({ 'Space/Plan.md': '[up](../Home.md)', 'Space/x.png': PNG }),
    });
    const url = urlOf(fates, 'Space/x.png');
    assert.equal(await textOf(ada, 'home'), `[plan](plan.md) ![x](${url})`);
    assert.equal(await textOf(ada, 'plan'), '[up](home.md)');
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`${at}.md`, 'x']));
    const refused = await importZip(ada, { 'a.zip': await zip(many), 'b.zip': await zip(many) });
    assert.match(
      JSON.stringify(refused),
      /b\.zip","outcome":"failed","reason":"makes it more than/,
    );
    assert.ok(refused.filter(({ outcome }) => outcome === 'created').length <= 600);
  });

  it('of an export of Notion are right without the ids in its names', async () => {
    const ada = await newUser();
    const [a, b, c] = ['a', 'b', 'c'].map((sign) => sign.repeat(32));
    await importZip(ada, {
      [`Plan ${a}.md`]: `[notes](Plan%20${a}/Notes%20${b}.md)`,
      [`Plan ${a}/Notes ${b}.md`]: `[up](../Plan%20${a}.md)`,
      [`Plan ${a}/Notes ${c}.md`]: '# Others',
    });
    assert.equal(await textOf(ada, 'plan'), '[notes](notes.md)');
    assert.equal(await textOf(ada, 'notes'), '[up](plan.md)');
    assert.equal(await textOf(ada, 'plan-notes'), '# Others');
  });

  it('pictures that are written into a brief are uploaded, however large they make its file', async () => {
    const ada = await newUser();
    const data = `data:image/png;base64,${PNG.toString('base64')}`;
    const large = `data:image/png;base64,${Buffer.concat([PNG, Buffer.alloc(800_000)]).toString('base64')}`;
    const svg = `data:image/svg+xml;base64,${'A'.repeat(400)}`;
    const fates = await importZip(ada, {
      'a.md': `![x](${data}) ![y][p] <img src="${data}" alt="z"> ![s](${svg})\n\n[p]: ${data}`,
      'b.md': `# B\n\n![x](${large})`,
      'c.html': `<p><img src="${data}">`,
      'd.md': `\`![x](${data})\``,
    });
    const text = await textOf(ada, 'a');
    const [, url = ''] = /^!\[x\]\((http[^)]+\.png)\)/.exec(text) ?? [];
    assert.equal(
      text,
      `![x](${url}) ![y][p] <img src="${url}" alt="z"> ![s](${svg})\n\n[p]: ${url}`,
    );
    assert.equal((await fetch(url)).headers.get('content-type'), 'image/png');
    assert.deepEqual(
      unresolvedIn(fates, 'a').map((each) => each.slice(0, 14)),
      ['data:image/svg'],
    );
    assert.match(await textOf(ada, 'b'), /^# B\n\n!\[x\]\(http[^)]+\.png\)$/);
    assert.ok((await ada.get(`/pages/${ada.username}/c`)).data.html.includes(data));
    assert.ok((await textOf(ada, 'd')).includes(data));
  });

  it('to files that can’t be uploaded stay, and the file says why', async () => {
    const ada = await newUser();
    const fates = await importZip(ada, {
      'a.md': '![x](x.svg) [y](y.exe) [z](z.txt)',
      'x.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'y.exe': Buffer.from([0x4d, 0x5a, 0, 1, 2, 3]),
      'z.txt': 'text',
    });
    assert.equal(await textOf(ada, 'a'), `![x](x.svg) [y](y.exe) [z](${urlOf(fates, 'z.txt')})`);
    assert.deepEqual(unresolvedIn(fates, 'a'), ['x.svg', 'y.exe']);
    assert.match(JSON.stringify(fates), /x\.svg","outcome":"failed","reason":"was refused: .*SVG/);
  });
});
