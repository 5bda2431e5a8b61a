import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  cycleHeading,
  deeperIndent,
  shallowerIndent,
  toggleList,
  toggleQuote,
} from '../../src/web/client/editor/lines.ts';

describe('lines of Markdown', () => {
  it('become a list of each kind, and plain again', () => {
    const plain = ['one', '', '  two'];
    const cases = [
      ['bullets', ['- one', '', '  - two']],
      ['numbers', ['1. one', '', '  2. two']],
      ['tasks', ['- [ ] one', '', '  - [ ] two']],
    ] as const;
    for (const [kind, listed] of cases) {
      assert.deepEqual(toggleList(plain, kind), listed);
      assert.deepEqual(toggleList(listed, kind), plain);
    }
  });

  it('change from one kind of list to another without two markers', () => {
    assert.deepEqual(toggleList(['- one', '* [x] two'], 'numbers'), ['1. one', '2. two']);
    assert.deepEqual(toggleList(['3) one'], 'tasks'), ['- [ ] one']);
    assert.deepEqual(toggleList(['- [x] one'], 'bullets'), ['- one']);
  });

  it('begin a list where there is nothing yet', () => {
    assert.deepEqual(toggleList([''], 'bullets'), ['- ']);
  });

  it('go through three levels of heading and back to text', () => {
    const levels = ['Text'];
    for (let use = 0; use < 4; use++) levels.push(cycleHeading(levels.at(-1) ?? ''));
    assert.deepEqual(levels, ['Text', '# Text', '## Text', '### Text', 'Text']);
    assert.equal(cycleHeading('#no heading'), '# #no heading');
  });

  it('are quoted together and unquoted only where all are', () => {
    assert.deepEqual(toggleQuote(['a', '> b']), ['> a', '> > b']);
    assert.deepEqual(toggleQuote(['> a', '>b']), ['a', 'b']);
  });

  it('go below the item before them, as far in as its text', () => {
    assert.equal(deeperIndent('- b', ['- a']), 2);
    assert.equal(deeperIndent('- b', ['10. a']), 4);
    assert.equal(deeperIndent('- [ ] b', ['- [ ] a']), 2);
    assert.equal(deeperIndent('  - c', ['- a', '  - b']), 4);
    assert.equal(deeperIndent('- a', ['Text']), undefined, 'the first item has none to go below');
    assert.equal(deeperIndent('  - b', ['- a']), undefined, 'it is there already');
  });

  it('come back out to beside their parent', () => {
    assert.equal(shallowerIndent('    - c', ['- a', '  - b']), 2);
    assert.equal(shallowerIndent('  - b', ['- a']), 0);
    assert.equal(shallowerIndent('- a', []), 0);
  });
});
