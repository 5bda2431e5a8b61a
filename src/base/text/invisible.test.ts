import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { findInvisible, splitInvisible } from './invisible.ts';

describe('Invisible characters', () => {
  it('are told apart from those that belong to what is seen', () => {
    const hidden = [
      'a\u200bb',
      'a\u202eb',
      'a\u{e0041}',
      'a\u00adb',
      'a\u2060',
      '\u0007',
      'a\u200db',
    ];
    hidden.push('\ufeffa', 'a\u3164', 'a\u034f', 'a\u2066b', 'a\ufe0f', 'a\u2028b', 'a\u2800');
    for (const text of hidden) assert.equal(findInvisible(text).length, 1, JSON.stringify(text));
    const seen = [
      'plain\ttext\r\n',
      '\u2764\ufe0f',
      '1\ufe0f\u20e3',
      '\u0645\u06cc\u200c\u062e\u0648',
    ];
    // A family, and a script that needs joiners.
    seen.push('\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', '\u0915\u094d\u200d\u0937');
    for (const text of seen) assert.deepEqual(findInvisible(text), [], JSON.stringify(text));
  });

  it('are named, counted and found by line', () => {
    assert.deepEqual(splitInvisible('a\u200bb\u{e0041}'), [
      'a',
      { code: 'U+200B', name: 'zero width space' },
      'b',
      { code: 'U+E0041', name: 'tag “A”' },
    ]);
    assert.deepEqual(findInvisible('\u200b\n\nx\u200b\u200b\n\u202e'), [
      { code: 'U+200B', name: 'zero width space', count: 3, lines: [1, 3] },
      { code: 'U+202E', name: 'right-to-left override', count: 1, lines: [4] },
    ]);
  });

  it('take time in proportion to the text', () => {
    const start = performance.now();
    const [found] = findInvisible('\u200b\n'.repeat(50_000));
    assert.equal(found?.count, 50_000);
    assert.ok(performance.now() - start < 2_000);
  });
});
