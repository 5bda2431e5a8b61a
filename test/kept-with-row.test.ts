import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { keptWithRow } from '../src/kept-with-row.ts';

describe('What is made of a row', () => {
  it('is kept, and what is made of that, while the row is', () => {
    let made = 0;
    const double = keptWithRow(({ number }: { number: number }) => ({ number: 2 * number }));
    const text = keptWithRow(({ number }: { number: number }) => {
      made += 1;
      return `${number}`;
    });
    const row = Object.freeze({ number: 1 });
    assert.equal(text(double(row)), '2');
    assert.equal(text(double(row)), '2');
    assert.equal(made, 1);
    assert.equal(text(double(Object.freeze({ number: 3 }))), '6');
  });

  it('is made each time of a row that may change', () => {
    const row = { number: 1 };
    const text = keptWithRow(({ number }: { number: number }) => `${number}`);
    assert.equal(text(row), '1');
    row.number = 2;
    assert.equal(text(row), '2');
  });
});
