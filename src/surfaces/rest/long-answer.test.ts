import { strict as assert } from 'node:assert';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { inPieces } from './long-answer.ts';

const LONG = 200_000;

describe('A response with a long text', () => {
  it('is the same JSON in pieces as at once', async () => {
    for (const piece of ['a', '"', '\\', '\n\u0001', 'é', '😀', 'x😀', '\ud83d', '\ude00x', '$&']) {
      const data = { id: '1', html: piece.repeat(LONG), name: 'last' };
      const stream = inPieces(data, JSON.stringify);
      assert.ok(stream, piece);
      // Compared with ===, which prints no megabytes on failure.
      assert.ok((await text(stream)) === JSON.stringify({ data }), JSON.stringify(piece));
    }
  });

  it('is unchanged without a long text', () => {
    assert.equal(inPieces({ id: '1', content: 'short' }, JSON.stringify), undefined);
    assert.equal(inPieces([{ id: '1' }], JSON.stringify), undefined);
  });

  it('is unchanged if another field contains the placeholder', () => {
    const data = { name: '\u{f8ff}text\u{f8ff}', content: 'x'.repeat(LONG) };
    assert.equal(inPieces(data, JSON.stringify), undefined);
  });
});
