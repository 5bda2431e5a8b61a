import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { createToken } from '../../src/core/identity/token-service.ts';
import { assertError, startService } from '../harness.ts';
import { connect } from '../mcp/agent.ts';
import { clientMissing } from '../web/built-client.ts';
import { makePerson } from '../web-app/world.ts';

/** Characters that reverse, break or otherwise affect the text around a name. */
const UNWANTED: Record<string, string> = {
  'U+202E': '\u202e',
  'U+2066': '\u2066',
  'U+200F': '\u200f',
  'U+000A': '\n',
  'U+0007': '\u0007',
};

describe('Displayed names have no control characters', { skip: clientMissing }, async () => {
  const service = await startService();
  const ada = await makePerson(service, 'ada');
  const agent = await connect(service, ada.client.token);
  after(async () => {
    await agent?.close();
    await service?.stop();
  });

  for (const [codePoint, character] of Object.entries(UNWANTED)) {
    const name = `Ada${character}Ltd`;
    const fault = new RegExp(
      `must not contain the character ${codePoint.replace('+', '\\+')}`,
      'i',
    );

    it(`${codePoint} in the name of an organization`, async () => {
      const body = { namespace: 'engines', name };
      assertError(await ada.client.post('/user/orgs', body), 400, 'BAD_REQUEST', fault);
      const made = await agent.call('set_organization', { organization: 'engines', name });
      assert.equal(made.code, 'INVALID_ARGUMENT');
      assert.match(made.text, fault);
      const answer = await ada.visitor.post('/organizations/new', body);
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.text, fault);
      assert.equal((await ada.client.get('/orgs/engines')).status, 404);
    });

    it(`${codePoint} in the name of a token`, async () => {
      const input = { username: 'ada', name, lifetimeMs: undefined };
      await assert.rejects(createToken(service.app.context, input), fault);
    });

    it(`${codePoint} in the name of a file`, async () => {
      const file = { name: `${name}.txt`, text: 'x' };
      const uploaded = await agent.call('files', { action: 'upload', ...file });
      assert.equal(uploaded.code, 'INVALID_ARGUMENT');
      assert.match(uploaded.text, fault);
      assert.deepEqual((await ada.client.get('/user/files')).data, []);
    });
  }
});
