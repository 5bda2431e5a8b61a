import { strict as assert } from 'node:assert';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ADMIN_SEES, type AdminFact } from '../../src/core/identity/admin.ts';
import { makeAdministrator } from '../../src/features/moderation/administrator.testing.ts';
import { uploadForm } from '../files/samples.ts';
import { type Answer, type Service, startService } from '../harness.ts';
import { succeed } from '../process.ts';
import { collaborate, expectStatus } from '../rest/scenario.ts';
import { PASSWORD } from '../sign-in/visitor.ts';
import { stackSettings } from '../stack.ts';
import { until } from '../until.ts';
import { makePerson, type Person } from '../web-app/world.ts';

// Everything that people have is marked with the kind of fact that it is. Then an administrator goes
// everywhere, and sees the kinds that the table says, and no other.

/** A word for each kind, which is nowhere else. */
const MARKS: Record<AdminFact, string[]> = {
  'usernames and email addresses': ['marked-user', 'marked-user@example.com'],
  'names of organizations': ['marked-guild', 'Markedguildname'],
  'names of documents': ['marked-brief', 'marked-page', 'marked-internal'],
  'names of tokens': ['markedtoken'],
  'hosts of webhooks': ['marked-hook.example.com'],
  'reasons of takedowns': ['markedreason'],
  'titles of documents': ['Markedtitle', 'Markedpagetitle', 'Markedguildtitle'],
  'current texts': ['markedcurrent', 'markedpagetext', 'markedguildtext'],
  'earlier texts': ['markedearlier'],
  'texts in the trash': ['markedtrash'],
  'what is being typed': ['markedtyping'],
  'notes of revisions': ['markednote'],
  'labels of documents': ['markedlabel'],
  'comments and suggestions': ['markedcomment', 'markedreplacement', 'markedanswer'],
  'proposed texts': ['markedproposal'],
  'words of reviews': ['markedreview'],
  'files and their names': ['markedfile', 'markedbytes'],
  'what is in mails': ['markedmention'],
  'addresses of secret links': [],
  'paths of webhooks': ['markedpath'],
  'passwords and tokens': [PASSWORD],
};

/** Commands with what the administration has, too. Others are for who has the whole database anyway. */
const COMMANDS = [
  ['users', 'list', '--json'],
  ['users', 'show', 'marked-user', '--json'],
  ['users', 'show', 'marked-user'],
  ['organizations', 'list', '--json'],
  ['organizations', 'show', 'marked-guild', '--json'],
  ['tokens', 'list', 'marked-user', '--json'],
  ['quotas', 'show', 'marked-user', '--json'],
  ['reports', 'list', '--json'],
  ['documents', 'taken-down', '--json'],
  ['invitations', 'list', '--json'],
  ['audit', '--json'],
];

