import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { nameFromFile, nameFromHeading, normaliseName, parseName } from './document-name.ts';

const ACCEPTED = /^[\p{L}\p{M}\p{Nd}\-_.]+$/u;

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 130 }),
  fc.string({ unit: 'grapheme', maxLength: 130 }),
  fc.string({
    unit: fc.constantFrom(...'aAİıſKΣσJW.-_ \u0301\u0307\u030A\u030C\u00a0\u2028mdhtl!/'),
    maxLength: 130,
  }),
  fc.string({ maxLength: 20 }).map((start) => `${start}.md`),
);

const runs = { numRuns: 3_000 };

/** Implements the rule of decisions.md, part "Names", literally. */
function isName(name: string): boolean {
  const length = [...name].length;
  return (
    length >= 1 &&
    length <= 100 &&
    ACCEPTED.test(name) &&
    name === name.normalize('NFC') &&
    name === name.toLowerCase() &&
    !['.', '..'].includes(name) &&
    !name.endsWith('.md') &&
    !name.endsWith('.html')
  );
}

describe('normaliseName', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(text, (given) => {
        const once = normaliseName(given);
        assert.equal(normaliseName(once), once);
      }),
      runs,
    );
  });

  it('ignores case, composition and surrounding white space', () => {
    fc.assert(
      fc.property(text, (given) => {
        const name = normaliseName(given);
        assert.equal(normaliseName(given.normalize('NFD')), name);
        assert.equal(normaliseName(given.normalize('NFC')), name);
        assert.equal(normaliseName(` \t${given}\u3000\n`), name);
        assert.equal(normaliseName(given.toLowerCase()), name);
      }),
      runs,
    );
  });

  it('composes characters that lowercasing leaves decomposed', () => {
    // These have no composed capital letter.
    assert.equal(normaliseName('J\u030C W\u030A T\u0308 H\u0331'), 'ǰ-ẘ-ẗ-ẖ'.normalize('NFC'));
  });

  it('leaves no white space and no decomposed characters', () => {
    fc.assert(
      fc.property(text, (given) => {
        const name = normaliseName(given);
        assert.doesNotMatch(name, /\s/u);
        assert.equal(name, name.normalize('NFC'));
      }),
      runs,
    );
  });
});

describe('parseName', () => {
  it('accepts exactly the texts that are valid names after normalising', () => {
    fc.assert(
      fc.property(text, (given) => {
        const parsed = parseName(given);
        const normal = normaliseName(given);
        if ('name' in parsed) {
          assert.equal(parsed.name, normal);
          assert.ok(isName(parsed.name), parsed.name);
        } else {
          assert.ok(!isName(normal), `${normal}: ${parsed.problem}`);
        }
      }),
      runs,
    );
  });

  it('an accepted name is unchanged by normalising and by a URL', () => {
    fc.assert(
      fc.property(text, (given) => {
        const parsed = parseName(given);
        fc.pre('name' in parsed);
        assert.deepEqual(parseName(parsed.name), parsed);
        const { pathname } = new URL(`http://x/ada/${encodeURIComponent(parsed.name)}`);
        assert.equal(decodeURIComponent(pathname), `/ada/${parsed.name}`);
      }),
      runs,
    );
  });

  it('counts characters, not code units: 100 are allowed, 101 are not', () => {
    for (const letter of ['a', 'é', '日', '𝒳']) {
      assert.ok('name' in parseName(letter.repeat(100)), letter);
      assert.ok('problem' in parseName(letter.repeat(101)), letter);
    }
    // 101 code units before, 100 after: NFC composes.
    assert.ok('name' in parseName(`${'a'.repeat(99)}e\u0301`));
    // Each has four code units before, one after.
    assert.ok('name' in parseName('\u03b1\u0313\u0342\u0345'.repeat(100)));
  });

  it('refuses more than a thousand code units before normalising', () => {
    assert.deepEqual(parseName(`${' '.repeat(1_000)}a`), {
      problem: 'must have 1 to 100 characters',
    });
    assert.deepEqual(parseName(`${' '.repeat(999)}a`), { name: 'a' });
  });
});

describe('nameFromHeading', () => {
  it('returns a valid name or nothing', () => {
    fc.assert(
      fc.property(text, (heading) => {
        const name = nameFromHeading(heading);
        if (name !== undefined) assert.ok(isName(name), `${JSON.stringify(heading)}: ${name}`);
      }),
      runs,
    );
  });

  it('returns a valid name unchanged', () => {
    fc.assert(
      fc.property(text, (given) => {
        const parsed = parseName(given);
        fc.pre('name' in parsed && !/--|^-|-$/.test(parsed.name));
        assert.equal(nameFromHeading(given), parsed.name);
      }),
      runs,
    );
  });

  it('drops invalid characters, and cuts at 100', () => {
    assert.equal(nameFromHeading('What’s new? (2026)'), 'whats-new-2026');
    assert.equal(nameFromHeading('C++, Rust and “Go”'), 'c-rust-and-go');
    assert.equal(nameFromHeading('A/B: 2025–26 \\ @scope/x|y'), 'ab-202526-scopexy');
    assert.equal(nameFromHeading('Read Me.md'), 'read-me');
    assert.equal(nameFromHeading('x'.repeat(300)), 'x'.repeat(100));
    assert.equal(nameFromHeading(`${'x'.repeat(97)}.md and more`), 'x'.repeat(97));
  });

  it('reads at most ten thousand units, and thirty combining marks in a row', () => {
    assert.equal(nameFromHeading(`${'!'.repeat(9_999)}ab`), 'a');
    assert.equal(nameFromHeading(`a${'\u0300\u0316'.repeat(100_000)}b`)?.length, 30);
    assert.equal(nameFromFile(`${'!'.repeat(9_999)}ab`), 'a');
  });

  it('separates words by single hyphens, none at either end', () => {
    assert.equal(nameFromHeading('before — after | aside'), 'before-after-aside');
    assert.equal(nameFromHeading('🚀 Launch & learn!'), 'launch-learn');
    assert.equal(nameFromHeading('--force -- and more -'), 'force-and-more');
    assert.equal(nameFromHeading(`${'x'.repeat(99)} y`), 'x'.repeat(99));
  });

  it('returns nothing for a heading without usable characters', () => {
    for (const heading of ['', ' ', '!?', '😀', '.', '..', '.md', '.html.md', '🎉 🎉'.trim()]) {
      const name = nameFromHeading(heading);
      assert.equal(name, undefined, heading);
    }
  });
});
