import { strict as assert } from 'node:assert';
import { after, before, describe, it } from 'node:test';
import { type Client, type Service, startService } from '../../../test/harness.ts';
import { type Agent, assertFailed, connect } from '../../../test/mcp/agent.ts';
import { collaborate } from '../../../test/rest/scenario.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { createToken } from '../../core/identity/token-service.ts';

const LINES = ['first', 'second', 'third'].map((line) => `${line}\n\n`);

for (const kind of ['brief', 'page'] as const) {
  describe(`Publishing a ${kind} over others’ text`, () => {
    let service: Service;
    let user: Client;
    let grace: Client;
    /** Two agents of one account. */
    let one: Agent;
    let two: Agent;

    before(async () => {
      service = await startService();
      [user, grace] = [await service.user('ada'), await service.user('grace')];
      one = await agent('one "SYSTEM"');
      two = await agent('two');
    });
    after(async () => {
      await Promise.all([one.close(), two.close()]);
      await service.stop();
    });

    const agent = async (name: string) => {
      const lifetimeMs = DAY_MS;
      const { token } = await createToken(service.app.context, {
        username: 'ada',
        name,
        lifetimeMs,
      });
      return connect(service, token);
    };
    const publish = (by: Agent, name: string, content: string, more: object = {}) =>
      by.call('publish_document', { kind, name, content, ...more });
    const pathOf = (name: string) => `/${kind}s/ada/${name}`;
    const field = kind === 'brief' ? 'content' : 'html';
    const textOf = async (name: string) => (await user.get(pathOf(name))).data[field];

    it('a credential can replace its own text', async () => {
      await publish(one, 'own', 'a', { message: 'Made' });
      const { data } = await publish(one, 'own', 'b', { message: 'Better' });
      assert.deepEqual([data.created, data.merged, data.document.revision], [false, false, 2]);
      const { data: all } = await user.get(`${pathOf('own')}/revisions`);
      assert.deepEqual(
        all.map(({ message }: { message: string }) => message),
        ['Better', 'Made'],
      );
      await user.patch(pathOf('own'), { visibility: 'private' });
      assert.equal((await publish(one, 'own', 'c')).data?.document.revision, 4, 'still its text');
    });

    it('a text by another token, account or surface isn’t overwritten', async () => {
      await publish(one, 'others', 'by one');
      await collaborate(user, pathOf('others'), grace, 'write');
      const refused = await publish(two, 'others', 'by two');
      assertFailed(
        refused,
        'PRECONDITION_FAILED',
        /^PRECONDITION_FAILED: base_revision: is required, .*: ada \(token "one \\"SYSTEM\\""\) wrote revision 1 at \d{4}-/,
      );
      assert.match(refused.text, /read_document; with changes_since .* as base_revision/);
      await grace.patch(pathOf('others'), { [field]: 'by grace' });
      assertFailed(
        await publish(one, 'others', 'by one'),
        'PRECONDITION_FAILED',
        /: grace \(token "test"\) wrote revision 2 at/,
      );
      assert.equal(await textOf('others'), 'by grace');
      const { data } = await publish(one, 'others', 'by both', { base_revision: 2 });
      assert.deepEqual([data.merged, await textOf('others')], [false, 'by both']);
      const if_match = data.document.etag;
      assert.equal((await publish(two, 'others', 'by two', { if_match })).data.merged, false);
      // Models drop the quotes of an entity tag.
      const { etag } = (await one.call('read_document', { kind, name: 'others' })).data.document;
      const bare = await publish(one, 'others', 'by one', { if_match: etag.replaceAll('"', '') });
      assert.equal(bare.data?.merged, false, bare.text);
    });

    it('with a base, it is merged, or the conflict is shown', async () => {
      await publish(one, 'merged', LINES.join(''));
      const theirs = LINES.with(0, 'FIRST\n\n').join('');
      await publish(two, 'merged', theirs, { base_revision: 1 });
      const mine = LINES.with(2, 'THIRD\n\n').join('');
      const { data, text } = await publish(one, 'merged', mine, { base_revision: 1 });
      assert.equal(data?.merged, true, text);
      assert.match(text, /Changes since revision 1 were merged in/);
      assert.equal(await textOf('merged'), 'FIRST\n\nsecond\n\nTHIRD\n\n');
      assertFailed(
        await publish(one, 'merged', mine),
        'PRECONDITION_FAILED',
        /wrote revision 3 at .*, merging changes by others/,
      );
      const other = LINES.with(0, 'erste\n\n').join('');
      const conflict = await publish(one, 'merged', other, { base_revision: 1 });
      assertFailed(conflict, 'CONFLICT', /base_revision 3\./);
      assert.match(
        conflict.text,
        /^\{"line":1,"base":"first","current":"FIRST","yours":"erste"\}$/m,
      );
    });

    it('a base needs an existing document', async () => {
      for (const name of [undefined, 'nothing']) {
        const args = { kind, content: '# Nothing', base_revision: 1, ...(name && { name }) };
        const refused = await one.call('publish_document', args);
        assertFailed(refused, 'PRECONDITION_FAILED', /base_revision: no document has this name/);
      }
    });

    it('of concurrent publications, none overwrites another', async () => {
      await publish(one, 'race', 'a');
      const answers = await Promise.all(
        [one, two, one, two].map((by, index) =>
          publish(by, 'race', `${index}`, { message: `${index}` }),
        ),
      );
      const codes = answers.map(({ code }) => code);
      assert.deepEqual([codes[1], codes[3]], ['PRECONDITION_FAILED', 'PRECONDITION_FAILED']);
      assert.deepEqual([codes[0], codes[2]], [undefined, undefined]);
    });
  });
}
