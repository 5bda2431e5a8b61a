import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodeText, encodeText, MAX_DELTAS } from '../../src/text/text-codec.ts';

const text = fc.string({ unit: 'binary', maxLength: 2_000 }).map((string) => Buffer.from(string));

/** A page whose image, at its beginning, no compression makes smaller. */
const IMAGE = randomBytes(450_000).toString('base64');
const pageWith = (word: string) => {
  const rows = Array.from({ length: 20_000 }, (_, index) => `<tr><td>${index * 7919}</td></tr>\n`);
  return Buffer.from(`<img src="data:image/png;base64,${IMAGE}">${rows.join('')}${word}`);
};

describe('The codec of old texts', () => {
  it('gives back every text, with a keyframe and without', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (keyframe, each) => {
        const whole = await encodeText(each);
        assert.equal(whole.coding, 'zst');
        assert.deepEqual(await decodeText(whole, each.length), each);
        const like = Buffer.concat([keyframe, each]);
        const encoded = await encodeText(like, { text: keyframe, deltas: 0 });
        const dictionary = encoded.coding === 'zst+dict' ? keyframe : undefined;
        assert.deepEqual(await decodeText(encoded, like.length, dictionary), like);
      }),
    );
  });

  it('takes little for a small change of a page of megabytes, wherever its image is', async () => {
    const keyframe = pageWith('before');
    const changed = pageWith('after');
    const encoded = await encodeText(changed, { text: keyframe, deltas: 0 });
    assert.equal(encoded.coding, 'zst+dict');
    assert.ok(encoded.body.length < 10_000, `${encoded.body.length} bytes`);
    assert.deepEqual(await decodeText(encoded, changed.length, keyframe), changed);
  });

  it('begins a new keyframe after a rewrite, and after enough deltas', async () => {
    const [one, other] = [randomBytes(5_000), randomBytes(5_000)];
    const codingWith = async (deltas: number, each: Buffer) =>
      (await encodeText(each, { text: one, deltas })).coding;
    assert.equal(await codingWith(0, other), 'zst');
    assert.equal(await codingWith(MAX_DELTAS - 1, one), 'zst+dict');
    assert.equal(await codingWith(MAX_DELTAS, one), 'zst');
  });

  it('refuses damaged bodies, other keyframes and other sizes', async () => {
    const one = randomBytes(5_000);
    const delta = await encodeText(one, { text: one, deltas: 0 });
    const whole = await encodeText(one);
    const damaged = Buffer.from(whole.body);
    damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] as number) ^ 1;
    await assert.rejects(decodeText({ ...whole, body: damaged }, one.length));
    await assert.rejects(decodeText(delta, one.length, randomBytes(5_000)));
    await assert.rejects(decodeText(delta, one.length), /keyframe is missing/);
    await assert.rejects(decodeText(whole, one.length, one), /keyframe is given/);
    await assert.rejects(decodeText(whole, one.length - 1));
    await assert.rejects(decodeText(whole, one.length + 1), /instead of 5001/);
  });
});
