import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type Client, type Service, startService } from '../../../test/harness.ts';
import { assertFailed, CURRENT, connect, EARLIER, quotationsOf } from '../../../test/mcp/agent.ts';
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
      assertFailed(await agent.call('publish_document', { content: 1 }), 'INVALID_ARGUMENT');
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
