import { strict as assert } from 'node:assert';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { KeptAnswers } from '../../src/http/kept-answers.ts';

type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

const ask = (url: string, headers: Asked['headers'] = {}, method = 'GET') =>
  ({ method, url, headers }) as IncomingMessage;

const headers = { etag: '"1"', 'last-modified': 'Mon, 23 Nov 2026 13:27:26 GMT' };

/** Kept answers over a database whose state is set by hand, and which is asked what is right. */
function setUp() {
  const database = { state: 'one' as unknown, right: new Set<string>(), asked: [] as string[] };
  const answers = new KeptAnswers(() => {
    if (database.state instanceof Error) throw database.state;
    return database.state;
  });
  return {
    database,
    /** Makes an answer as often as it takes for it to be kept. */
    keep(request: IncomingMessage, body: string) {
      database.right.add(body);
      for (let times = 0; times < 2; times += 1) {
        answers.keep(request, () => ({
          answer: { headers, body: Buffer.from(body), route: '/:owner/:name' },
          async isRight() {
            database.asked.push(body);
            return database.right.has(body);
          },
        }));
      }
    },
    async find(request: IncomingMessage): Promise<string | undefined> {
      const answer = await answers.find(request);
      return answer && Buffer.from(answer.body).toString();
    },
    answers,
  };
}

describe('Kept answers', () => {
  it('are given to whoever asks the same, and to nobody else', async () => {
    const { keep, find, answers } = setUp();
    const html = { accept: 'text/html' };
    keep(ask('/ada/a'), 'plain');
    keep(ask('/ada/a', html), 'page');
    assert.equal(await find(ask('/ada/a')), 'plain');
    assert.equal(await find(ask('/ada/a', html)), 'page');
    assert.equal(await find(ask('/ada/a', { ...html, 'if-none-match': '"1"' })), 'page');
    for (const other of [
      ask('/ada/a?'),
      ask('/ada/A'),
      ask('/ada/a/'),
      ask('/ada/a', { accept: 'text/*' }),
      ask('/ada/a', {}, 'HEAD'),
      ask('/ada/a', {}, 'POST'),
    ]) {
      assert.equal(answers.find(other), undefined, JSON.stringify(other));
    }
  });

  it('are those that are made again', () => {
    const { answers } = setUp();
    let made = 0;
    for (let times = 0; times < 2; times += 1) {
      assert.equal(answers.find(ask('/ada/a')), undefined);
      answers.keep(ask('/ada/a'), () => {
        made += 1;
        return {
          answer: { headers, body: Buffer.from('a'), route: undefined },
          isRight: async () => true,
        };
      });
    }
    assert.equal(made, 1);
    assert.ok(answers.find(ask('/ada/a')));
  });

  it('are looked at again once something has been committed, and not before', async () => {
    const { keep, find, database } = setUp();
    keep(ask('/ada/a'), 'a');
    for (const state of ['one', 'two']) {
      database.state = state;
      database.asked = [];
      for (let times = 0; times < 3; times += 1) assert.equal(await find(ask('/ada/a')), 'a');
      assert.deepEqual(database.asked, ['a']);
    }
  });

  it('are looked at each time where the database cannot tell its state', async () => {
    const { keep, find, database } = setUp();
    database.state = undefined;
    keep(ask('/ada/a'), 'a');
    for (let times = 0; times < 3; times += 1) assert.equal(await find(ask('/ada/a')), 'a');
    assert.deepEqual(database.asked, ['a', 'a', 'a']);
  });

  it('are forgotten when they are no longer right', async () => {
    const { keep, find, database, answers } = setUp();
    keep(ask('/ada/a'), 'old');
    assert.equal(await find(ask('/ada/a')), 'old');
    database.right.delete('old');
    database.state = 'two';
    assert.equal(await find(ask('/ada/a')), undefined);
    assert.equal(answers.find(ask('/ada/a')), undefined);
    keep(ask('/ada/a'), 'new');
    assert.equal(await find(ask('/ada/a')), 'new');
  });

  it('are not taken for right in a state that came while they were looked at', async () => {
    const { database, answers, find } = setUp();
    const rights = [true, false];
    for (let times = 0; times < 2; times += 1) {
      answers.keep(ask('/ada/a'), () => ({
        answer: { headers, body: Buffer.from('old'), route: undefined },
        async isRight() {
          const isRight = rights.shift() as boolean;
          database.state = 'two';
          return isRight;
        },
      }));
    }
    assert.equal(await find(ask('/ada/a')), 'old');
    assert.equal(await find(ask('/ada/a')), undefined);
  });

  it('fail later where the database does, so that it can be said in an answer', async () => {
    const { keep, find, answers, database } = setUp();
    keep(ask('/ada/a'), 'a');
    database.state = new Error('disk I/O error');
    await assert.rejects(answers.find(ask('/ada/a')) as Promise<unknown>, /disk I\/O/);
    database.state = 'one';
    assert.equal(await find(ask('/ada/a')), 'a');
  });

  it('are not kept for targets with a query, of which there is no end', () => {
    const { keep, answers } = setUp();
    keep(ask('/ada/a?1'), 'a');
    assert.equal(answers.find(ask('/ada/a?1')), undefined);
  });

  it('are not kept for addresses and wishes of unheard-of length', () => {
    const { keep, answers } = setUp();
    const long = 'x'.repeat(513);
    for (const request of [ask(`/${long}`), ask('/ada/a', { accept: long })]) {
      keep(request, 'a');
      assert.equal(answers.find(request), undefined);
    }
  });

  it('take some megabytes at most, and none are larger than a part of that', () => {
    const { keep, answers } = setUp();
    const kept = (count: number) =>
      Array.from({ length: count }, (_, index) => answers.find(ask(`/ada/${index}`))).filter(
        Boolean,
      ).length;
    for (let index = 0; index < 2_000; index += 1) keep(ask(`/ada/${index}`), 'x'.repeat(20_000));
    assert.ok(kept(2_000) > 300 && kept(2_000) * 20_000 < 8 * 1024 * 1024, `${kept(2_000)}`);
    assert.ok(answers.find(ask('/ada/1999')));
    keep(ask('/ada/large'), 'x'.repeat(2_000_000));
    assert.equal(answers.find(ask('/ada/large')), undefined);
  });
});
