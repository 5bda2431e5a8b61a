import { strict as assert } from 'node:assert';
import { it } from 'node:test';
import { Text } from '@codemirror/state';
import { headingOf } from './client/title.ts';

const TEXTS: [what: string, text: string, words: string | undefined, after?: string][] = [
  ['a heading', '# One\n\nText', 'One', 'Text'],
  ['without an empty line', '# One\nText', 'One', 'Text'],
  ['nothing below', '# One', 'One'],
  ['an empty line below', '# One\n', 'One', ''],
  ['an empty line and one more', '# One\n\n', 'One', ''],
  ['below empty lines', '\n\n# One\n\nText', 'One', 'Text'],
  ['underlined', 'One\n===\n\nText', 'One', 'Text'],
  ['no words yet', '# \n\nText', '', 'Text'],
  ['below front matter', '---\ntags: a\n---\n\n# One\n\nText', 'One', 'Text'],
  ['front matter only', '---\ntags: a\n---\n', undefined],
  ['a line across, not front matter', '---\n\n# One', undefined],
  ['the second level', '## One', undefined],
  ['a tag', '#one', undefined],
  ['a mark alone', '#', undefined],
  ['later', 'Text\n\n# One', undefined],
  ['code', '    # One', undefined],
  ['nothing', '', undefined],
];

for (const [what, text, words, after] of TEXTS) {
  it(`finds the title: ${what}`, () => {
    const doc = Text.of(text.split('\n'));
    const found = headingOf(doc);
    assert.equal(found && doc.sliceString(found.wordsFrom, found.wordsTo), words);
    if (!found || after === undefined) return;
    assert.equal(doc.sliceString(found.end + 1), after);
  });
}
