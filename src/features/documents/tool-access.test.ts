import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { type Answer, type Client, startService } from '../../../test/harness.ts';
import { type Agent, connect, type ToolAnswer } from '../../../test/mcp/agent.ts';
import { collaborate } from '../../../test/rest/scenario.ts';
import { KINDS, type Kind } from '../../base/schema/kind.ts';
import type { PERMISSIONS } from '../../core/document/access-rules.ts';

/** One action on a document, by a tool and by the API. */
interface Deed {
  tool: string;
  args?: Record<string, unknown>;
  rest: (client: Client, path: string, kind: Kind) => Promise<Answer>;
}

/** In an order in which no action prevents a later one. */
const DEEDS: Deed[] = [
  { tool: 'read_document', rest: (client, path) => client.get(path) },
  { tool: 'list_access', rest: (client, path) => client.get(`${path}/collaborators`) },
  {
    tool: 'edit_document',
    args: { edits: [{ op: 'replace', old: 'text', new: 'text' }] },
    rest: (client, path, kind) =>
      client.patch(path, { [KINDS[kind].contentField]: '<title>text</title>' }),
  },
  {
    tool: 'publish_document',
    args: { content: '<title>text</title>', visibility: 'private' },
    rest: (client, path, kind) =>
      client.patch(path, {
        [KINDS[kind].contentField]: '<title>text</title>',
        visibility: 'private',
      }),
  },
  {
    tool: 'manage_document',
    args: { action: 'update', visibility: 'private' },
    rest: (client, path) => client.patch(path, { visibility: 'private' }),
  },
  {
    tool: 'manage_document',
    args: { action: 'label', labels: ['draft'] },
    rest: (client, path) => client.put(`${path}/labels`, { labels: ['draft'] }),
  },
  {
    tool: 'manage_document',
    args: { action: 'pin' },
    rest: (client, path) => client.put(`${path}/pin`),
  },
  {
    tool: 'manage_document',
    args: { action: 'unpin' },
    rest: (client, path) => client.delete(`${path}/pin`),
  },
  {
    tool: 'share_document',
    args: { anyone: true, permission: 'read' },
    rest: (client, path) => client.post(`${path}/links`, { access: 'read' }),
  },
  {
    tool: 'share_document',
    args: { link_id: 'none', permission: 'none' },
    rest: (client, path) => client.delete(`${path}/links/none`),
  },
  {
    tool: 'share_document',
    args: { username: 'nobody', permission: 'read' },
    rest: (client, path) => client.put(`${path}/collaborators/nobody`, { permission: 'read' }),
  },
  {
    tool: 'share_document',
    args: { username: 'nobody', permission: 'none' },
    rest: (client, path) => client.delete(`${path}/collaborators/nobody`),
  },
  {
    tool: 'manage_document',
    args: { action: 'delete' },
    rest: (client, path) => client.delete(path),
  },
];

/** The status with which the API would answer a tool's outcome. */
const CODES: Record<string, string> = { BAD_REQUEST: 'INVALID_ARGUMENT' };

function outcomeOf(answer: Answer | ToolAnswer): string {
  if (!('status' in answer)) return answer.code ?? 'done';
  if (answer.status < 400) return 'done';
  const { code } = answer.json.error;
  return CODES[code] ?? code;
}

