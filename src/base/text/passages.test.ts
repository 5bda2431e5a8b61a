import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { changes } from './changes.ts';
import { changedPassages } from './passages.ts';

/** Tells the passages of a change as `old → new`, and checks that together they make it. */
function told(before: string, after: string, longest = 1_000): string[] | undefined {
  const passages = changedPassages(before, changes(before, after), longest);
  if (!passages) return undefined;
  const made = passages.reduceRight(
    (text, { start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end),
    before,
  );
  assert.equal(made, after);
  return passages.map(
    ({ start, end, replacement }) => `${before.slice(start, end)}→${replacement}`,
  );
}

describe('changed passages', () => {
  const TEXT = 'The plan is ready for everyone to read.\n\nIt costs ten thousand a year.\n';

  it('are the words that changed', () => {
    const after = TEXT.replace('ready', 'finished').replace('ten thousand', 'five hundred');
    assert.deepEqual(told(TEXT, after), ['ready→finished', 'ten thousand→five hundred']);
  });

  it('leave out what follows a deleted word', () => {
    assert.deepEqual(told(TEXT, TEXT.replace(' a year.', '.')), [' a year→']);
  });

  it('are one where few words stand between changes of a line', () => {
    const after = TEXT.replace('plan is ready', 'draft is finished');
    assert.deepEqual(told(TEXT, after), ['plan is ready→draft is finished']);
  });

  it('take the word beside an insertion', () => {
    assert.deepEqual(told(TEXT, TEXT.replace('ready', 'almost ready')), ['is →is almost ']);
    const [only = '', ...rest] = told(TEXT, `${TEXT}\nOne more paragraph.\n`) ?? [];
    assert.deepEqual(rest, []);
    assert.match(only, /^year\./);
    assert.match(
      told(TEXT, `Before it all.\n\n${TEXT}`)?.[0] ?? '',
      /^The→Before it all\.\n\nThe$/,
    );
  });

  it('are cut where they are too long to quote', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `Line ${index} of a long part.\n`);
    const before = `Start here.\n${lines.join('')}End here.\n`;
    const parts = told(before, 'Start here.\nEnd here.\n', 100);
    assert.ok(parts && parts.length > 5);
    for (const part of parts) assert.ok(part.length <= 101 && part.endsWith('→'));
  });

  it('can’t be told of a text without words', () => {
    assert.equal(told('', 'Everything is new.\n'), undefined);
    assert.equal(told('\n \n', 'Everything is new.\n'), undefined);
  });

  it('leave characters whole', () => {
    const before = `${'😀'.repeat(80)}\n`;
    const after = `${'😀'.repeat(80)} more words\n`;
    for (const part of told(before, after) ?? ['\ud83d']) assert.ok(part.isWellFormed());
  });
});
