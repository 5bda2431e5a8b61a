import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { describe, it } from 'node:test';
import { createToken } from '../../src/core/identity/token-service.ts';
import type { Client } from '../harness.ts';
import { startWork, statusOf } from './work.ts';

describe('A file is linked to a document, not to a name:', () => {
  const work = startWork();
  let count = 0;

  /** Creates an owner with documents of their own, whose token the desk uses. */
  async function newOwner(): Promise<{ owner: string; client: Client }> {
    const owner = `owner-${++count}`;
    const client = await work.service.user(owner);
    work.desk.environment.BRIEFS_TOKEN = client.token as string;
    return { owner, client };
  }

  /** Returns an owner's briefs: name → text. */
  async function textsOf(client: Client): Promise<Record<string, string>> {
    const { data } = await client.get('/user/briefs?per_page=100');
    const texts: Record<string, string> = {};
    for (const { fullName, name } of data) {
      texts[name] = (await client.get(`/briefs/${fullName}`)).data.content;
    }
    return texts;
  }

  it('sync --with: a file with the name of a moved one becomes another document', async () => {
    const { owner, client } = await newOwner();
    work.desk.write('todo.md', '# October\n');
    await work.desk.json(0, 'sync', '.', '--with', owner);
    renameSync(work.desk.path('todo.md'), work.desk.path('todo-old.md'));
    work.desk.write('todo.md', '# November\n');
    const second = await work.desk.json(0, 'sync', '.', '--with', owner);
    assert.deepEqual(statusOf(second), ['unchanged', 'created']);
    await work.desk.json(0, 'sync', '.', '--with', owner);
    assert.deepEqual(await textsOf(client), { todo: '# October\n', 'todo-2': '# November\n' });
    assert.match(work.desk.read('todo-old.md'), /# October\n$/);
  });

  it('sync --with: two folders with different files of one name', async () => {
    const { owner, client } = await newOwner();
    work.desk.write('A/meet 2.md', '# A\n');
    work.desk.write('B/meet 2.md', '# B\n');
    for (const folder of ['A', 'B', 'A', 'B'])
      await work.desk.json(0, 'sync', folder, '--with', owner);
    assert.deepEqual(await textsOf(client), { 'meet-2': '# A\n', 'meet-2-2': '# B\n' });
    assert.match(work.desk.read('A/meet 2.md'), /# A\n$/);
    assert.match(work.desk.read('B/meet 2.md'), /# B\n$/);
  });

  it('push: files whose names give the same name all become documents', async () => {
    const { owner, client } = await newOwner();
    const composed = 'caf\u00e9';
    const files = ['a-b', 'a/b', 'README', 'readme', composed, composed.normalize('NFD')];
    for (const file of files) work.desk.write(`notes/${file}.md`, `${JSON.stringify(file)}\n`);
    for (const status of ['created', 'unchanged']) {
      const pushed = await work.desk.json(0, 'push', 'notes', '--to', owner);
      assert.deepEqual(
        statusOf(pushed),
        files.map(() => status),
      );
    }
    const texts = await textsOf(client);
    assert.deepEqual(
      Object.values(texts).sort(),
      files.map((file) => `${JSON.stringify(file)}\n`).sort(),
    );
    assert.ok(texts['a-b'] && texts['a-b-2'] && texts['readme-2'] && texts[`${composed}-2`]);
  });

  it('push --no-remember: such files are refused together, at every run', async () => {
    const { owner, client } = await newOwner();
    work.desk.write('notes/a-b.md', 'one\n');
    work.desk.write('notes/fine.md', 'fine\n');
    const push = (code: number) =>
      work.desk.json(code, 'push', 'notes', '--to', owner, '--no-remember');
    assert.deepEqual(statusOf(await push(0)), ['created', 'created']);
    work.desk.write('notes/a/b.md', 'two\n');
    for (const status of ['unchanged', 'unchanged']) {
      const { results } = await push(1);
      assert.deepEqual(statusOf({ results }), ['failed', 'failed', status]);
      const message = `notes/a/b.md and notes/a-b.md would be the same document, ${owner}/a-b. Rename one of them.`;
      assert.deepEqual([results[0].message, results[1].message], [message, message]);
    }
    assert.deepEqual(await textsOf(client), { 'a-b': 'one\n', fine: 'fine\n' });
  });

  it('push --no-remember: replaces only what the same token wrote', async () => {
    const { owner, client } = await newOwner();
    const push = (code: number, ...more: string[]) =>
      work.desk.json(code, 'push', 'notes', '--to', owner, '--no-remember', ...more);
    for (const [text, status] of [
      ['one', 'created'],
      ['two', 'pushed'],
      ['three', 'pushed'],
    ]) {
      work.desk.write('notes/report.md', `${text}\n`);
      assert.deepEqual(statusOf(await push(0)), [status]);
    }
    const { token } = await createToken(work.service.app.context, {
      username: owner,
      name: 'laptop',
      lifetimeMs: undefined,
    });
    await work.service.client(token).patch(`/briefs/${owner}/report`, { content: 'by hand\n' });
    work.desk.write('notes/report.md', 'four\n');
    const { results } = await push(3);
    assert.equal(
      results[0].message,
      `${owner} (token "laptop") wrote the text of ${owner}/report. Use --overwrite to replace it. The history keeps the old text.`,
    );
    assert.deepEqual(await textsOf(client), { report: 'by hand\n' });
    assert.deepEqual(statusOf(await push(0, '--overwrite')), ['pushed']);
    work.desk.write('notes/report.md', 'five\n');
    assert.deepEqual(statusOf(await push(0)), ['pushed']);
  });

  it('push --no-remember: a renamed document keeps its text, and the name gets a new one', async () => {
    const { owner, client } = await newOwner();
    const push = () =>
      work.desk.json(0, 'push', 'report.md', '--to', `${owner}/r`, '--no-remember');
    work.desk.write('report.md', 'one\n');
    await push();
    await client.patch(`/briefs/${owner}/r`, { name: 'kept' });
    work.desk.write('report.md', 'two\n');
    assert.deepEqual(statusOf(await push()), ['created']);
    assert.deepEqual(await textsOf(client), { kept: 'one\n', r: 'two\n' });
  });

  for (const command of ['push', 'sync']) {
    it(`${command}: follows its document if another has taken the name`, async () => {
      const { owner, client } = await newOwner();
      work.desk.write('plan25.md', '# 2025\n');
      await work.desk.json(0, 'push', 'plan25.md', '--to', `${owner}/roadmap`);
      await client.patch(`/briefs/${owner}/roadmap`, { name: 'roadmap-2025' });
      await client.post('/user/briefs', { name: 'roadmap', content: '# 2026\n' });
      appendFileSync(work.desk.path('plan25.md'), 'late note\n');
      const { results } = await work.desk.json(0, command, 'plan25.md');
      assert.equal(results[0].document, `${owner}/roadmap-2025`);
      assert.equal(results[0].message, `renamed from ${owner}/roadmap; the file keeps its name.`);
      const texts = { roadmap: '# 2026\n', 'roadmap-2025': '# 2025\nlate note\n' };
      assert.deepEqual(await textsOf(client), texts);
    });

    it(`${command}: writes nothing if its document is gone and another has the name`, async () => {
      const { owner, client } = await newOwner();
      for (const isTaken of [false, true]) {
        const name = `gone-${isTaken}`;
        work.desk.write(`${name}.md`, '# Mine\n');
        await work.desk.json(0, 'push', `${name}.md`);
        await client.delete(`/briefs/${owner}/${name}`);
        if (isTaken) await client.post('/user/briefs', { name, content: '# Theirs\n' });
        appendFileSync(work.desk.path(`${name}.md`), 'more\n');
        const before = work.desk.read(`${name}.md`);
        const { results } = await work.desk.json(1, command, `${name}.md`);
        assert.match(results[0].message, isTaken ? /is another document now/ : /was deleted/);
        assert.equal(work.desk.read(`${name}.md`), before);
        const made = await work.desk.json(isTaken ? 1 : 0, 'push', `${name}.md`, '--new');
        assert.deepEqual(statusOf(made), [isTaken ? 'failed' : 'created']);
        if (isTaken) await work.desk.json(0, 'push', `${name}.md`, '--new', '--to', `${owner}/n`);
      }
      const kept = { 'gone-false': '# Mine\nmore\n', 'gone-true': '# Theirs\n' };
      assert.deepEqual(await textsOf(client), { ...kept, n: '# Mine\nmore\n' });
    });
  }

  it('a copied file and its original are both refused, until --new makes one a new document', async () => {
    const { owner, client } = await newOwner();
    work.desk.write('orig.md', '# Original\n');
    work.desk.write('page.html', '<p>Original</p>');
    await work.desk.json(0, 'sync', '.');
    copyFileSync(work.desk.path('orig.md'), work.desk.path('new.md'));
    copyFileSync(work.desk.path('page.html'), work.desk.path('copy.html'));
    work.desk.write('new.md', work.desk.read('new.md').replace('Original', 'New note'));
    await client.patch(`/briefs/${owner}/orig`, { content: '# Original, longer\n' });
    const before = ['orig.md', 'new.md', 'page.html', 'copy.html'].map(work.desk.read);
    const whole = ['sync', '.', '--with', owner];
    for (const args of [['push', '.'], ['pull', owner], ['push', 'new.md'], whole]) {
      const { results } = await work.desk.json(3, ...args);
      const about = results.find(({ file }: { file: string }) => file === 'new.md');
      assert.equal(
        about.message,
        `new.md and orig.md are both linked to ${owner}/orig, so nothing was written. Push the copy with --new to make it a new document.`,
        args.join(' '),
      );
    }
    assert.deepEqual(['orig.md', 'new.md', 'page.html', 'copy.html'].map(work.desk.read), before);
    const { results } = await work.desk.json(0, 'push', 'new.md', '--new');
    assert.deepEqual([results[0].status, results[0].message], ['created', undefined]);
    await work.desk.json(0, 'push', 'copy.html', '--new');
    assert.equal((await work.desk.run('push', '.', '--new')).code, 2);
    await work.desk.json(0, 'sync', '.');
    const texts = { orig: '# Original, longer\n', new: '# New note\n' };
    assert.deepEqual(await textsOf(client), texts);
    // A moved file, and a copy of the whole folder, are no copies in this sense.
    renameSync(work.desk.path('orig.md'), work.desk.path('moved.md'));
    cpSync(work.desk.folder, `${work.desk.folder}-2`, { recursive: true });
    assert.ok(statusOf(await work.desk.json(0, 'sync', '.')).every((each) => each === 'unchanged'));
    assert.equal((await work.desk.run('sync', `${work.desk.folder}-2`)).code, 0);
  });

  it('a document that is renamed on the server keeps its file', async () => {
    const { owner, client } = await newOwner();
    work.desk.write('A/r.md', 'one\n');
    await work.desk.json(0, 'sync', 'A', '--with', owner);
    await work.desk.json(0, 'pull', owner, '--into', 'P');
    for (const [from, to] of [
      ['r', 'renamed'],
      ['renamed', 'renamed-2'],
    ]) {
      await client.patch(`/briefs/${owner}/${from}`, { name: to });
      await client.post('/user/briefs', { name: from, content: `new ${from}\n` });
      await work.desk.json(0, 'sync', 'A', '--with', owner);
      const { results } = await work.desk.json(0, 'pull', owner, '--into', 'P');
      const own = results.find(({ file }: { file: string }) => file === 'P/r.md');
      assert.equal(own.message, `renamed from ${owner}/${from}; the file keeps its name.`);
    }
    for (const folder of ['A', 'P']) {
      assert.deepEqual(readdirSync(work.desk.path(folder)).sort(), [
        '.briefs',
        'r-2.md',
        'r.md',
        'renamed.md',
      ]);
      assert.match(work.desk.read(`${folder}/r.md`), /renamed-2#.*\n---\none\n$/);
      assert.match(work.desk.read(`${folder}/r-2.md`), /new r\n$/);
    }
  });

  it('after a restored backup, revisions of the same number are not the same text', async () => {
    const { owner, client } = await newOwner();
    work.desk.write('log.md', 'one\n');
    await work.desk.json(0, 'push', 'log.md');
    // As if revision 3 had been another text, with 2 as its base.
    for (const content of ['two\n', 'three\n', 'four\n']) {
      await client.patch(`/briefs/${owner}/log`, { content });
    }
    const hash = createHash('sha256').update('lost\n').digest('hex').slice(0, 16);
    const line = work.desk.read('log.md').replace('#', `#3-${hash}-`);
    for (const text of ['lost\n', 'lost\nmore\n']) {
      const file = line.replace('one\n', text);
      work.desk.write('log.md', file);
      for (const command of ['pull', 'sync']) {
        assert.deepEqual(statusOf(await work.desk.json(3, command, 'log.md')), ['conflict']);
        assert.equal(work.desk.read('log.md'), file);
      }
      assert.match(work.desk.read('log.conflict.md'), new RegExp(`${text}=======\nfour\n`));
      rmSync(work.desk.path('log.conflict.md'));
    }
    assert.deepEqual(await textsOf(client), { log: 'four\n' });
  });

  it('a line of an earlier version counts if the document had its text', async () => {
    const { owner, client } = await newOwner();
    work.desk.write('old.md', 'one\ntwo\nthree\n');
    await work.desk.json(0, 'push', 'old.md');
    const syncedThere = () =>
      /^\S+ (\d+) (\S+)$/m.exec(work.desk.read('.briefs/synced'))?.slice(1).join('-');
    const withoutId = () =>
      work.desk.write('old.md', work.desk.read('old.md').replace(/#\S+/, `#${syncedThere()}`));
    withoutId();
    await client.patch(`/briefs/${owner}/old`, { content: 'ONE\ntwo\nthree\n' });
    appendFileSync(work.desk.path('old.md'), 'four\n');
    assert.deepEqual(statusOf(await work.desk.json(0, 'sync', 'old.md')), ['merged']);
    assert.match(work.desk.read('old.md'), /old#[0-9a-f-]{36}\n---\nONE\n/);
    withoutId();
    await client.delete(`/briefs/${owner}/old`);
    const texts = ['a\n', 'b\n', 'c\n'];
    await client.post('/user/briefs', { name: 'old', content: texts[0] });
    for (const content of texts.slice(1)) await client.patch(`/briefs/${owner}/old`, { content });
    appendFileSync(work.desk.path('old.md'), 'five\n');
    for (const command of ['pull', 'push', 'sync']) await work.desk.json(3, command, 'old.md');
    assert.deepEqual(await textsOf(client), { old: 'c\n' });
    assert.ok(existsSync(work.desk.path('old.conflict.md')));
  });
});
