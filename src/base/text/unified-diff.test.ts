import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { twoTexts } from './texts.testing.ts';
import { unifiedDiff } from './unified-diff.ts';

const options = { names: ['r1', 'r2'] as [string, string], maxLength: 100_000 };
const exact = { autoConvertLineEndings: false, fuzzFactor: 0 };

describe('A unified diff', () => {
  it('is a patch that turns the first text into the second', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => {
        // The library can't patch texts without lines, or form feeds and similar characters at line
        // ends.
        fc.pre(a !== '' && b !== '' && !/[\r\u2028\u2029]/.test(a + b));
        const { unified, isCut } = unifiedDiff(a, b, options);
        assert.equal(isCut, false);
        assert.equal(unified === '' ? a : applyPatch(a, unified, exact), b);
      }),
      { numRuns: 500 },
    );
  });

  it('counts the lines that it shows', () => {
    fc.assert(
      fc.property(twoTexts, ([a, b]) => {
        fc.pre(!/[\r\u2028\u2029]/.test(a + b));
        const { unified, added, removed } = unifiedDiff(a, b, options);
        const shown = unified.split('\n').slice(2);
        assert.equal(shown.filter((line) => line.startsWith('+')).length, added);
        assert.equal(shown.filter((line) => line.startsWith('-')).length, removed);
      }),
    );
  });

  it('matches other tools’ output', () => {
    const before = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
    const after = before.with(1, 'TWO').toSpliced(9, 1, 'ten', 'eleven');
    assert.equal(
      unifiedDiff(`${before.join('\n')}\n`, after.join('\n'), options).unified,
      [
        '--- r1',
        '+++ r2',
        '@@ -1,5 +1,5 @@',
        ' one',
        '-two',
        '+TWO',
        ' three',
        ' four',
        ' five',
        '@@ -8,3 +8,4 @@',
        ' eight',
        ' nine',
        ' ten',
        '+eleven',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
    );
  });

  it('shows the requested number of unchanged lines', () => {
    const long = `${'x'.repeat(9)}\u{1f642}y`;
    const before = ['one', long, 'two', long, 'three'];
    const short = { ...options, context: 1, maxUnchanged: 10 };
    assert.equal(
      unifiedDiff(before.join('\n'), before.with(2, `${long} 2`).join('\n'), short).unified,
      [
        '--- r1',
        '+++ r2',
        '@@ -2,3 +2,3 @@',
        ' xxxxxxxxx…',
        '-two',
        `+${long} 2`,
        ' xxxxxxxxx…',
        '',
      ].join('\n'),
    );
  });

  it('of equal texts is empty', () => {
    const none = { unified: '', added: 0, removed: 0, isCut: false };
    assert.deepEqual(unifiedDiff('same\n', 'same\n', options), none);
  });

  it('of completely different texts is cut between lines, with full counts', () => {
    const lines = (word: string) => Array.from({ length: 5_000 }, () => `${word}\n`).join('');
    const found = unifiedDiff(lines('before'), lines('after'), { ...options, maxLength: 500 });
    assert.deepEqual([found.added, found.removed, found.isCut], [5_000, 5_000, true]);
    assert.ok(found.unified.length < 600 && found.unified.endsWith('\n-before\n'));
    const long = unifiedDiff('x'.repeat(1_000), 'y', { ...options, maxLength: 500 });
    assert.equal(long.unified, '--- r1\n+++ r2\n');
    assert.equal(long.isCut, true);
  });
});
