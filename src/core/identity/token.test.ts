import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hashSecret } from '../../base/crypto/hash-secret.ts';
import { formatToken, isWellFormedToken, TOKEN_SECRET_BYTES } from './token.ts';

const secret = fc.uint8Array({ minLength: TOKEN_SECRET_BYTES, maxLength: TOKEN_SECRET_BYTES });
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('tokens', () => {
  it('hold at least 160 random bits', () => {
    assert.ok(TOKEN_SECRET_BYTES * 8 >= 160);
  });

  it('every secret has a well-formed token, and another secret has another token', () => {
    fc.assert(
      fc.property(secret, secret, (one, other) => {
        const token = formatToken(one);
        assert.match(token, /^brf_[0-9A-Za-z]{36}$/);
        assert.ok(isWellFormedToken(token));
        assert.equal(formatToken(other) === token, Buffer.from(one).equals(other));
      }),
    );
  });

  it('a wrong character is detected at any position', () => {
    const position = fc.integer({ min: 4, max: 39 });
    fc.assert(
      fc.property(secret, position, fc.constantFrom(...ALPHABET), (bytes, index, character) => {
        const token = formatToken(bytes);
        fc.pre(token[index] !== character);
        const mistyped = token.slice(0, index) + character + token.slice(index + 1);
        assert.ok(!isWellFormedToken(mistyped), mistyped);
      }),
      { numRuns: 1_000 },
    );
  });

  it('swapped neighbours are detected', () => {
    const position = fc.integer({ min: 4, max: 38 });
    fc.assert(
      fc.property(secret, position, (bytes, index) => {
        const characters = [...formatToken(bytes)];
        const [left, right] = [characters[index] as string, characters[index + 1] as string];
        fc.pre(left !== right);
        characters.splice(index, 2, right, left);
        assert.ok(!isWellFormedToken(characters.join('')));
      }),
      { numRuns: 1_000 },
    );
  });

  it('other texts are not well-formed', () => {
    const token = formatToken(new Uint8Array(TOKEN_SECRET_BYTES).fill(7));
    const others = [
      '',
      'brf_',
      token.slice(4),
      ` ${token}`,
      `${token} `,
      `${token}\n`,
      token.toLowerCase(),
      token.slice(0, -1),
      `${token}0`,
      token.replace('brf_', 'BRF_'),
      token.replace('_', '-'),
    ];
    for (const text of others) assert.ok(!isWellFormedToken(text), text);
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => !isWellFormedToken(text)));
  });

  it('are stored as their SHA-256 in hexadecimal', () => {
    const token = formatToken(new Uint8Array(TOKEN_SECRET_BYTES));
    assert.equal(hashSecret(token), createHash('sha256').update(token).digest('hex'));
  });
});
