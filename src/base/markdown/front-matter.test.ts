import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFrontMatter } from './front-matter.ts';
import { firstHeading, renderMarkdown } from './render.ts';

const SKILL = '---\nname: reviewer\ndescription: Reviews a change\n---\n\n# Reviewing\n\nText.';

test('front matter is not rendered, and line numbers stay', () => {
  const { html, title, description } = renderMarkdown(SKILL, { sourceLines: true });
  assert.doesNotMatch(html, /reviewer|<hr/);
  assert.match(html, /<h1 data-line="6"/);
  assert.deepEqual([title, description], ['Reviewing', 'Text.']);
});

test('its title is used if the text has no heading', () => {
  const source = '---\ntitle: "Plans:  2026"\n---\nText.';
  assert.equal(firstHeading(source), 'Plans: 2026');
  assert.equal(renderMarkdown(source).title, 'Plans: 2026');
  const long = `---\ntitle: ${'x'.repeat(300)}\n---\n`;
  assert.equal(firstHeading(long)?.length, 256);
});

test('recognizes front matter', () => {
  const cases: [source: string, body: string, title: string | undefined][] = [
    ['---\ntitle: a\n---\nb', '\n\n\nb', 'a'],
    ['---  \r\ntitle: a\r\n---\r\nb', '\n\n\nb', 'a'],
    ['---\ntitle: a\n...\nb', '\n\n\nb', 'a'],
    ['---\ntitle: 2026\n---', '\n\n', '2026'],
    ['---\ntitle: [a]\n---\nb', '\n\n\nb', undefined],
    ['---\na: 1\na: 2\n---\nb', '\n\n\n\nb', undefined],
    ['---\ntitle: a\nb: {\n---\nc', '\n\n\n\nc', 'a'],
    ['---\ntitle: Fix: colon\n---\nc', '\n\n\nc', 'Fix: colon'],
    ['---\nname: x\ntitle: *bold* text\n---\nc', '\n\n\n\nc', '*bold* text'],
    ['---\ntitle: @x\ntags:\n- a\n  # b\n---\nc', '\n\n\n\n\n\nc', '@x'],
    ['---\nnote: |\n  Prose.\n\n  More.\n\nurl: x\n---\nc', '\n\n\n\n\n\n\n\nc', undefined],
  ];
  for (const [source, body, title] of cases) {
    const { yaml, ...read } = readFrontMatter(source);
    assert.deepEqual(read, { body, title }, source);
    assert.ok(yaml !== undefined && source.includes(yaml), source);
  }
});

test('recognizes other text', () => {
  for (const source of [
    '---\n---\ntext',
    '---\nHeading\n---\ntext',
    '---\n- a\n---\ntext',
    '---\ntitle: never closed',
    '---\nStatus: this is the note\n\nWe open the shop.\n\n---\n\n## Details',
    '---\nSubject: a\nDear all,\nit rains.\n---\ntext',
    '---\nToday: x\n\n| a | b |\n|---|---|\n| c | d |\n\n---\ntext',
    '---\nkey: [unclosed\n\nText.\n---\ntext',
    '---\nWhereas: they agree\n- to one\n- to two\n---\ntext',
    '---\nTo do: call *her*: today\n**Then**: sleep\n---\ntext',
    '\n---\ntitle: not at the beginning\n---',
    ' ---\ntitle: indented\n---',
    '----\ntitle: four\n----',
    `---\na: ${'x'.repeat(17_000)}\n---\ntext`,
  ]) {
    assert.deepEqual(
      readFrontMatter(source),
      { body: source, title: undefined, yaml: undefined },
      source.slice(0, 40),
    );
  }
});
