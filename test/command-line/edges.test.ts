import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWork, statusOf } from './work.ts';

describe('Files from a shell: edge cases', () => {
  const work = startWork();

  it('a push whose response was lost can be repeated', async () => {
    const { name, file } = await work.pushNew('# Plan\n');
    const created = work.desk.read(file);
    work.desk.write(file, '# Plan\n');
    assert.deepEqual(statusOf(await work.desk.json(0, 'push', file)), ['unchanged']);
    assert.equal(work.desk.read(file), created);
    work.desk.write(file, `${created}\nMore.\n`);
    await work.desk.json(0, 'push', file);
    const pushed = work.desk.read(file);
    work.desk.write(file, `${created}\nMore.\n`);
    await work.desk.json(0, 'push', file);
    assert.equal(work.desk.read(file), pushed);
    assert.equal((await work.contentOf(name)).revision, 2);
  });

  it('odd names, other line endings, and files that aren’t text', async () => {
    work.desk.write('odd/Ünïcode & spaces — (1).md', '# Odd\r\n\r\nText.\r\n');
    work.desk.write("odd/quote'$(x);.md", '# Quote\n');
    work.desk.write('odd/###.md', '# None\n');
    work.desk.write('odd/latin1.md', Buffer.from('# Caf\xe9\n', 'latin1'));
    work.desk.write('odd/empty-front.md', '---\n---\n# Empty\n');
    const { results } = await work.desk.json(0, 'push', 'odd');
    const of = (file: string) => results.find((each: { file: string }) => each.file === file);
    assert.equal(of('odd/latin1.md').message, 'it is not UTF-8.');
    assert.match(of('odd/###.md').message, /no letter or digit/);
    const odd = of('odd/Ünïcode & spaces — (1).md');
    assert.equal(odd.status, 'created');
    const sent = await work.ada.get(`/briefs/${odd.document}`);
    assert.equal(sent.data.content, '# Odd\r\n\r\nText.\r\n');
    assert.equal(of("odd/quote'$(x);.md").status, 'created');
    const again = await work.desk.json(0, 'sync', 'odd');
    assert.equal(statusOf(again).filter((status) => status === 'unchanged').length, 3);
    assert.match(
      work.desk.read('odd/empty-front.md'),
      /^---\nbriefs: .*\n---\n---\n---\n# Empty\n$/,
    );
  });

  it('symbolic links in folders are not followed', async () => {
    work.desk.write('secret.md', '# Secret\n');
    work.desk.write('notes/a.md', '# A\n');
    symlinkSync(work.desk.path('secret.md'), work.desk.path('notes/link.md'));
    symlinkSync(work.desk.folder, work.desk.path('notes/loop'));
    const { results } = await work.desk.json(0, 'push', 'notes', '--prefix', `${work.fresh()}-`);
    assert.deepEqual(
      results
        .map(({ file, status }: { file: string; status: string }) => `${file} ${status}`)
        .sort(),
      ['notes/a.md created', 'notes/link.md skipped'],
    );
    // A pull doesn't write through a symbolic link either.
    const { name } = await work.pushNew('# There\n');
    mkdirSync(work.desk.path('in'));
    symlinkSync(work.desk.path('secret.md'), work.desk.path(`in/${name}.md`));
    const pulled = await work.desk.json(1, 'pull', `ada/${name}`, '--into', 'in');
    assert.match(pulled.results[0].message, /symbolic link/);
    assert.equal(work.desk.read('secret.md'), '# Secret\n');
  });

  it('a reader that stops reading doesn’t end the work', async () => {
    const names = Array.from({ length: 12 }, () => work.fresh());
    for (const name of names) work.desk.write(`piped/${name}.md`, `# ${name}\n`);
    // The service runs in this process, so it must not be blocked.
    const child = spawn('bash', ['-o', 'pipefail', '-c', 'briefs push piped | true'], {
      cwd: work.desk.folder,
      env: work.desk.environment,
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 0);
    for (const name of names) assert.equal((await work.contentOf(name)).revision, 1);
  });

  it('Ctrl-C leaves every file complete', async () => {
    await work.ada.post('/user/orgs', { namespace: 'archive-test', name: 'Archive' });
    const text = '# Long\n\n'.padEnd(300_000, 'A line of text.\n');
    for (let index = 0; index < 8; index++) {
      await work.ada.post('/orgs/archive-test/briefs', { name: `long-${index}`, content: text });
    }
    for (const [round, ms] of [200, 300, 400, 500].entries()) {
      const started = work.desk.start(['pull', 'archive-test', '--into', `in-${round}`]);
      await sleep(ms);
      started.kill('SIGINT');
      await started.ended;
      mkdirSync(work.desk.path(`in-${round}`), { recursive: true });
      for (const file of readdirSync(work.desk.path(`in-${round}`))) {
        // What was synced is kept beside the files.
        if (file === '.briefs') continue;
        assert.match(file, /^long-\d\.md$/);
        assert.ok(work.desk.read(`in-${round}/${file}`).endsWith(text), file);
      }
    }
    const { results } = await work.desk.json(0, 'pull', 'archive-test', '--into', 'in-3');
    assert.equal(results.length, 8);
  });

  it('comment, comments, open: on a pushed file', async () => {
    const { name, file } = await work.pushNew('# Plan\n\nOne passage.\n');
    const { thread } = await work.desk.json(
      0,
      'comment',
      file,
      'Which one?',
      '--on',
      'One passage.',
    );
    await work.desk.json(0, 'comment', file, 'On everything.');
    await work.desk.json(0, 'comment', `ada/${name}`, 'This one.', '--thread', thread, '--resolve');
    const { threads } = await work.desk.json(0, 'comments', file);
    assert.deepEqual(
      threads.map((each: { on: unknown }) => each.on),
      [null],
    );
    // No line of a comment begins with what it says, which could be a command in a build log.
    await work.desk.json(0, 'comment', file, 'One.\n::error::Two.');
    const printed = await work.desk.run('comments', file);
    assert.match(printed.stdout, /^ {2}ada: One\.\n {2}\| ::error::Two\.$/m);
    const { headers } = await work.ada.get(`/briefs/ada/${name}/threads`);
    assert.doesNotMatch(headers.get('link') ?? '', /next/);
    for (let count = 0; count < 100; count++) {
      await work.ada.post(`/briefs/ada/${name}/threads`, { body: `${count}` });
    }
    assert.equal((await work.desk.json(0, 'comments', file)).threads.length, 102);
    const shown = await work.desk.run('open', file, '--print');
    assert.equal(shown.stdout, `${work.service.webUrl}/ada/${name}\n`);
    const missing = await work.desk.run('comment', file, 'x', '--on', 'no such passage');
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /^briefs: on\.quote/);
  });

  it('wait: ends at the requested event or the timeout', async () => {
    const { name, file } = await work.pushNew('# Plan\n\nOne.\n');
    const { data } = await work.ada.get(`/briefs/ada/${name}/events`);
    const after = ['--after', String(data.cursor)];
    const waiting = work.desk.start([
      '--json',
      'wait',
      file,
      '--for',
      'thread.opened',
      '--timeout',
      '30s',
      ...after,
    ]);
    // By now, it is most likely waiting.
    await sleep(500);
    await work.editThere(name, '# Plan\n\nTwo.\n');
    await work.ada.post(`/briefs/ada/${name}/threads`, { body: 'Why?' });
    const { code, stdout } = await waiting.ended;
    assert.equal(code, 0);
    const { events, cursor } = JSON.parse(stdout);
    assert.deepEqual(
      events.map(({ type }: { type: string }) => type),
      ['thread.opened'],
    );
    const late = await work.desk.json(
      5,
      'wait',
      file,
      '--after',
      String(cursor),
      '--timeout',
      '1s',
    );
    assert.deepEqual(late.events, []);
  });

  it('errors have exit codes and one line each', async () => {
    const { stderr, code } = await work.desk.run('push', 'missing.md');
    assert.deepEqual([stderr, code], ['briefs: missing.md: there is no such file or folder.\n', 1]);
    assert.equal((await work.desk.run('push')).code, 2);
    assert.equal((await work.desk.run('wait', '--timeout', 'long')).code, 2);
    const { error } = await work.desk.json(1, 'open', 'ada/nothing-here');
    assert.equal(error.code, 'NOT_FOUND');
    // The token is for the chosen server, whatever the file says.
    const { file } = await work.pushNew('# Plan\n');
    const elsewhere = work.desk.read(file).replace(work.service.webUrl, 'http://elsewhere.example');
    work.desk.write(file, `${elsewhere}More.\n`);
    const { results } = await work.desk.json(1, 'push', file);
    const wrong = `it belongs to http://elsewhere.example, and you chose ${work.service.webUrl}.`;
    assert.equal(results[0].message, wrong);
  });
});
