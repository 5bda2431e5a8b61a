import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readJson } from './json.ts';

const read = (text: string, maxValues = 10_000) => readJson(Buffer.from(text), maxValues);

/** The number of values in a parsed value, including itself. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + countValues(each), 1);
}

const DEEP = { problem: 'is nested more than 100 levels deep' };

describe('Untrusted JSON', () => {
  it('is parsed like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false, maxDepth: 5 }), (text) => {
        fc.pre(!/__proto__|constructor/.test(text));
        assert.deepEqual(read(text), { value: JSON.parse(text) });
      }),
    );
  });

  it('100 levels of nesting are accepted, 101 are refused', () => {
    const nested = (levels: number, open: string, close: string) =>
      open.repeat(levels) + close.repeat(levels);
    assert.ok('value' in read(nested(100, '[', ']')));
    assert.deepEqual(read(nested(101, '[', ']')), DEEP);
    assert.ok('value' in read(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`));
    assert.deepEqual(read(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`), DEEP);
    assert.deepEqual(read('['.repeat(5_000_000)), DEEP);
    assert.ok(
      'value' in read(`[${'[],'.repeat(1_000)}[]]`),
      'many beside one another are no depth',
    );
  });

  it('the maximum number of values is accepted, one more is refused', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false, maxDepth: 5 }), fc.nat(2), (text, indent) => {
        fc.pre(!/__proto__|constructor/.test(text));
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        const count = countValues(JSON.parse(text));
        assert.ok('value' in read(spaced, count), `${count} values: ${spaced}`);
        const problem = `has more than ${count - 1} values`;
        assert.deepEqual(read(spaced, count - 1), { problem });
      }),
    );
  });

  it('too many values are refused before parsing', () => {
    for (const text of ['[[],'.repeat(50), '[],'.repeat(5_000), '{"a":1,'.repeat(50), ',,,,,,']) {
      assert.deepEqual(read(text, 5), { problem: 'has more than 5 values' }, text.slice(0, 9));
    }
    assert.deepEqual(read('[1,2', 1_000), { problem: 'is not well-formed JSON' });
    assert.deepEqual(read(`[${'1,'.repeat(2_000)}1]`, 1_500), {
      problem: 'has more than 1,500 values',
    });
  });

  it('brackets inside strings don’t count', () => {
    for (const text of [
      '['.repeat(500),
      `\\"${'['.repeat(500)}`,
      `\\\\\\"${'{'.repeat(500)}\\\\`,
    ]) {
      assert.ok('value' in read(`{"a":"${text}","b":[]}`), text.slice(0, 9));
    }
    assert.deepEqual(read(`{"a":"\\\\",${'['.repeat(101)}`), DEEP, 'the string ends there');
    assert.deepEqual(read(`"${'['.repeat(500)}`), { problem: 'is not well-formed JSON' });
  });

  it('errors name the fault', () => {
    const forbidden = { problem: 'has a forbidden field name (__proto__ or constructor)' };
    assert.deepEqual(read('{"__proto__":{}}'), forbidden);
    assert.deepEqual(read('{"a":{"constructor":{"prototype":{}}}}'), forbidden);
    assert.deepEqual(read(''), { problem: 'is not well-formed JSON' });
    assert.deepEqual(readJson(Buffer.from([0x22, 0xff, 0x22]), 1), { problem: 'is not UTF-8' });
  });
});