describe('What administrators see', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'briefs-test-'));
  let service: Service;
  let root: Person;
  const seen: [where: string, text: string][] = [];

  before(async () => {
    // Nobody answers there, so that mails wait.
    const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'b@example.com' };
    const settings = { DATA_DIR: dataDir, ...(await stackSettings(dataDir)) };
    service = await startService({ ...settings, ...mail });
    root = await makeAdministrator(service, 'chief');
    await makeEverything();
    await screens();
    await operations();
    for (const args of COMMANDS) seen.push([args.join(' '), await succeed(args, settings)]);
  });
  after(async () => {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function makeEverything(): Promise<void> {
    const ada = await makePerson(service, 'marked-user');
    const grace = await makePerson(service, 'grace');
    const { context } = service.app;
    const { client } = ada;
    await context.sql.transaction((tx) =>
      tx.updateTable('account').set({ emailVerifiedAt: context.now() }).execute(),
    );
    const token = await ada.visitor.post('/settings/tokens', [
      ['name', 'markedtoken'],
      ['lifetime', '30'],
      ['scopes', 'documents:read'],
    ]);
    const [secret = ''] = /brf_\w+/.exec(token.text) ?? [];
    MARKS['passwords and tokens'].push(secret);
    const made = async (path: string, body: object) => {
      const answer = await client.post(path, body);
      assert.equal(answer.status, 201, answer.text);
      return answer.data;
    };
    const brief = '/briefs/marked-user/marked-brief';
    await made('/user/briefs', {
      name: 'marked-brief',
      content: '# Markedtitle\n\nmarkedearlier\n',
      visibility: 'private',
    });
    await collaborate(client, brief, { ...grace.client, username: 'grace' }, 'write');
    const content = '# Markedtitle\n\nmarkedcurrent\n';
    await expectStatus(client.patch(brief, { content, message: 'markednote' }), 200);
    await expectStatus(client.put(`${brief}/labels`, { labels: ['markedlabel'] }), 200);
    const body = 'markedcomment markedmention @marked-user';
    const thread = await grace.client.post(`${brief}/threads`, { body });
    assert.equal(thread.status, 201, thread.text);
    await made(`${brief}/threads/${thread.data.id}/comments`, { body: 'markedanswer @grace' });
    const passage = { on: { quote: 'markedcurrent' }, replacement: 'markedreplacement' };
    await made(`${brief}/threads`, passage);
    const edits = [{ op: 'replace', old: 'markedcurrent', new: 'markedproposal' }];
    const proposed = await grace.client.post(`${brief}/edits`, { edits, propose: true });
    assert.equal(proposed.status, 201, proposed.text);
    const review = { revision: 2, verdict: 'changes_requested', body: 'markedreview' };
    const reviewed = await grace.client.post(`${brief}/reviews`, review);
    assert.equal(reviewed.status, 201, reviewed.text);
    const { url } = await made(`${brief}/links`, { access: 'read' });
    MARKS['addresses of secret links'].push(url.split('/').at(-1));
    await made('/user/pages', {
      name: 'marked-page',
      html: '<!doctype html><title>Markedpagetitle</title><p>markedpagetext',
      visibility: 'private',
    });
    await made('/user/briefs', { name: 'gone', content: 'markedtrash', visibility: 'private' });
    await expectStatus(client.delete('/briefs/marked-user/gone'), 204);
    await made('/user/orgs', { namespace: 'marked-guild', name: 'Markedguildname' });
    await made('/orgs/marked-guild/briefs', {
      name: 'marked-internal',
      content: '# Markedguildtitle\n\nmarkedguildtext\n',
      visibility: 'internal',
    });
    const form = uploadForm({ bytes: 'markedbytes', name: 'markedfile.txt', type: 'text/plain' });
    const upload = () => client.request('/user/files', { method: 'POST', ...form });
    await expectStatus(upload(), 201);
    const { id } = (await expectStatus(upload(), 201)).data;
    await expectStatus(client.delete(`/user/files/${id}`), 204);
    await typed(ada, (await client.get(brief)).data.id);
    const hook = await made('/user/webhooks', {
      url: 'https://marked-hook.example.com/markedpath',
      types: ['revision.created'],
    });
    const now = context.now();
    const later = new Date(Date.parse(now) + 3_600_000).toISOString();
    await context.sql.transaction(async (tx) => {
      const delivery = {
        id: context.newId(),
        webhookId: hook.id,
        eventId: null,
        createdAt: now,
      };
      const state = { status: 'pending', attempt: 2, nextAt: later, attemptedAt: now } as const;
      const fault = { code: 503, fault: 'status' } as const;
      await tx
        .insertInto('webhook_delivery')
        .values({ ...delivery, ...state, ...fault })
        .execute();
    });
    await until('a mail that waits', async () => {
      return (await root.client.get('/admin/work')).data.mails.length > 0;
    });
    const takedown = '/admin/pages/marked-user/marked-page/takedown';
    keep(takedown, await root.client.put(takedown, { reason: 'markedreason' }));
  }

  /** Types in an editor what no revision has yet. */
  async function typed({ visitor, client }: Person, id: string): Promise<void> {
    const { data: user } = await client.get('/user');
    const exchange = async (body: object) => {
      const cookie = Array.from(visitor.cookies, ([name, value]) => `${name}=${value}`).join('; ');
      const headers = {
        cookie,
        origin: service.webUrl,
        'content-type': 'application/json',
        accept: 'application/json',
      };
      const response = await fetch(`${service.webUrl}/live/edit/${id}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ client: `${user.id}/x`, known: {}, ...body }),
      });
      assert.equal(response.status, 200);
      return response.json();
    };
    const { list, number, text } = await exchange({});
    const changes = [[0, 'markedtyping '], text.length];
    const push = { list, seen: number, changes: [{ clientId: `${user.id}/x`, changes }] };
    await exchange({ push });
  }

  function keep(where: string, { status, text }: Answer): void {
    assert.ok(status < 400, `${where}: ${status} ${text}`);
    seen.push([where, text]);
  }

  /** Follows every link of the administration. */
  async function screens(): Promise<void> {
    const waiting = ['/admin/people'];
    const known = new Set(waiting);
    for (const path of waiting) {
      const answer = await root.visitor.get(path);
      keep(path, answer);
      for (const [, href = ''] of answer.text.matchAll(/href="(\/admin[^"#]*)"/g)) {
        const next = href.replaceAll('&amp;', '&');
        if (known.has(next)) continue;
        known.add(next);
        waiting.push(next);
      }
    }
    for (const part of [
      'people/marked-user',
      'people/marked-user/delete',
      'organizations/marked-guild',
      'work',
      'audit',
      'quotas',
      'reports',
      'storage',
    ]) {
      assert.ok(
        waiting.some((path) => path.startsWith(`/admin/${part}`)),
        `${part} is reached`,
      );
    }
  }

  /** Calls every operation under `/admin` that only reads. */
  async function operations(): Promise<void> {
    const { paths } = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
    for (const [path, methods] of Object.entries<object>(paths)) {
      if (!path.startsWith('/admin/') || !('get' in methods)) continue;
      for (const owner of ['marked-user', 'marked-guild']) {
        const to = path
          .replace('{username}', 'marked-user')
          .replace('{org}', 'marked-guild')
          .replace('{owner}', owner);
        keep(to, await root.client.get(to));
      }
    }
  }

  function shown(fact: AdminFact): string[] {
    return MARKS[fact].flatMap((mark) =>
      seen.filter(([, text]) => text.includes(mark)).map(([where]) => `${mark} at ${where}`),
    );
  }

  for (const [fact, isSeen] of Object.entries(ADMIN_SEES) as [AdminFact, boolean][]) {
    it(`${isSeen ? 'has' : 'never has'} ${fact}`, () => {
      assert.ok(MARKS[fact].length > 0);
      if (!isSeen) assert.deepEqual(shown(fact), []);
      else for (const mark of MARKS[fact]) assert.match(shown(fact).join(), new RegExp(mark));
    });
  }

  it('the page for operators says the same', () => {
    const page = readFileSync('docs/operate/administration.md', 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| '));
    for (const [fact, isSeen] of Object.entries(ADMIN_SEES)) {
      const cells = rows.map((row) => row.split('|')[isSeen ? 1 : 2] ?? '');
      assert.ok(
        cells.some((cell) => cell.toLowerCase().includes(fact)),
        `${fact} is in the ${isSeen ? 'first' : 'second'} column`,
      );
    }
  });
});
