import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { newChance } from '../../../test/chance.ts';
import { startService } from '../../../test/harness.ts';
import { decide, expectStatus } from '../../../test/rest/scenario.ts';
import { makePerson, type Person } from '../../../test/web-app/world.ts';
import { carried, type Span } from '../../base/text/authorship.ts';
import { changes } from '../../base/text/changes.ts';
import {
  EDITS,
  freshWords,
  MOVES,
  MovingText,
  wrongWords,
} from '../../base/text/moving-texts.testing.ts';

describe('Who wrote which part of a text', async () => {
  const service = await startService();
  after(() => service.stop());
  const people = ['ada', 'grace', 'eve'].map((name) => makePerson(service, name));
  const [ada, grace, eve] = (await Promise.all(people)) as [Person, Person, Person];

  async function make(name: string, content: string): Promise<string> {
    const path = `/briefs/ada/${name}`;
    await expectStatus(
      ada.client.post('/user/briefs', { name, content, visibility: 'private' }),
      201,
    );
    const permissions = [['grace', grace, 'write'] as const, ['eve', eve, 'read'] as const];
    for (const [username, person, permission] of permissions) {
      const added = await ada.client.put(`${path}/collaborators/${username}`, { permission });
      await expectStatus(person.client.patch(`/user/brief_invitations/${added.data.id}`), 204);
    }
    return path;
  }

  const write = (who: Person, path: string, content: string) =>
    expectStatus(who.client.patch(path, { content }), 200);

  /** The parts of a text: `ada2:words` is what ada wrote in revision 2. */
  async function partsOf(path: string, who = ada, revision?: number): Promise<string[]> {
    const { data: text } = await expectStatus(
      who.client.get(revision === undefined ? path : `${path}/revisions/${revision}`),
      200,
    );
    const query = revision === undefined ? '' : `?revision=${revision}`;
    const { data } = await expectStatus(who.client.get(`${path}/authorship${query}`), 200);
    assert.equal(data.spans.at(-1)?.end ?? 0, text.content.length);
    return data.spans.map(({ start, end, source }: Record<string, number>) => {
      const { author, revision: from } = data.sources[source as number] ?? {};
      return `${author ?? '?'}${from ?? ''}:${text.content.slice(start, end)}`;
    });
  }

  it('is told to the web app by where passages are shown', async () => {
    const path = await make('shown', '# Title\n\nOne two.\n');
    await write(grace, path, '# Title\n\nOne two and more.\n');
    const json = { accept: 'application/json' };
    const { text } = await eve.visitor.get('/read/ada/shown?authors', json);
    const { writers, parts } = JSON.parse(text);
    const shown = parts.map(({ writer, line, quote, when }: Record<string, string>) => [
      writers[writer as string].name,
      line,
      quote,
      when?.replace(/, .*/, ''),
    ]);
    const [adas, graces] = ['ada with world (token)', 'grace with world (token)'];
    assert.deepEqual(shown[0], [adas, 1, 'Title One two', 'revision 1']);
    assert.deepEqual(shown[1], [graces, 3, 'and more.', 'revision 2']);
    assert.ok(writers.every(({ isAgent }: { isAgent: boolean }) => isAgent));
  });

  it('is kept through revisions, renames and restored texts, whoever writes them', async () => {
    const path = await make('kept', 'One two three.\n');
    await write(grace, path, 'One and a half, two three.\n');
    await write(ada, path, 'One and a half, two three.\n\nA new paragraph.\n');
    const third = [
      'ada1:One ',
      'grace2:and a half, ',
      'ada1:two three.\n',
      'ada3:\nA new paragraph.\n',
    ];
    assert.deepEqual(await partsOf(path), third);
    await write(grace, path, 'All gone.\n');
    assert.deepEqual(await partsOf(path), ['grace4:All gone.', 'ada3:\n']);
    await expectStatus(grace.client.post(`${path}/revisions/3/restore`, {}), 200);
    assert.deepEqual(await partsOf(path), third);
    await expectStatus(ada.client.patch(path, { visibility: 'public' }), 200);
    assert.deepEqual(await partsOf(path), third);
    assert.deepEqual(await partsOf(path, ada, 2), third.slice(0, 2).concat('ada1:two three.\n'));
    assert.deepEqual(await partsOf(path, ada, 5), third);
  });

  it('is kept when somebody moves it, and changes a word', async () => {
    const path = await make(
      'moved',
      'One is here. Two is there.\n\nThe last one.\n\n- call\n- buy it\n',
    );
    await write(grace, path, 'The last one.\n\nTwo is there. One is here.\n\n- buy it\n- call\n');
    const shown = (parts: string[]) => parts.map((part) => part.replace(/\s+/g, ' ').trim());
    const own = (parts: string[]) => shown(parts).filter((part) => !/^grace\d+:$/.test(part));
    const all = own(await partsOf(path)).map((part) => part.replace(/^ada1:/, ''));
    assert.equal(all.join(' '), 'The last one. Two is there. One is here. - buy it - call');
    await write(grace, path, '- call\n- buy it\n\nTwo is there. One was here.\n\nThe last one.\n');
    assert.deepEqual(
      shown(await partsOf(path)).filter((part) => /^grace\d+:.*\w/.test(part)),
      ['grace3:was'],
    );
  });

  it('is right after random edits and moves by several people', async () => {
    const chance = newChance('authorship');
    const text = new MovingText(chance, freshWords(chance)).begin('ada', 5);
    const path = await make('random', text.toString());
    for (let revision = 2; revision <= 25; revision++) {
      const writer = chance.pick([ada, grace]);
      text.change(writer === ada ? 'ada' : 'grace', [...EDITS, ...MOVES]);
      await write(writer, path, text.toString());
    }
    const parts = await partsOf(path);
    const spans = parts.map((part): Span<string> => {
      const [, name = '', words = ''] = /^(\D+)\d*:(.*)$/s.exec(part) ?? [];
      return [words.length, name];
    });
    assert.deepEqual(wrongWords(text, spans), []);
  });

  it('takes what is stored of a revision before differences, also of its author', () => {
    const [before, after] = ['Red and blue and green.', 'We saw red and blue now and all green.'];
    const edits = changes(before, after).map(({ from, to, insert }) => {
      return { from, to, length: insert.length };
    });
    const all = [{ start: 0, end: after.length, origin: 'typist' }];
    const typed = carried([[before.length, 'ada']], edits, 'grace', all);
    assert.ok(!typed.some(([, origin]) => origin === 'grace'));
    const own = [{ start: 0, end: after.length, origin: 'grace' }];
    assert.deepEqual(
      carried([[before.length, 'ada']], edits, 'grace', own),
      typed.map(([length, origin]) => [length, origin === 'typist' ? 'grace' : origin]),
    );
  });

  it('takes what a suggestion says as its author’s, whoever accepts it', async () => {
    const path = await make('suggested', 'Red, green and blue.\r\n\r\nA second one.\r\n');
    const suggest = async (who: Person, quote: string, replacement: string) => {
      const { data } = await expectStatus(
        who.client.post(`${path}/threads`, { on: { quote }, replacement }),
        201,
      );
      return data.id as string;
    };
    const threads = [
      await suggest(eve, 'second', 'last'),
      await suggest(grace, 'green', 'dark green'),
    ];
    const edits = [{ op: 'replace', old: ' one.\r\n', new: ' one.\r\n\r\nA third.\r\n' }];
    const { data: proposal } = await expectStatus(
      eve.client.post(`${path}/edits`, { edits, propose: true }),
      201,
    );
    await expectStatus(decide(ada.client, path, 'accept', [...threads, proposal.id]), 200);
    assert.deepEqual(await partsOf(path), [
      'ada1:Red, ',
      'grace2:dark ',
      'ada1:green and blue.\r\n\r\nA ',
      'eve2:last',
      'ada1: one.',
      'eve2:\r\n\r\nA third.',
      'ada1:\r\n',
    ]);
  });

  it('says nothing false about texts that are gone', async () => {
    const path = await make('erased', 'One.\n');
    await write(grace, path, 'One.\n\nTwo.\n');
    await write(ada, path, 'One.\n\nTwo.\n\nThree.\n');
    await expectStatus(ada.client.delete(`${path}/revisions/2`), 204);
    assert.deepEqual(await partsOf(path), ['ada1:One.\n', '?:\nTwo.\n\nThree.\n']);
    await write(grace, path, 'One.\n\nTwo.\n\nThree and four.\n');
    assert.equal((await partsOf(path))[2], 'grace4: and four.');
    await expectStatus(ada.client.get(`${path}/authorship?revision=2`), 422);
    await expectStatus(ada.client.get(`${path}/authorship?revision=9`), 404);
    await expectStatus(service.client().get(`${path}/authorship`), 401);
  });

  it('tells other readers about the current text only, without names of tokens', async () => {
    const path = await make('public', 'Draft.\n');
    await write(ada, path, 'Draft two.\n');
    await expectStatus(ada.client.patch(path, { visibility: 'public' }), 200);
    const reader = await makePerson(service, 'reader');
    const { data } = await expectStatus(reader.client.get(`${path}/authorship`), 200);
    assert.deepEqual(
      data.sources.map(({ viaName }: { viaName: unknown }) => viaName),
      [null, null],
    );
    await expectStatus(reader.client.get(`${path}/authorship?revision=1`), 404);
  });

  it('adds up for any texts', () => {
    const word = fc.constantFrom('one ', 'two ', 'three\n', 'a', '\n\n', '😀', '- x\n');
    const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(''));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (texts) => {
        let before = '';
        let spans: Span<number>[] = [];
        for (const [version, next] of texts.entries()) {
          const edits = changes(before, next).map(({ from, to, insert }) => {
            return { from, to, length: insert.length };
          });
          const middle = Math.floor(next.length / 2);
          const written = [{ start: 0, end: middle, origin: -version - 1 }];
          const after = carried(spans, edits, version, written);
          assert.equal(
            after.reduce((sum, [length]) => sum + length, 0),
            next.length,
          );
          assert.ok(after.every(([length]) => length > 0));
          // What is new is its writers'.
          const olds = new Set(spans.map(([, origin]) => origin));
          let at = 0;
          for (const [length, origin] of after) {
            if (!olds.has(origin)) assert.equal(origin, at < middle ? -version - 1 : version);
            at += length;
          }
          [before, spans] = [next, after];
        }
      }),
    );
  });
});
