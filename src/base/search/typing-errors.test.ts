import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { errorKeys, errorsForgiven, typingErrors } from './typing-errors.ts';

const MOST = 2;

/** Words of few letters, so that many are similar. */
const word = fc.string({ unit: fc.constantFrom(...'abcdeß愛𝒳'), minLength: 1, maxLength: 12 });

/** A word, and the same word with typos. */
const misspelled = fc
  .tuple(
    word,
    fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom(...'abc𝒳')), { maxLength: 2 }),
  )
  .map(([word, errors]) => {
    const characters = [...word];
    for (const [at, error, letter] of errors) {
      const index = at % (characters.length + 1);
      if (error === 0) characters.splice(index, 1);
      else if (error === 1) characters.splice(index, 0, letter);
      else if (error === 2) characters.splice(index, 1, letter);
      else characters.splice(index, 2, ...characters.slice(index, index + 2).reverse());
    }
    return [word, characters.join('')] as const;
  });

describe('Typing errors', () => {
  it('are counted: an added, missing, replaced or swapped letter is one', () => {
    for (const [one, other, errors] of [
      ['budget', 'budget', 0],
      ['budgte', 'budget', 1],
      ['budgett', 'budget', 1],
      ['budet', 'budget', 1],
      ['bidget', 'budget', 1],
      ['arhcitecutre', 'architecture', 2],
      ['arhcitecutrre', 'architecture', undefined],
      ['play', 'budget', undefined],
    ] as const) {
      assert.equal(typingErrors(one, other, MOST), errors, `${one} ${other}`);
    }
  });

  it('are tolerated depending on the length, and never in numbers', () => {
    for (const [word, errors] of [
      ['pla', 0],
      ['plan', 1],
      ['budgets', 1],
      ['budgeted', 2],
      ['2026', 0],
      ['version12', 0],
      ['𝒳𝒳𝒳', 0],
    ] as const) {
      assert.equal(errorsForgiven(word), errors, word);
    }
  });

  it('are symmetric, and at most as many as without swaps', () => {
    fc.assert(
      fc.property(misspelled, ([one, other]) => {
        const errors = typingErrors(one, other, MOST);
        assert.equal(typingErrors(other, one, MOST), errors);
        const [a, b] = [one, other].map((word) => word.replaceAll('𝒳', 'X')) as [string, string];
        const most = distance(a, b);
        if (most <= MOST) assert.ok(errors !== undefined && errors <= most);
        // Without swaps, this would be two errors.
        if (errors !== undefined) assert.ok(most <= 2 * errors);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leave a common key, of at most 29', () => {
    fc.assert(
      fc.property(misspelled, ([one, other]) => {
        const most = Math.min(errorsForgiven(one), errorsForgiven(other));
        if (most === 0 || typingErrors(one, other, most) === undefined) return;
        const keys = errorKeys(one);
        assert.ok(keys.length <= 29);
        assert.ok(errorKeys(other).some((key) => keys.includes(key)));
      }),
      { numRuns: 5_000 },
    );
  });
});
