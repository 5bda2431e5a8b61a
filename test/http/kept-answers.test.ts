import { strict as assert } from 'node:assert';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { type KeptAnswer, KeptAnswers } from '../../src/http/kept-answers.ts';

type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

const ask = (url: string, headers: Asked['headers'] = {}, method = 'GET') =>
  ({ method, url, headers }) as IncomingMessage;

const answer = (body: string | Uint8Array): KeptAnswer => ({ headers: {}, body, route: '/:owner' });

/** Kept answers over a database whose state is set by hand. */
function keptAnswers(first: unknown = 'one') {
  const database = { state: first };
  const answers = new KeptAnswers(() => database.state);
  return { database, answers };
}

describe('Kept answers', () => {
  it('are given to whoever asks the same, and to nobody else', () => {
    const { answers } = keptAnswers();
    const html = { accept: 'text/html' };
    answers.keep(ask('/ada/a'), answers.state(), answer('plain'));
    answers.keep(ask('/ada/a', html), answers.state(), answer('page'));
    assert.equal(answers.find(ask('/ada/a'))?.body, 'plain');
    assert.equal(answers.find(ask('/ada/a', html))?.body, 'page');
    for (const other of [
      ask('/ada/a?'),
      ask('/ada/A'),
      ask('/ada/a/'),
      ask('/ada/a', { accept: 'text/*' }),
      ask('/ada/a', {}, 'HEAD'),
      ask('/ada/a', {}, 'POST'),
      ask('/ada/a', { 'if-none-match': '"x"' }),
      ask('/ada/a', { 'if-modified-since': 'Mon, 23 Nov 2026 13:27:26 GMT' }),
    ]) {
      assert.equal(answers.find(other), undefined, JSON.stringify(other));
    }
  });

  it('are forgotten when anything is committed', () => {
    const { answers, database } = keptAnswers();
    answers.keep(ask('/ada/a'), answers.state(), answer('old'));
    database.state = 'two';
    assert.equal(answers.find(ask('/ada/a')), undefined);
    database.state = 'one';
    assert.equal(answers.find(ask('/ada/a')), undefined, 'not even if it were as before');
  });

  it('are not kept when something was committed while they were made', () => {
    const { answers, database } = keptAnswers();
    const state = answers.state();
    database.state = 'two';
    answers.keep(ask('/ada/a'), state, answer('old'));
    assert.equal(answers.find(ask('/ada/a')), undefined);
    database.state = 'one';
    assert.equal(answers.find(ask('/ada/a')), undefined);
  });

  it('of an older state go when one of a newer is kept', () => {
    const { answers, database } = keptAnswers();
    answers.keep(ask('/ada/a'), answers.state(), answer('old'));
    database.state = 'two';
    answers.keep(ask('/ada/b'), answers.state(), answer('new'));
    assert.equal(answers.find(ask('/ada/a')), undefined);
    assert.equal(answers.find(ask('/ada/b'))?.body, 'new');
  });

  it('are none where the database cannot tell its state', () => {
    const { answers } = keptAnswers(null);
    const { answers: unknown } = keptAnswers();
    answers.keep(ask('/ada/a'), undefined, answer('a'));
    unknown.keep(ask('/ada/a'), undefined, answer('a'));
    assert.equal(answers.find(ask('/ada/a')), undefined);
    assert.equal(unknown.find(ask('/ada/a')), undefined);
  });

  it('are none where the database fails to tell, which whoever asks it next finds out', () => {
    let fails = false;
    const answers = new KeptAnswers(() => {
      if (fails) throw new Error('disk I/O error');
      return 'one';
    });
    const state = answers.state();
    answers.keep(ask('/ada/a'), state, answer('a'));
    fails = true;
    answers.keep(ask('/ada/b'), state, answer('b'));
    assert.equal(answers.find(ask('/ada/a')), undefined);
    fails = false;
    assert.equal(answers.find(ask('/ada/b')), undefined);
  });

  it('are not kept for targets with a query, of which there is no end', () => {
    const { answers } = keptAnswers();
    answers.keep(ask('/ada/a?1'), answers.state(), answer('a'));
    assert.equal(answers.find(ask('/ada/a?1')), undefined);
  });

  it('take some megabytes at most, however many are asked for, and the oldest go', () => {
    const { answers } = keptAnswers();
    const body = 'x'.repeat(10_000);
    const kept = (count: number) =>
      Array.from({ length: count }, (_, index) => answers.find(ask(`/ada/${index}`))).filter(
        Boolean,
      ).length;
    for (let index = 0; index < 300; index += 1) {
      // Often, and counted once.
      for (let times = 0; times < 10; times += 1) {
        answers.keep(ask(`/ada/${index}`), answers.state(), answer(body));
      }
    }
    assert.equal(kept(300), 300);
    for (let index = 300; index < 2_000; index += 1) {
      answers.keep(ask(`/ada/${index}`), answers.state(), answer(body));
    }
    assert.ok(kept(2_000) > 300 && kept(2_000) * 2 * body.length < 8 * 1024 * 1024);
    assert.equal(kept(300), 0);
    assert.ok(answers.find(ask('/ada/1999')));
  });

  it('are not kept for addresses and wishes of unheard-of length', () => {
    const { answers } = keptAnswers();
    const long = 'x'.repeat(513);
    for (const request of [ask(`/${long}`), ask('/ada/a', { accept: long })]) {
      answers.keep(request, answers.state(), answer('a'));
      assert.equal(answers.find(request), undefined);
    }
  });
});