describe('Tools and the API decide the same for every caller', async () => {
  const callers = new Map<string, { client: Client; agent: Agent }>();

  const service = await startService();
  const owner = await service.user('ada');
  for (const username of ['stranger', 'reader', 'writer', 'keeper']) {
    const client = await service.user(username);
    callers.set(username, { client, agent: await connect(service, client.token) });
  }
  after(async () => {
    for (const { agent } of callers.values()) await agent.close();
    await service.stop();
  });

  const LEVELS: Record<string, (typeof PERMISSIONS)[number] | undefined> = {
    stranger: undefined,
    reader: 'read',
    writer: 'write',
    keeper: 'admin',
  };

  for (const kind of Object.keys(KINDS) as Kind[]) {
    for (const [username, permission] of Object.entries(LEVELS)) {
      it(`a private ${kind}, ${username}`, async () => {
        const { client, agent } = callers.get(username) as { client: Client; agent: Agent };
        const paths: string[] = [];
        for (const name of [`${username}-tool`, `${username}-rest`]) {
          const content = { [KINDS[kind].contentField]: '<title>text</title>' };
          const { segment } = KINDS[kind];
          await owner.post(`/user/${segment}`, { name, visibility: 'private', ...content });
          const path = `/${segment}/ada/${name}`;
          if (permission) await collaborate(owner, path, client, permission);
          paths.push(path);
        }
        const [, path = ''] = paths;
        const ref = { kind, owner: 'ada', name: `${username}-tool` };
        const outcomes: string[] = [];
        for (const { tool, args, rest } of DEEDS) {
          // To replace a text by someone else, an agent has to name its revision.
          const isReplacing = tool === 'publish_document' && username !== 'stranger';
          const condition = isReplacing ? { if_match: '*' } : {};
          const byTool = outcomeOf(await agent.call(tool, { ...ref, ...args, ...condition }));
          const byRest = outcomeOf(await rest(client, path, kind));
          // A document unknown to the caller is created anew; under the caller's own name this
          // fails.
          if (tool === 'publish_document' && username === 'stranger') {
            assert.deepEqual([byTool, byRest], ['FORBIDDEN', 'NOT_FOUND']);
          } else {
            assert.equal(byTool, byRest, tool);
          }
          outcomes.push(byTool);
        }
        const refused = outcomes.filter((outcome) => outcome !== 'done').length;
        assert.equal(refused, { stranger: 13, reader: 11, writer: 9, keeper: 5 }[username]);
      });
    }
  }

  it('pending invitations: only admins', async () => {
    await owner.post('/user/briefs', { name: 'guests', content: 'x', visibility: 'private' });
    const path = '/briefs/ada/guests';
    await collaborate(owner, path, callers.get('writer')?.client as Client, 'write');
    await collaborate(owner, path, callers.get('keeper')?.client as Client, 'admin');
    await owner.put(`${path}/collaborators/stranger`, { permission: 'read' });
    for (const [username, expected] of [
      ['writer', undefined],
      ['keeper', 1],
    ] as const) {
      const { agent } = callers.get(username) as { agent: Agent };
      const { data } = await agent.call('list_access', { owner: 'ada', name: 'guests' });
      assert.equal(data.invitations?.total, expected);
    }
  });

  it('a page’s link: only readers', async () => {
    await owner.post('/user/pages', { name: 'dice', html: 'x', visibility: 'private' });
    await collaborate(owner, '/pages/ada/dice', callers.get('reader')?.client as Client, 'read');
    for (const [username, expected] of [
      ['stranger', 'NOT_FOUND'],
      ['reader', 'done'],
    ] as const) {
      const { agent } = callers.get(username) as { agent: Agent };
      assert.equal(
        outcomeOf(await agent.call('read_document', { owner: 'ada', name: 'dice', view: 'link' })),
        expected,
      );
    }
  });

  it('revoked access is gone here too', async () => {
    const { client, agent } = callers.get('reader') as { client: Client; agent: Agent };
    await owner.post('/user/briefs', { name: 'ending', content: 'x', visibility: 'private' });
    await collaborate(owner, '/briefs/ada/ending', client, 'read');
    const ref = { owner: 'ada', name: 'ending' };
    const uri = 'brief://ada/ending';
    assert.equal(outcomeOf(await agent.call('read_document', ref)), 'done');
    assert.equal((await agent.client.readResource({ uri })).contents.length, 1);
    await owner.delete('/briefs/ada/ending/collaborators/reader');
    assert.equal(outcomeOf(await agent.call('read_document', ref)), 'NOT_FOUND');
    await assert.rejects(agent.client.readResource({ uri }), /not found/i);
  });
});
