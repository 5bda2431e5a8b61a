import assert from 'node:assert/strict';
import { test } from 'node:test';
import { briefLanguage } from './client/language.ts';

/** Returns the nodes of these names, with their texts. */
function found(text: string, names: RegExp): string[] {
  const all: string[] = [];
  briefLanguage.parser.parse(text).iterate({
    enter({ name, from, to }) {
      if (names.test(name)) all.push(`${name} ${text.slice(from, to)}`);
    },
  });
  return all;
}

const NAMES = /^(?:Formula|FormulaBlock|WikiLink|FrontMatter|StrongEmphasis|Table)$/;

test('formulas are as readers see them, and amounts are text', () => {
  assert.deepEqual(found('A $x_1 + y_2$, \\(a^2\\) and $`z`$.', NAMES), [
    'Formula $x_1 + y_2$',
    'Formula \\(a^2\\)',
    'Formula $`z`$',
  ]);
  assert.deepEqual(found('From $5 to $6, $HOME/$PATH, \\[1\\] and `$x$`.', NAMES), []);
  const block = '$$\na\n+ b\n= c\n$$';
  assert.deepEqual(found(`Text\n${block}\nmore **x**`, NAMES), [
    `FormulaBlock ${block}`,
    'StrongEmphasis **x**',
  ]);
  assert.deepEqual(found('$$x^2$$\n\n\\[ x^2 \\]', NAMES), [
    'FormulaBlock $$x^2$$',
    'FormulaBlock \\[ x^2 \\]',
  ]);
  assert.deepEqual(found('$$\nunclosed **x**\n\n| a |\n| - |', NAMES), [
    'StrongEmphasis **x**',
    'Table | a |\n| - |',
  ]);
});

test('wiki links and front matter are as readers see them', () => {
  assert.deepEqual(found('[[plan]] [[a/b#c|label]] [[x]](y) a[[1]] [[ -f x ]]', NAMES), [
    'WikiLink [[plan]]',
    'WikiLink [[a/b#c|label]]',
  ]);
  assert.deepEqual(found('---\ntitle: A\ntags:\n  - b\n---\n\n**x**', NAMES), [
    'FrontMatter ---\ntitle: A\ntags:\n  - b\n---',
    'StrongEmphasis **x**',
  ]);
  assert.deepEqual(found('---\n\nText\n\n---', NAMES), []);
});
