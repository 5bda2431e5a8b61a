import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { startService } from '../harness.ts';
import { installCommand, openDesk } from './command.ts';

const ACTION = fileURLToPath(new URL('../../../deploy/github-action', import.meta.url));

interface Step {
  name: string;
  shell: string;
  env: Record<string, string>;
  run: string;
}

describe('The GitHub action', async () => {
  const source = readFileSync(`${ACTION}/action.yml`, 'utf8');
  const { inputs, runs } = parse(source);
  const [publish, comment] = runs.steps as [Step, Step];

  /** Stands for GitHub: the comments of one pull request. */
  const comments: { id: number; body: string; user: { type: string } }[] = [];
  const github = createServer(async (request, response) => {
    const { body = '' } = JSON.parse((await text(request)) || '{}');
    const id = Number(/\/issues\/comments\/(\d+)$/.exec(request.url ?? '')?.[1]);
    assert.equal(request.headers.authorization, 'Bearer for-github');
    if (request.method === 'POST')
      comments.push({ id: comments.length, body, user: { type: 'Bot' } });
    if (request.method === 'PATCH') Object.assign(comments[id] ?? {}, { body });
    response.end(JSON.stringify(request.method === 'GET' ? comments : {}));
  });

  const installed = installCommand();
  const service = await startService();
  const ada = await service.user('ada');
  await once(github.listen(0, '127.0.0.1'), 'listening');
  const desk = openDesk(installed);
  desk.write('event.json', JSON.stringify({ pull_request: { number: 7 } }));
  after(async () => {
    github.close();
    github.closeAllConnections();
    await service?.stop();
    desk?.remove();
  });

  /** Runs a step as the runner does. @returns its exit code and output */
  async function run(step: Step, given: Record<string, string>) {
    const environment: Record<string, string> = {};
    for (const [name, value] of Object.entries(step.env)) {
      environment[name] = value.replace(
        /\$\{\{ (inputs|steps)\.(\S+) \}\}/g,
        (_all, _from, key) => {
          const outputs: Record<string, string> = {
            'publish.outputs.results': desk.path('briefs-results.json'),
            'publish.outputs.errors': desk.path('briefs-errors.txt'),
          };
          const output = outputs[key] ?? '';
          return given[key] ?? inputs[key]?.default ?? output;
        },
      );
    }
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', step.run], {
      cwd: desk.folder,
      env: {
        ...desk.environment,
        ...environment,
        npm_config_offline: 'true',
        GITHUB_ACTION_PATH: ACTION,
        GITHUB_API_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}`,
        GITHUB_EVENT_PATH: desk.path('event.json'),
        GITHUB_OUTPUT: desk.path('output'),
        GITHUB_REPOSITORY: 'ada/plans',
        RUNNER_TEMP: desk.folder,
      },
    });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { code, stdout, stderr };
  }

  const settings = (more: Record<string, string> = {}) => ({
    server: service.webUrl,
    token: ada.token as string,
    package: installed.archive,
    owner: 'ada',
    prefix: 'pr-7-',
    'github-token': 'for-github',
    ...more,
  });

  it('declares all its inputs, and puts none of them into a script', () => {
    const named = [...source.matchAll(/inputs\.([\w-]+)/g)].map(([, name = '']) => name);
    assert.deepEqual([...new Set(named)].sort(), Object.keys(inputs).sort());
    for (const step of runs.steps) assert.doesNotMatch(step.run, /\$\{\{/);
    assert.equal(runs.using, 'composite');
  });

  it('publishes the folder and comments; later updates its comment', async () => {
    comments.push({ id: 0, body: '<!-- briefs: docs --> by a person', user: { type: 'User' } });
    desk.write('docs/plan.md', '# Plan\n');
    desk.write('docs/a|b`c.md', '# Odd\n');
    desk.write('docs/deep/page.html', '<!doctype html><title>P</title>');
    const first = await run(publish, settings());
    assert.equal(first.code, 0, first.stderr);
    assert.equal(desk.read('docs/plan.md'), '# Plan\n');
    assert.match(desk.read('output'), /^results=.*briefs-results\.json$/m);
    assert.equal((await run(comment, settings())).code, 0);
    const { url } = (await ada.get('/briefs/ada/pr-7-plan')).data;
    assert.equal(comments.length, 2);
    assert.ok(
      comments[1]?.body.includes(`| \`docs/plan.md\` | [\`ada/pr-7-plan\`](<${url}>) | created |`),
    );
    assert.ok(comments[1]?.body.includes('| `docs/a b c.md` |'));
    assert.ok(comments[1]?.body.includes('ada/pages/pr-7-deep-page'));

    desk.write('docs/plan.md', '# Plan\n\nChanged.\n');
    assert.equal((await run(publish, settings())).code, 0);
    assert.equal((await run(comment, settings())).code, 0);
    assert.equal(comments.length, 2);
    assert.match(comments[1]?.body ?? '', /docs\/plan\.md.* pushed \|/);
    assert.match(comments[0]?.body ?? '', /by a person$/);
    assert.equal((await ada.get('/briefs/ada/pr-7-plan')).data.content, '# Plan\n\nChanged.\n');
  });

  it('its own failures become comments', async () => {
    const cases: [Record<string, string>, number, RegExp][] = [
      [{ visibility: 'secret' }, 2, /`.*--visibility.*Allowed choices are.*`/],
      [{ package: '/nowhere/briefs-cli.tgz' }, 254, /`Nothing was published\. .*nowhere.*`/],
      [{ folder: 'none' }, 1, /`none: there is no such file or folder\.`/],
      [{ folder: '-odd' }, 0, /`-odd\/über uns\.md` \| \[`ada\/pr-7-über-uns`\]/],
    ];
    desk.write('-odd/über uns.md', '# Us\n');
    for (const [given, code, shown] of cases) {
      const published = await run(publish, settings(given));
      assert.equal(published.code, code, published.stdout + published.stderr);
      const commented = await run(comment, settings(given));
      assert.equal(commented.code, 0, commented.stderr);
      const about = comments.find(
        ({ body }) =>
          body.includes(`\`${given.folder ?? 'docs'}\``) && !body.includes('by a person'),
      );
      assert.match(about?.body ?? '', shown);
    }
  });

  it('a comment on many files has the troubles first, and isn’t too long for GitHub', async () => {
    const results = Array.from({ length: 900 }, (_, index) => ({
      file: `docs/a-file-with-a-long-name-${index}.md`,
      status: index === 899 ? 'failed' : 'unchanged',
      document: `ada/pr-7-a-file-with-a-long-name-${index}`,
      url: `https://briefs.example/ada/pr-7-a-file-with-a-long-name-${index}`,
    }));
    desk.write('briefs-results.json', JSON.stringify({ results }));
    assert.equal((await run(comment, settings())).code, 0);
    const body = comments[1]?.body ?? '';
    assert.ok(body.length < 65_536 && body.length > 60_000);
    assert.match(body, /^\|---\|---\|---\|\n\| `docs\/a-file-with-a-long-name-899\.md`/m);
    assert.match(body, /… and \d+ more\.$/);
  });

  it('comments and fails if the token is refused; does nothing without a token', async () => {
    const refused = await run(publish, settings({ token: 'wrong' }));
    assert.equal(refused.code, 4);
    assert.equal((await run(comment, settings())).code, 0);
    assert.match(comments[1]?.body ?? '', /refuses your token/);
    const without = await run(publish, settings({ token: '' }));
    assert.deepEqual([without.code, without.stdout.slice(0, 10)], [0, '::notice::']);
  });
});
