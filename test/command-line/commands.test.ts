import { strict as assert } from 'node:assert';
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../process.ts';
import { until } from '../until.ts';
import { startSlowServer } from './slow-server.ts';
import { startWork, statusOf } from './work.ts';

describe('Commands without files', () => {
  const work = startWork();

  it('whoami, ls, search, cat', async () => {
    const { name } = await work.pushNew('# Zirkon\n\nOne.\n');
    const { webUrl } = work.service;
    const who = await work.desk.json(0, 'whoami');
    assert.deepEqual(who, { server: webUrl, username: 'ada' });
    const { documents } = await work.desk.json(0, 'ls');
    assert.equal(documents[0].document, `ada/${name}`);
    assert.equal(documents[0].visibility, 'private');
    assert.match(
      (await work.desk.run('ls', 'ada')).stdout,
      new RegExp(`^private .* ada/${name}$`, 'm'),
    );
    const found = async () => (await work.desk.json(0, 'search', 'zirkon', 'one')).documents;
    while ((await found()).length === 0) await sleep(100);
    assert.equal((await found())[0].fullName, `ada/${name}`);
    assert.equal((await work.desk.run('cat', `ada/${name}`)).stdout, '# Zirkon\n\nOne.\n');
    assert.equal((await work.desk.json(0, 'cat', `${name}.md`)).revision, 1);
  });

  it('share, mv, rm', async () => {
    const { name, file } = await work.pushNew('# Plan\n');
    assert.equal((await work.desk.json(0, 'share', file)).visibility, 'private');
    const shared = await work.desk.json(0, 'share', file, '--visibility', 'public');
    assert.deepEqual(shared, {
      document: `ada/${name}`,
      url: `${work.service.webUrl}/ada/${name}`,
      visibility: 'public',
    });
    assert.equal((await work.desk.run('share', file, '--visibility', 'secret')).code, 2);
    await work.service.user('grace-share');
    await work.desk.json(0, 'share', file, '--invite', 'grace-share', '--permission', 'write');
    assert.equal((await work.desk.json(0, 'mv', file, `${name}-b`)).document, `ada/${name}-b`);
    await work.ada.post('/user/orgs', { namespace: 'engines-mv', name: 'Engines' });
    const moved = await work.desk.json(0, 'mv', `ada/${name}-b`, 'engines-mv/plan');
    assert.equal(moved.document, 'engines-mv/plan');
    assert.equal((await work.desk.json(1, 'mv', 'ada/none', 'x')).error.code, 'NOT_FOUND');
    assert.equal((await work.desk.json(2, 'mv', 'engines-mv/plan', 'a/b/c')).results, undefined);
    const none = await work.desk.json(1, 'ls', 'nobody-here');
    assert.equal(none.error.message, 'There is no user or organization “nobody-here”.');
    // One that isn't there doesn't stop the others. The file finds its document by its id.
    const { results: both } = await work.desk.json(
      1,
      'rm',
      'ada/nothing-here',
      'ada/nothing-there',
    );
    assert.deepEqual(statusOf({ results: both }), ['failed', 'failed']);
    const { results } = await work.desk.json(0, 'rm', file);
    assert.deepEqual([results[0].status, results[0].document], ['deleted', 'engines-mv/plan']);
    assert.equal((await work.ada.get('/briefs/engines-mv/plan')).status, 404);
    assert.ok(existsSync(work.desk.path(file)));
    const gone = await work.desk.json(1, 'sync', file);
    assert.match(gone.results[0].message, /was deleted, .*Delete the file, or push it with --new/);
  });

  it('diff compares with the document', async () => {
    const { name, file } = await work.pushNew('# Plan\n\nOne.\n');
    assert.equal((await work.desk.run('diff', file)).stdout, '');
    appendFileSync(work.desk.path(file), 'Two.\n');
    work.desk.write('aa-latin1.md', Buffer.from('# Caf\xe9\n', 'latin1'));
    const { stdout, stderr, code } = await work.desk.run('diff', '.');
    assert.match(stderr, /^aa-latin1\.md: it is not UTF-8\.$/m);
    assert.equal(code, 1);
    rmSync(work.desk.path('aa-latin1.md'));
    assert.match(stdout, new RegExp(`^--- ada/${name}\n\\+\\+\\+ ${file}\n`));
    assert.match(stdout, /^\+Two\.$/m);
  });

  it('push -: what a program writes, for a brief or a page', async () => {
    const name = work.fresh();
    const push = async (text: string, to: string, code = 0) => {
      const outcome = await work.desk.start(['--json', 'push', '-', '--to', to], {}, text).ended;
      assert.equal(outcome.code, code, outcome.stdout + outcome.stderr);
      return JSON.parse(outcome.stdout);
    };
    assert.deepEqual(statusOf(await push('# One\n', `ada/${name}`)), ['created']);
    assert.deepEqual(statusOf(await push('# Two\n', `ada/${name}`)), ['pushed']);
    assert.deepEqual(statusOf(await push('# Two\n', `ada/${name}`)), ['unchanged']);
    assert.equal((await work.contentOf(name)).text, '# Two\n');
    assert.match((await push('', `ada/${name}`, 1)).results[0].message, /is empty/);
    await push('<p>Page</p>', `ada/pages/${name}`);
    assert.equal((await work.contentOf(name, 'pages')).text, '<p>Page</p>');
    assert.match((await push('# Three\n', 'ada', 2)).error.message, /needs --to OWNER\/NAME/);
  });

  it('wrong usage is exit code 2, says what is right, and is an object with --json', async () => {
    const { file } = await work.pushNew('# Plan\n');
    const cases: [string[], RegExp][] = [
      [['push'], /missing required argument/],
      [['push', file, '--visibility', 'secret'], /Allowed choices are/],
      [[], /./],
      [['psuh', file], /unknown command 'psuh'\n?.*push/],
      [['push', file, '--visiblity', 'public'], /unknown option '--visiblity'\n?.*--visibility/],
      [['wait', file, '--for', 'thread.opend'], /“thread\.opend” is no event\. .*thread\.opened/],
      [['wait', file, '--for', 'thread.opened,,'], /“” is no event/],
      [['wait', file, '--after', 'now'], /Use a number/],
      [['pull', 'ada', '--into', file], /isn’t a folder/],
      [['sync', file, '--with', 'ada'], /--with needs one folder/],
      [['sync', file, '--delete'], /--delete needs one folder/],
      [['push', file, '--no-remember'], /needs --to/],
      [['sync', '--watch', '--dry-run', '.'], /doesn’t go with/],
      [['comment', file, 'x', '--resolve'], /needs --thread/],
    ];
    for (const [args, problem] of cases) {
      const { error } = await work.desk.json(2, ...args);
      assert.match(error.message, problem, args.join(' '));
    }
    work.desk.write('-n.md', '# Dash\n');
    assert.deepEqual(statusOf(await work.desk.json(0, 'push', '--', '-n.md')), ['created']);
    const list = await work.desk.json(1, 'push', '.', 'missing.md');
    assert.match(list.error.message, /^missing\.md: there is no such file/);
  });

  it('a proxy is used, except for what NO_PROXY names', async () => {
    const seen: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket) => {
      seen.push(request.url ?? '');
      const [host, port] = (request.url ?? '').split(':');
      const there = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        there.pipe(socket).pipe(there);
      });
      for (const each of [there, socket]) each.on('error', () => {});
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const HTTP_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    try {
      const through = await work.desk.start(['whoami'], { HTTP_PROXY }).ended;
      assert.equal(through.code, 0, through.stderr);
      assert.ok(seen.length > 0);
      const before = seen.length;
      const around = await work.desk.start(['whoami'], { HTTP_PROXY, NO_PROXY: 'localhost' }).ended;
      assert.equal(around.code, 0, around.stderr);
      assert.equal(seen.length, before);
      const wrong = { HTTP_PROXY: 'http://127.0.0.1:1' };
      assert.match((await work.desk.start(['whoami'], wrong).ended).stderr, /doesn’t answer/);
    } finally {
      proxy.close();
      proxy.closeAllConnections();
    }
  });
});

