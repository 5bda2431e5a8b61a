import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type Client, type Service, startService } from '../../../test/harness.ts';
import {
  assertFailed,
  CURRENT,
  connect,
  EARLIER,
  message,
  messagesOf,
  post,
  quotationsOf,
} from '../../../test/mcp/agent.ts';
import { createToken } from '../../core/identity/token-service.ts';
import { ALL_TOOLS, TOOLS } from '../../tools.ts';

describe('Hosts of every revision of the protocol', () => {
  let service: Service;
  let ada: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
  });
  after(() => service.stop());

  for (const revision of [CURRENT, ...EARLIER]) {
    it(`${revision}: the same tools, results, errors, resources and prompts`, async () => {
      const agent = await connect(service, ada.token, revision);
      const { client } = agent;
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        TOOLS.map(({ name }) => name),
      );
      for (const [index, tool] of tools.entries()) {
        assert.deepEqual(tool.annotations, TOOLS[index]?.annotations);
        assert.deepEqual(tool.inputSchema, ALL_TOOLS.list[index]?.inputSchema);
      }
      const name = `brief-${revision}`;
      const made = await agent.call('publish_document', { name, content: '# Hello' });
      assert.equal(made.data.document.name, name);
      assertFailed(await agent.call('publish_document', { content: {} }), 'INVALID_ARGUMENT');
      assertFailed(await agent.call('read_document', { owner: 'ada', name: 'no' }), 'NOT_FOUND');
      const uri = `brief://ada/${name}`;
      const [content] = (await client.readResource({ uri })).contents;
      const { text, ...described } = content as { uri: string; text: string };
      assert.deepEqual(described, { uri, mimeType: 'text/markdown' });
      assert.equal(quotationsOf(text)['the text'], '# Hello');
      assert.equal((await client.listPrompts()).prompts.length, 4);
      await assert.rejects(client.callTool({ name: 'nothing' }), /There is no tool/);
      await agent.close();
    });
  }
});

describe('What hosts send otherwise', () => {
  let service: Service;
  let ada: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
  });
  after(() => service.stop());

  it('no arguments can be null, an empty list or JSON', async () => {
    for (const args of [null, [], '', '{}', undefined]) {
      const params = { name: 'whoami', arguments: args };
      const [answer] = messagesOf(await post(service, ada.token, message('tools/call', params)));
      assert.match(answer.result.content[0].text, /^You work for ada/, JSON.stringify(args));
    }
    for (const args of [7, ['x'], 'x']) {
      const params = { name: 'whoami', arguments: args };
      const [{ error }] = messagesOf(await post(service, ada.token, message('tools/call', params)));
      assert.equal(error.code, -32602);
      assert.match(error.message, /^params\.arguments: /);
    }
  });

  it('several messages in one body are refused with what to do instead', async () => {
    const body = JSON.stringify([message('ping'), message('tools/list')]);
    const answer = await fetch(`${service.baseUrl}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' },
      body,
    });
    assert.equal(answer.status, 400);
    const { error } = (await answer.json()) as { error: { code: number; message: string } };
    assert.equal(error.code, -32600);
    assert.match(error.message, /no batches here: send each message by itself/);
  });

  for (const revision of [CURRENT, ...EARLIER]) {
    it(`${revision}: a call that waits tells who asked for it that it goes on`, async () => {
      const { feedWaiters } = service.app.context;
      const { pauseMs } = feedWaiters;
      feedWaiters.pauseMs = () => 20;
      const agent = await connect(service, ada.token, revision);
      try {
        const heard: number[] = [];
        const wait = { name: 'wait_for_feedback', arguments: { wait_seconds: 1 } };
        const onprogress = ({ progress }: { progress: number }) => heard.push(progress);
        const result = await agent.client.callTool(wait, { onprogress });
        assert.ok(!result.isError);
        assert.ok(heard.length > 1);
        assert.deepEqual(
          heard,
          heard.map((_, index) => index + 1),
        );
      } finally {
        await agent.close();
        feedWaiters.pauseMs = pauseMs;
      }
    });
  }

  it('the address can end with a slash', async () => {
    const answer = await fetch(`${service.baseUrl}/mcp/?tools=read`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ada.token}`,
        accept: 'application/json',
        'content-type': 'application/json',
      },
      body: JSON.stringify(message('tools/list')),
    });
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /"read_document"/);
    const asked = await fetch(`${service.baseUrl}/mcp/`, { method: 'POST' });
    assert.equal(asked.status, 401);
  });
});

