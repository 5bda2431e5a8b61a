import { strict as assert } from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../harness.ts';
import { connect } from '../mcp/agent.ts';
import { within } from '../process.ts';
import { installCommand, openDesk } from './command.ts';

/** Sections whose commands change the machine, or need a browser. Other tests run those. */
const NOT_RUN = ['Install', 'Sign in'];

/** Returns the commands of a page, by section. */
function commandsOf(page: string): Map<string, string> {
  const source = readFileSync(new URL(`../../../docs/${page}`, import.meta.url), 'utf8');
  const sections = source.split(/^## /m).slice(1);
  const found = sections.map((section): [string, string] => [
    section.slice(0, section.indexOf('\n')),
    [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands).join(''),
  ]);
  return new Map(found.filter(([title, commands]) => commands && !NOT_RUN.includes(title)));
}

describe('The commands in the documentation work:', async () => {
  const installed = installCommand();
  const service = await startService();
  const ada = await service.user('ada');
  await ada.post('/user/orgs', { namespace: 'engines', name: 'Engines' });
  const desk = openDesk(installed, {
    BRIEFS_SERVER: service.webUrl,
    BRIEFS_TOKEN: ada.token as string,
    BROWSER: 'true',
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: desk.folder,
    });
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message', 'Begin');
  git('tag', 'v1.1');
  git('commit', '--quiet', '--allow-empty', '--message', 'Faster search');
  after(async () => {
    await service?.stop();
    desk?.remove();
  });

  async function run(commands: string): Promise<string> {
    const child = spawn('bash', ['-e', '-u', '-o', 'pipefail'], {
      cwd: desk.folder,
      env: desk.environment,
    });
    child.stdin.end(commands.replaceAll('http://localhost:4000', service.webUrl));
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    const [stdout, stderr, [code]] = await within(ended, 'the commands');
    assert.equal(code, 0, `${commands}\n${stdout}${stderr}`);
    return stdout;
  }

  const guide = commandsOf('guide/command-line.md');
  const recipes = commandsOf('agents/recipes.md');

  it('the guide', async () => {
    assert.deepEqual(
      [...guide.keys()],
      [
        'Push, pull and sync',
        'Publish without touching the files',
        'Find and manage documents',
        'Comment and wait',
      ],
    );
    const shown: string[] = [];
    for (const commands of guide.values()) shown.push(await run(commands));
    assert.match(shown[0] ?? '', /^created\s+plan\.md/);
    assert.match(shown[0] ?? '', /^pulled\s+..\/copies\/plan\.md/m);
    assert.match(shown[2] ?? '', /^ada at http/);
    assert.match(shown[2] ?? '', /^\+More to come\.$/m);
    assert.match(shown[2] ?? '', /ada\/nightly.*trash/);
    assert.match(shown[3] ?? '', /thread\.opened ada\/plan/);
    assert.equal((await ada.get('/briefs/ada/plan/revisions')).data[0].message, 'The party');
  });

  it('nightly report and release notes', async () => {
    for (const status of ['created', 'unchanged']) {
      assert.match(await run(recipes.get('Nightly report') as string), new RegExp(`^${status}`));
    }
    const shown = await run(recipes.get('Release notes') as string);
    assert.match(shown, new RegExp(`^${service.webUrl}/engines/release-1\\.2$`, 'm'));
    const published = await fetch(`${service.webUrl}/engines/release-1.2`);
    assert.equal(await published.text(), '# Release 1.2\n\n- Faster search\n');
  });

  it('large page, with the tool’s upload address', async () => {
    const agent = await connect(service, ada.token);
    const page = readFileSync(new URL('../../../docs/agents/recipes.md', import.meta.url), 'utf8');
    const [, args = ''] = /^## Large page\n.*?^```json\n(.*?)^```$/ms.exec(page) ?? [];
    const { data, text } = await agent.call('publish_document', JSON.parse(args));
    await agent.close();
    assert.ok(data, text);
    const upload = `UPLOAD_URL='${data.upload.url}'\n${recipes.get('Large page')}`;
    assert.equal(JSON.parse(await run(upload)).name, 'load-test');
  });

  it('design review with a reviewer', async () => {
    const grace = await service.user('grace');
    await ada.put('/orgs/engines/members/grace', { role: 'member' });
    await grace.patch('/user/memberships/orgs/engines', { state: 'active' });
    const running = run(recipes.get('Design review') as string);
    const path = '/briefs/engines/design';
    const review = async () => {
      while ((await grace.get(path)).status === 404) await sleep(100);
      const on = { quote: 'Backups run daily.' };
      return (await grace.post(`${path}/threads`, { body: 'Why so rarely?', on })).data;
    };
    const [shown, thread] = await Promise.all([running, review()]);
    assert.match(shown, /grace: Why so rarely\?/);
    const { data } = await grace.get(`${path}/threads/${thread.id}`);
    assert.equal(data.state, 'resolved');
    assert.equal(data.comments[1].body, 'Hourly now.');
    assert.match((await grace.get(path)).data.content, /run hourly/);
  });
});
