import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { asDeclared } from './as-declared.ts';
import { Choice } from './choice.ts';
import { OptionalText } from './optional-text.ts';

const SCHEMA = Type.Object({
  name: Type.String(),
  owner: OptionalText(),
  content: Type.Optional(Type.String()),
  view: Type.Optional(Choice(['text', 'outline'])),
  from_line: Type.Optional(Type.Integer()),
  dry_run: Type.Optional(Type.Boolean()),
  labels: Type.Optional(Type.Array(Type.String())),
  resolves: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
  edits: Type.Array(
    Type.Object({
      op: Choice(['append', 'section']),
      content: Type.Optional(Type.String()),
      old: OptionalText(),
      all: Type.Optional(Type.Boolean()),
    }),
  ),
});
const EDIT = { op: 'append', content: 'x' };

/** What a host sends, and what the tool gets. `undefined` means absent. */
const READ: [argument: string, sent: unknown, got: unknown][] = [
  ['edits', '[{"op":"append","content":"x"}]', [EDIT]],
  ['edits', ' \n[ {"op":"append","content":"x"} ]', [EDIT]],
  ['edits', '{"op":"append","content":"x"}', [EDIT]],
  ['edits', EDIT, [EDIT]],
  ['edits', ['{"op":"append","content":"x"}'], [EDIT]],
  ['edits', [{ ...EDIT, all: 'true' }], [{ ...EDIT, all: true }]],
  ['edits', [{ ...EDIT, all: '', old: '' }], [EDIT]],
  ['edits', [{ ...EDIT, all: null }], [EDIT]],
  ['edits', [{ op: 'append', content: '' }], [{ op: 'append', content: '' }]],
  ['edits', [{ op: 'append', content: '[1]' }], [{ op: 'append', content: '[1]' }]],
  ['from_line', '3', 3],
  ['from_line', ' 3 ', 3],
  ['from_line', '3.0', 3],
  ['from_line', '-1', -1],
  ['from_line', '', undefined],
  ['from_line', 'null', undefined],
  ['dry_run', 'true', true],
  ['dry_run', 'False', false],
  ['dry_run', '', undefined],
  ['view', '', undefined],
  ['view', 'null', undefined],
  ['labels', 'a', ['a']],
  ['labels', '["a","b"]', ['a', 'b']],
  ['labels', '[draft', ['[draft']],
  ['labels', '', undefined],
  ['labels', '[]', []],
  ['resolves', '[]', undefined],
  ['resolves', [], undefined],
  ['resolves', 'id', ['id']],
  ['labels', ['a', 'b'], ['a', 'b']],
  ['owner', '', undefined],
  ['owner', null, undefined],
  ['content', '', ''],
  ['content', 'null', 'null'],
  ['content', '["a"]', '["a"]'],
  ['name', 'null', 'null'],
  ['name', 2024, '2024'],
  ['name', 0, '0'],
  ['name', true, 'true'],
  ['content', 1, '1'],
  ['labels', 2024, ['2024']],
  ['labels', [2024, 'a'], ['2024', 'a']],
  ['edits', [{ op: 'append', content: 5 }], [{ op: 'append', content: '5' }]],
];

/** What stays as it is, for the schema to refuse. */
const LEFT: [argument: string, sent: unknown][] = [
  ['edits', 'append x'],
  ['edits', '[{"op":"append"'],
  ['edits', '[{"__proto__":{}}]'],
  ['edits', `${'['.repeat(200)}${']'.repeat(200)}`],
  ['edits', `[${'{},'.repeat(3_000)}{}]`],
  ['edits', ''],
  ['edits', 7],
  ['from_line', '3rd'],
  ['from_line', '1e3'],
  ['from_line', '99999999999999999999'],
  ['from_line', true],
  ['dry_run', 'yes'],
  ['dry_run', 1],
  ['labels', { a: 1 }],
  ['content', 1.1],
  ['content', 1e21],
  ['name', ''],
  ['name', ['x']],
];

describe('Arguments as hosts send them', () => {
  it('are read where the schema leaves one reading', () => {
    for (const [argument, sent, got] of READ) {
      const read = asDeclared({ [argument]: sent }, SCHEMA) as Record<string, unknown>;
      const what = `${argument}: ${JSON.stringify(sent)}`;
      assert.deepEqual(read, got === undefined ? {} : { [argument]: got }, what);
    }
  });

  it('are left to the schema where it leaves none or several', () => {
    for (const [argument, sent] of LEFT) {
      const read = asDeclared({ [argument]: sent }, SCHEMA) as Record<string, unknown>;
      const what = `${argument}: ${JSON.stringify(sent).slice(0, 80)}`;
      const isKept = JSON.stringify(read[argument]) === JSON.stringify(sent);
      assert.ok(isKept, `${what} became ${JSON.stringify(read[argument])?.slice(0, 80)}`);
    }
    assert.deepEqual(asDeclared({ stray: null }, SCHEMA), { stray: null });
    assert.deepEqual(asDeclared(undefined, SCHEMA), {});
  });
});