describe('Folders', () => {
  const work = startWork();

  async function newOwner(name: string) {
    const client = await work.service.user(name);
    work.desk.environment.BRIEFS_TOKEN = client.token as string;
    const names = async () =>
      (await client.get('/user/briefs?per_page=100')).data
        .map((each: { name: string }) => each.name)
        .sort();
    return { client, names };
  }

  it('.briefsignore and --exclude leave files out, and their documents aren’t downloaded', async () => {
    const { client, names } = await newOwner('ignores');
    for (const file of ['a', 'b.draft', 'keep.draft', 'old/c', 'sub/d', 'sub/e', 'x']) {
      work.desk.write(`v/${file}.md`, `# ${file}\n`);
    }
    work.desk.write('v/.briefsignore', '*.draft.md\n!keep.draft.md\n/old/\n');
    work.desk.write('v/sub/.briefsignore', 'e.md\n');
    const sync = ['sync', 'v', '--with', 'ignores', '--exclude', 'x.*'];
    await work.desk.json(0, ...sync);
    assert.deepEqual(await names(), ['a', 'keep.draft', 'sub-d']);
    // A file that is ignored later keeps its document to itself.
    work.desk.write('v/.briefsignore', '*.draft.md\n/old/\n/a.md\n');
    await client.patch('/briefs/ignores/a', { content: '# Changed\n' });
    await client.post('/user/briefs', { name: 'new.draft', content: '# N\n' });
    const { results } = await work.desk.json(0, ...sync);
    assert.deepEqual(statusOf({ results }), ['unchanged']);
    assert.match(work.desk.read('v/a.md'), /# a\n$/);
    assert.ok(!existsSync(work.desk.path('v/new.draft.md')));
    // A named file isn't ignored.
    assert.deepEqual(statusOf(await work.desk.json(0, 'push', 'v/x.md')), ['created']);
  });

  it('sync --delete: follows deletions on both sides, to the trash', async () => {
    const { client, names } = await newOwner('deletes');
    for (const name of ['a', 'b', 'c', 'd']) work.desk.write(`v/${name}.md`, `# ${name}\n`);
    const sync = ['sync', 'v', '--with', 'deletes', '--delete'];
    await work.desk.json(0, ...sync);
    rmSync(work.desk.path('v/a.md'));
    renameSync(work.desk.path('v/b.md'), work.desk.path('v/moved.md'));
    await client.delete('/briefs/deletes/c');
    const planned = await work.desk.json(0, ...sync, '--dry-run');
    const done = await work.desk.json(0, ...sync);
    for (const { results } of [planned, done]) {
      const deleted = results.filter(({ status }: { status: string }) => status === 'deleted');
      assert.deepEqual(
        deleted.map(({ file }: { file: string }) => file),
        ['v/a.md', 'v/c.md'],
      );
    }
    assert.deepEqual(await names(), ['b', 'd']);
    assert.equal((await client.get('/user/trash')).data.length, 2);
    assert.ok(!existsSync(work.desk.path('v/c.md')));
    assert.match(work.desk.read('v/.briefs/trash/c.md'), /# c\n$/);
    // What changed on the other side stays.
    rmSync(work.desk.path('v/d.md'));
    await client.patch('/briefs/deletes/d', { content: '# d, changed\n' });
    appendFileSync(work.desk.path('v/moved.md'), 'Mine.\n');
    await client.delete('/briefs/deletes/b');
    const { results } = await work.desk.json(0, ...sync);
    assert.deepEqual(
      results.map(({ file, status }: { file: string; status: string }) => `${file} ${status}`),
      ['v/d.md skipped', 'v/d.md pulled', 'v/moved.md skipped'],
    );
    assert.match(work.desk.read('v/d.md'), /# d, changed\n$/);
  });

  it('sync --delete: deletes nothing if most is gone', async () => {
    const { client, names } = await newOwner('careful');
    const all = Array.from({ length: 8 }, (_, index) => `n${index}`);
    for (const name of all) work.desk.write(`v/${name}.md`, `# ${name}\n`);
    await work.desk.json(0, 'sync', 'v', '--delete');
    for (const name of all.slice(1))
      renameSync(work.desk.path(`v/${name}.md`), work.desk.path(`${name}.md`));
    const { stderr, code } = await work.desk.run('sync', 'v', '--delete');
    assert.deepEqual(
      [code, stderr],
      [0, '7 of 8 files are gone, so their documents were not deleted.\n'],
    );
    assert.deepEqual(await names(), all);
    for (const name of all) await client.delete(`/briefs/careful/${name}`);
    for (const name of all.slice(1))
      renameSync(work.desk.path(`${name}.md`), work.desk.path(`v/${name}.md`));
    const { results } = await work.desk.json(1, 'sync', 'v', '--delete');
    assert.ok(statusOf({ results }).every((status) => status === 'failed'));
    assert.match(results[0].message, /^8 of 8 documents can’t be found, so no file was deleted\.$/);
  });

  it('sync --watch: follows changes on both sides', async () => {
    const { client } = await newOwner('watches');
    work.desk.write('v/a.md', '# A\n');
    const started = work.desk.start(['sync', 'v', '--watch', '--with', 'watches']);
    const until = (what: () => Promise<boolean> | boolean) =>
      within(
        (async () => {
          while (!(await what())) await sleep(100);
        })(),
        started.stdout(),
      );
    try {
      await until(() => started.stdout().includes('created'));
      await sleep(500);
      await client.post('/user/briefs', { name: 'later', content: '# Later\n' });
      const other = await work.service.user('watches-2');
      assert.equal((await other.get('/user')).status, 200);
      appendFileSync(work.desk.path('v/a.md'), 'More.\n');
      await until(
        async () => (await client.get('/briefs/watches/a')).data.content === '# A\nMore.\n',
      );
      await until(() => existsSync(work.desk.path('v/later.md')));
    } finally {
      started.kill('SIGINT');
    }
    assert.equal((await started.ended).code, 130);
  });

  it('sync --watch: hears that the server is back without an event', async (t) => {
    const { client } = await newOwner('returns');
    work.desk.write('back/a.md', '# A\n');
    /** Those that weren't answered. */
    const asked: string[] = [];
    let isAway = false;
    const server = await startSlowServer(work.service.webUrl, async (_, path) => {
      if (!isAway || !path.startsWith('/api/user/events')) return;
      asked.push(path);
      throw new Error('away');
    });
    t.after(() => server.stop());
    const started = work.desk.start(['sync', 'back', '--watch', '--server', server.url]);
    t.after(() => started.kill('SIGKILL'));
    await until('the file is a document', () => started.stdout().includes('created'));
    isAway = true;
    await client.post('/user/briefs', { name: 'later', content: '# Later\n' });
    await until('it has tried again', () => asked.length > 1);
    assert.match(asked[0] ?? '', /after=\d+&wait=/);
    assert.match(asked[1] ?? '', /after=\d+$/);
    assert.match(started.stderr(), /\w\. What isn’t synced is synced later\.$/m);
  });

  it('other line breaks and a byte order mark: the file keeps them, and they are no change', async () => {
    const { client } = await newOwner('breaks');
    work.desk.write('crlf.md', '# C\r\n\r\none\r\ntwo\r\nthree\r\nfour\r\n');
    work.desk.write('bom.md', '\ufeff# B\n');
    await work.desk.json(0, 'push', '.');
    assert.equal((await client.get('/briefs/breaks/bom')).data.content, '# B\n');
    assert.ok(work.desk.read('bom.md').startsWith('\ufeff---\nbriefs: '));
    // The editor saves LF.
    await client.patch('/briefs/breaks/crlf', { content: '# C\n\none\ntwo\nthree\nfour\n' });
    assert.deepEqual(statusOf(await work.desk.json(0, 'sync', '.')), ['unchanged', 'unchanged']);
    await client.patch('/briefs/breaks/crlf', { content: '# C\n\nONE\ntwo\nthree\nfour\n' });
    work.desk.write('crlf.md', work.desk.read('crlf.md').replace('four', 'FOUR'));
    assert.deepEqual(statusOf(await work.desk.json(0, 'sync', 'crlf.md')), ['merged']);
    assert.match(work.desk.read('crlf.md'), /\r\n# C\r\n\r\nONE\r\ntwo\r\nthree\r\nFOUR\r\n$/);
    assert.equal(
      (await client.get('/briefs/breaks/crlf')).data.content,
      '# C\r\n\r\nONE\r\ntwo\r\nthree\r\nFOUR\r\n',
    );
    await client.patch('/briefs/breaks/crlf', { content: '# C\n\nTHEIRS\ntwo\nthree\nFOUR\n' });
    work.desk.write('crlf.md', work.desk.read('crlf.md').replace('ONE', 'MINE'));
    await work.desk.json(3, 'sync', 'crlf.md');
    assert.match(
      work.desk.read('crlf.conflict.md'),
      /\r\n<<<<<<< yours\r\nMINE\r\n=======\r\nTHEIRS\r\n>>>>>>> revision \d\r\ntwo\r\n/,
    );
    work.desk.write('mixed.md', '# M\r\n\r\nb\nc\r\nd\n');
    await work.desk.json(0, 'push', 'mixed.md');
    await client.patch('/briefs/breaks/mixed', { content: '# M\r\n\r\nb\nc\r\nd\nMore.\n' });
    await work.desk.json(0, 'pull', 'mixed.md');
    assert.match(work.desk.read('mixed.md'), /\n# M\r\n\r\nb\nc\r\nd\nMore\.\r?\n$/);
    await client.patch('/briefs/breaks/bom', { content: '# B\n\nMore.\n' });
    assert.deepEqual(statusOf(await work.desk.json(0, 'pull', 'bom.md')), ['pulled']);
    assert.match(work.desk.read('bom.md'), /^\ufeff---\n.*\n---\n# B\n\nMore\.\n$/);
  });

  it('Git merges what both branches have synced, and each keeps its base', async () => {
    const { client } = await newOwner('branches');
    const git = (...args: string[]) => {
      const identity = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com'];
      execFileSync('git', [...identity, ...args], { cwd: work.desk.folder, stdio: 'pipe' });
    };
    const change = async (from: string, to: string) => {
      work.desk.write('g.md', work.desk.read('g.md').replace(from, to));
      await work.desk.json(0, 'sync', '.');
      git('add', '-A');
      git('commit', '-qm', `to ${to}`);
    };
    git('init', '-q', '-b', 'main');
    work.desk.write('g.md', 'one\n\ntwo\n\nthree\n');
    await change('', '');
    git('checkout', '-qb', 'x');
    await change('one', 'ONE');
    git('checkout', '-q', 'main');
    // The older text has the older state, so it doesn't replace the newer one.
    assert.deepEqual(statusOf(await work.desk.json(0, 'status', '.')), ['pulled']);
    await change('three', 'THREE');
    git('merge', '-q', 'x');
    await work.desk.json(0, 'sync', '.');
    const text = 'ONE\n\ntwo\n\nTHREE\n';
    assert.ok(work.desk.read('g.md').endsWith(`---\n${text}`));
    assert.equal((await client.get('/briefs/branches/g')).data.content, text);
  });

  it('a file that can’t be a document is skipped in a folder, and fails alone', async () => {
    await newOwner('skips');
    work.desk.write('s/utf16.md', Buffer.from('\ufeffx', 'utf16le'));
    work.desk.write('s/long.md', 'x'.repeat(1_000_000));
    work.desk.write('s/gone.md', 'gone\n');
    const planned = await work.desk.run('status', 's');
    assert.equal(planned.stderr, '3 files: 1 create, 2 skipped.\n');
    const first = await work.desk.json(0, 'sync', 's');
    assert.deepEqual(statusOf(first), ['created', 'skipped', 'skipped']);
    await work.desk.json(0, 'rm', 'skips/gone');
    const again = await work.desk.json(0, 'sync', 's');
    assert.deepEqual(statusOf(again), ['skipped', 'skipped', 'skipped']);
    assert.match(again.results[0].message, /push it with --new/);
    for (const name of ['utf16', 'long', 'gone']) await work.desk.json(1, 'sync', `s/${name}.md`);
  });

  it('links between new files need no second revision', async () => {
    const { client } = await newOwner('linking');
    work.desk.write('l/a.md', 'to [b](sub/b.md)\n');
    work.desk.write('l/sub/b.md', 'to [a](../a.md)\n');
    await work.desk.json(0, 'sync', 'l');
    for (const [name, content] of [
      ['a', 'to [b](sub-b.md)\n'],
      ['sub-b', 'to [a](a.md)\n'],
    ]) {
      const { data, headers } = await client.get(`/briefs/linking/${name}`);
      assert.deepEqual([data.content, headers.get('x-revision')], [content, '1']);
    }
    assert.deepEqual(statusOf(await work.desk.json(0, 'sync', 'l')), ['unchanged', 'unchanged']);
  });

  it('a key of the text that is named like the line is no link', async () => {
    const { client } = await newOwner('own-keys');
    const text = '---\nbriefs: https://example.com/a/b\n---\n# Own\n';
    work.desk.write('own.md', text);
    await work.desk.json(0, 'push', 'own.md');
    assert.equal((await client.get('/briefs/own-keys/own')).data.content, text);
    assert.deepEqual(statusOf(await work.desk.json(0, 'sync', 'own.md')), ['unchanged']);
  });

  it('resolve: replaces the file, but not if it was changed since', async () => {
    const { name, file } = await work.pushNew('# Plan\n\nOne.\n');
    await work.editThere(name, '# Plan\n\nTheirs.\n');
    work.desk.write(file, work.desk.read(file).replace('One.', 'Mine.'));
    await work.desk.json(3, 'push', file);
    const marked = `${name}.conflict.md`;
    const still = await work.desk.json(1, 'resolve', file);
    assert.match(still.results[0].message, /still has conflict marks/);
    const resolved = work.desk.read(marked).replace(/<<<[\s\S]*>>>>>>> revision 2/, 'Both.');
    work.desk.write(marked, resolved);
    const earlier = work.desk.read(file);
    appendFileSync(work.desk.path(file), 'Later edit.\n');
    const refused = await work.desk.json(1, 'resolve', file);
    assert.match(refused.results[0].message, /^it was changed after .* Copy the changes to/);
    assert.match(work.desk.read(file), /Later edit/);
    work.desk.write(file, earlier);
    assert.deepEqual(statusOf(await work.desk.json(0, 'resolve', file)), ['pushed']);
    assert.ok(!existsSync(work.desk.path(marked)));
    assert.equal((await work.contentOf(name)).text, '# Plan\n\nBoth.\n');
    assert.match((await work.desk.json(1, 'resolve', file)).results[0].message, /no conflict/);
    // A file with such a name that shows no conflict is named.
    work.desk.write('v/Meeting.conflict.md', '# Meeting\n');
    const { results } = await work.desk.json(0, 'push', 'v');
    assert.deepEqual(results[0].status, 'skipped');
  });
});
