import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EditorState, type StateCommand, type Transaction } from '@codemirror/state';
import { FORMATS } from './client/format.ts';
import {
  cycleHeading,
  deeperIndent,
  shallowerIndent,
  toggleList,
  toggleQuote,
  withOneMarker,
} from './client/lines.ts';

/** Runs a command of the toolbar on a text, in which `|` is the cursor. */
function formatted(command: string, text: string): string {
  const at = text.indexOf('|');
  let state = EditorState.create({ doc: text.replace('|', ''), selection: { anchor: at } });
  const dispatch = (transaction: Transaction) => {
    state = transaction.state;
  };
  (FORMATS[command] as StateCommand)({ state, dispatch });
  const { head } = state.selection.main;
  return `${state.sliceDoc(0, head)}|${state.sliceDoc(head)}`;
}

describe('Lines of Markdown', () => {
  it('become each kind of list, and plain again', () => {
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

  it('change between kinds of lists without two markers', () => {
    assert.deepEqual(toggleList(['- one', '* [x] two'], 'numbers'), ['1. one', '2. two']);
    assert.deepEqual(toggleList(['3) one'], 'tasks'), ['- [ ] one']);
    assert.deepEqual(toggleList(['- [x] one'], 'bullets'), ['- one']);
  });

  it('lose the marker before another one', () => {
    const cases = [
      ['- - ', '- '],
      ['- [ ] - ', '- '],
      ['2. 2. ', '2. '],
      ['  -   * ', '  * '],
      ['- ', undefined],
      ['- text - ', undefined],
      ['- **', undefined],
    ] as const;
    for (const [line, expected] of cases) assert.equal(withOneMarker(line), expected, line);
  });

  it('start a list on an empty line', () => {
    assert.deepEqual(toggleList([''], 'bullets'), ['- ']);
  });

  it('cycle through three heading levels and text', () => {
    const levels = ['Text'];
    for (let use = 0; use < 4; use++) levels.push(cycleHeading(levels.at(-1) ?? '', 1));
    assert.deepEqual(levels, ['Text', '# Text', '## Text', '### Text', 'Text']);
    assert.equal(cycleHeading('#no heading', 1), '# #no heading');
  });

  it('below the title, headings begin with the second level', () => {
    for (const [before, after] of [
      ['# Title\n\nText|', '# Title\n\n## Text|'],
      ['# Title\n\n## Text|', '# Title\n\n### Text|'],
      ['# Title\n\n### Text|', '# Title\n\nText|'],
      ['Text|', '# Text|'],
      ['# Title|\n\nText', '## Title|\n\nText'],
    ] as const) {
      assert.equal(formatted('heading', before), after);
    }
  });

  it('the command that began bold words ends them', () => {
    for (const [before, after] of [
      ['a |', 'a **|**'],
      ['a **b|**', 'a **b**|'],
      ['a **b|', 'a **b**|**'],
      ['a **|**', 'a |'],
      ['**a** b|**', '**a** b**|****'],
    ] as const) {
      assert.equal(formatted('bold', before), after);
    }
  });

  it('are quoted unless all are quoted already; then they are unquoted', () => {
    assert.deepEqual(toggleQuote(['a', '> b']), ['> a', '> > b']);
    assert.deepEqual(toggleQuote(['> a', '>b']), ['a', 'b']);
  });

  it('indent below the item before them, aligned with its text', () => {
    assert.equal(deeperIndent('- b', ['- a']), 2);
    assert.equal(deeperIndent('- b', ['10. a']), 4);
    assert.equal(deeperIndent('- [ ] b', ['- [ ] a']), 2);
    assert.equal(deeperIndent('  - c', ['- a', '  - b']), 4);
    assert.equal(deeperIndent('- a', ['Text']), undefined, 'the first item has none to go below');
    assert.equal(deeperIndent('  - b', ['- a']), undefined, 'it is there already');
  });

  it('outdent to their parent’s level', () => {
    assert.equal(shallowerIndent('    - c', ['- a', '  - b']), 2);
    assert.equal(shallowerIndent('  - b', ['- a']), 0);
    assert.equal(shallowerIndent('- a', []), 0);
  });
});