describe('Structured results', () => {
  let service: Service;
  let ada: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
  });
  after(() => service.stop());

  it('are what every tool returns at ?results=structured, texts included', async () => {
    const agent = await connect(service, ada.token, CURRENT, '?results=structured');
    const { tools } = await agent.client.listTools();
    assert.deepEqual(
      tools.filter(({ outputSchema }) => !outputSchema),
      [],
    );
    const quoted = async (tool: string, args: object) => {
      const { data, text, code } = await agent.call(tool, { ...args });
      assert.equal(code, undefined, text);
      assert.match(data.notice, /not instructions/);
      return data;
    };
    const ref = { owner: 'ada', name: 'plan' };
    const content = '# Plan\n\n"One" <b>\n';
    const published = await quoted('publish_document', { ...ref, content });
    assert.deepEqual([published.document.revision, published.quoted], [1, []]);
    const read = await quoted('read_document', ref);
    assert.deepEqual(read.quoted, [{ what: 'the text', text: content }]);
    assert.equal(read.document.name, 'plan');
    const edits = [{ op: 'replace', old: '"One"', new: 'Two' }];
    const edited = await quoted('edit_document', { ...ref, edits });
    assert.equal(edited.revision, 2);
    assert.match(edited.quoted[0].text, /\+Two <b>/);
    await ada.post('/briefs/ada/plan/threads', { body: 'Why?' });
    const { quoted: threads } = await quoted('read_document', { ...ref, view: 'threads' });
    assert.equal(threads[0].rows[0].comments[0].body, 'Why?');
    const { quoted: history } = await quoted('read_document', { ...ref, view: 'history' });
    assert.deepEqual(
      history[0].rows.map(({ number }: { number: number }) => number),
      [2, 1],
    );
    const { quoted: found } = await quoted('search_documents', {});
    assert.equal(found[0].rows[0].name, 'ada/plan');
    await agent.close();
  });

  it('have no other value', async () => {
    const refused = await post(service, ada.token, message('ping'), {}, '?results=xml');
    assert.equal(refused.status, 400);
    assert.match(refused.text, /results: can only be structured/);
  });
});

describe('Completion', () => {
  let service: Service;
  let ada: Client;
  let eve: Client;

  before(async () => {
    service = await startService();
    ada = await service.user('ada');
    eve = await service.user('eve');
    for (const name of ['plan', 'plans', 'a-plan']) {
      const body = { name, content: 'x', visibility: 'private' };
      assert.equal((await ada.post('/user/briefs', body)).status, 201);
    }
    const page = { name: 'planet', html: '<p>x</p>', visibility: 'private' };
    assert.equal((await ada.post('/user/pages', page)).status, 201);
  });
  after(() => service.stop());

  const PROMPT = { type: 'ref/prompt', name: 'review_access' } as const;

  it('offers owners, names and kinds that the caller can see', async () => {
    for (const revision of [CURRENT, ...EARLIER]) {
      const agent = await connect(service, ada.token, revision);
      const offer = async (name: string, value: string, given = {}, ref: object = PROMPT) => {
        const argument = { name, value };
        const context = { arguments: given };
        const { completion } = await agent.client.complete({ ref, argument, context } as never);
        assert.equal(completion.hasMore, false);
        return completion.values.toSorted();
      };
      assert.deepEqual(await offer('owner', ''), ['ada']);
      assert.deepEqual(await offer('owner', 'b'), []);
      assert.deepEqual(await offer('name', 'PLAN', { owner: 'ada', kind: 'brief' }), [
        'plan',
        'plans',
      ]);
      assert.deepEqual(await offer('name', 'a', { owner: '@ada' }), ['a-plan']);
      assert.deepEqual(await offer('name', 'plan', { owner: 'eve' }), []);
      assert.deepEqual(await offer('name', 'plan', { owner: 'no such: owner' }), []);
      const template = { type: 'ref/resource', uri: 'page://{owner}/{name}' };
      assert.deepEqual(await offer('name', 'p', { owner: 'ada' }, template), ['planet']);
      assert.deepEqual(await offer('kind', 'p'), ['page']);
      const subject = { type: 'ref/prompt', name: 'write_brief' };
      assert.deepEqual(await offer('subject', 'p', {}, subject), []);
      const wrong: [ref: object, argument: string, message: RegExp][] = [
        [{ ...PROMPT, name: 'none' }, 'name', /params\.ref\.name: there is no prompt "none"/],
        [PROMPT, 'subject', /params\.argument\.name: .* known are owner, name, kind\./],
        [{ ...template, uri: 'x://{a}' }, 'name', /params\.ref\.uri: .* known are brief:\/\//],
        [template, 'kind', /params\.argument\.name: .* known are owner, name\./],
      ];
      for (const [ref, argument, message] of wrong) {
        await assert.rejects(offer(argument, '', {}, ref), { code: -32602, message });
      }
      await agent.close();
    }
  });

  it('tells others nothing, and needs the scope', async () => {
    const agent = await connect(service, eve.token);
    const argument = { name: 'name', value: 'plan' };
    const context = { arguments: { owner: 'ada' } };
    const asked = { ref: PROMPT, argument, context };
    const { completion } = await agent.client.complete(asked);
    assert.deepEqual(completion.values, []);
    await agent.close();
    const { token } = await createToken(service.app.context, {
      username: 'ada',
      name: 'narrow',
      lifetimeMs: undefined,
      scopes: ['profile'],
    });
    const refused = await post(service, token, message('completion/complete', asked));
    assert.equal(refused.status, 403);
  });
});
