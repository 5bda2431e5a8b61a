import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newChance } from '../../../test/chance.ts';
import { difference } from './client/edits.ts';

describe('What was typed into a field', () => {
  it('is the characters that were typed, up to the caret', () => {
    const typed = (before: string, after: string) => {
      const { from, to, insert } = difference(
        before,
        after.replace('|', ''),
        after.includes('|') ? after.indexOf('|') : undefined,
      );
      return `${before.slice(0, from)}[${before.slice(from, to)}>${insert}]${before.slice(to)}`;
    };
    assert.equal(typed('pears', 'peax|rs'), 'pea[>x]rs');
    assert.equal(typed('aaa', 'aa|aa'), 'a[>a]aa');
    assert.equal(typed('aaa', 'aaaa'), 'aaa[>a]');
    assert.equal(typed('aaa', '|aa'), '[a>]aa');
    assert.equal(typed('one two', 'one three|'), 'one t[wo>hree]');
    assert.equal(typed('', 'a'), '[>a]');
    assert.equal(typed('😀', '😁'), '[😀>😁]');
    assert.equal(typed('a😀', 'a😀|😀'), 'a[>😀]😀');
    // Where something beyond the caret changed, too.
    assert.equal(typed('teh end', 'the| End'), 't[eh e>he E]nd');
  });

  it('makes the one text of the other, whatever both are', () => {
    const chance = newChance('differences');
    const text = () =>
      Array.from({ length: chance.below(9) }, () => chance.pick(['a', 'b', '😀', '😁', ' '])).join(
        '',
      );
    for (let round = 0; round < 5_000; round++) {
      const [before, after] = [text(), text()];
      const { from, to, insert } = difference(before, after, chance.below(after.length + 1));
      assert.ok(from <= to);
      assert.equal(before.slice(0, from) + insert + before.slice(to), after);
      for (const part of [before.slice(0, from), insert, before.slice(to)])
        assert.ok(part.isWellFormed(), `${before} ${after}`);
    }
  });
});
