import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DOCUMENT_ACTS } from '../document/addresses.ts';
import { isReservedNamespace, parseNamespace } from './namespace.ts';

const runs = { numRuns: 3_000 };
const part = fc.stringMatching(/^[A-Za-z0-9]{1,8}$/);
const wellFormed = fc
  .array(part, { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('-'))
  .filter((namespace) => namespace.length <= 39);
const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 45 }),
  fc.string({ unit: fc.constantFrom(...'aZ09-_. \u212A\u0131\u0130\u017F\n'), maxLength: 45 }),
);

/** The rule of the decisions, part "Names", implemented literally. */
function isNamespace(text: string): boolean {
  const characters = text.split('');
  return (
    characters.length >= 1 &&
    characters.length <= 39 &&
    characters.every((character) => 'abcdefghijklmnopqrstuvwxyz0123456789-'.includes(character)) &&
    !text.startsWith('-') &&
    !text.endsWith('-') &&
    !text.includes('--')
  );
}

describe('parseNamespace', () => {
  it('lowercases well-formed names', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        const namespace = parseNamespace(text);
        assert.equal(namespace, text.toLowerCase());
        assert.equal(parseNamespace(namespace as string), namespace);
      }),
      runs,
    );
  });

  it('returns undefined only for invalid namespaces', () => {
    fc.assert(
      fc.property(fc.oneof(anything, wellFormed), (text) => {
        const namespace = parseNamespace(text);
        if (namespace === undefined) {
          const ascii = [...text].every((character) => character < '\u0080');
          assert.ok(!ascii || !isNamespace(text.toLowerCase()), text);
        } else {
          assert.ok(isNamespace(namespace), namespace);
        }
      }),
      runs,
    );
  });

  it('refuses look-alikes that case folding would make ASCII', () => {
    for (const text of ['\u212A', 'as\u212A', '\u0130x', '\u0131x', '\u017Fecure', 'ａ']) {
      assert.equal(parseNamespace(text), undefined, text);
    }
  });
});

describe('isReservedNamespace', () => {
  it('includes the words of the decisions and the segments of the configuration', () => {
    for (const word of ['admin', 'api', 'www', 'support', 'security', 'healthz', 'readyz']) {
      assert.ok(isReservedNamespace(word, []), word);
    }
    for (const act of DOCUMENT_ACTS) assert.ok(isReservedNamespace(act, []), act);
    assert.ok(!isReservedNamespace('backend', []));
    assert.ok(isReservedNamespace('backend', ['backend']));
    for (const word of ['ada', 'grace', 'engines']) assert.ok(!isReservedNamespace(word, ['x']));
  });
});
