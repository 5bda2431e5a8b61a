import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { ChangeSet, Text } from '@codemirror/state';
import { touchSameWords } from './client/co-editing.ts';

const BASE = 'The work starts in May.\nThe end of it.';

/** Returns what changes a text to another: from the first to the last difference. */
function rewriting(to: string): ChangeSet {
  let from = 0;
  while (from < Math.min(BASE.length, to.length) && BASE[from] === to[from]) from += 1;
  let end = 0;
  const most = Math.min(BASE.length, to.length) - from;
  while (end < most && BASE.at(-1 - end) === to.at(-1 - end)) end += 1;
  const insert = to.slice(from, to.length - end);
  return ChangeSet.of({ from, to: BASE.length - end, insert }, BASE.length);
}

describe('Changes of two people in one text', () => {
  const cases: [boolean, string, string, string][] = [
    [true, 'rewrite a sentence', 'Nothing starts.\nThe end of it.', 'We start.\nThe end of it.'],
    [true, 'change one word', BASE.replace('May', 'June'), BASE.replace('May', 'July')],
    [true, 'change neighbouring words', BASE.replace('in', 'by'), BASE.replace('May', 'July')],
    [true, 'add letters to one word', BASE.replace('work', 'wo-rk'), BASE.replace('work', 'workx')],
    [true, 'add words that run together', `${BASE}June`, `${BASE}July`],
    [true, 'delete and change', '\nThe end of it.', BASE.replace('work', 'task')],
    [false, 'change words apart', BASE.replace('work', 'task'), BASE.replace('May', 'July')],
    [
      false,
      'change lines that follow',
      BASE.replace('May.', 'July'),
      BASE.replace('\nThe', '\nAn'),
    ],
    [false, 'add lines at the end', `${BASE}\none`, `${BASE}\ntwo`],
    [false, 'add sentences at the end', `${BASE} One.`, `${BASE} Two.`],
  ];
  for (const [isSame, what, theirs, mine] of cases) {
    it(`touch ${isSame ? 'the same' : 'other'} words if they ${what}`, () => {
      const both = [rewriting(theirs), rewriting(mine)] as const;
      const text = Text.of(BASE.split('\n'));
      assert.equal(touchSameWords(text, ...both), isSame);
      assert.equal(touchSameWords(text, both[1], both[0]), isSame, 'whoever comes first');
    });
  }
});
