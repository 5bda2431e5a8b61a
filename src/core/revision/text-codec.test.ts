import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { newChance } from '../../../test/chance.ts';
import { decodeText, encodeText, isNewKeyframe } from './text-codec.ts';

const text = fc.string({ unit: 'binary', maxLength: 2_000 }).map((string) => Buffer.from(string));

const chance = newChance('text codec');

/** A page that starts with an incompressible image. */
const IMAGE = chance.bytes(450_000).toString('base64');
const pageWith = (word: string) => {
  const rows = Array.from({ length: 20_000 }, (_, index) => `<tr><td>${index * 7919}</td></tr>\n`);
  return Buffer.from(`<img src="data:image/png;base64,${IMAGE}">${rows.join('')}${word}`);
};

describe('The codec of old texts', () => {
  it('restores every text, with and without a keyframe', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (keyframe, each) => {
        const like = Buffer.concat([keyframe, each]);
        assert.deepEqual(await decodeText(await encodeText(each), each.length), each);
        const delta = await encodeText(like, keyframe);
        assert.deepEqual(await decodeText(delta, like.length, keyframe), like);
      }),
    );
  });

  it('needs little space for a small change after a large inline image', async () => {
    const keyframe = pageWith('before');
    const changed = pageWith('after');
    const delta = await encodeText(changed, keyframe);
    assert.ok(delta.length < 10_000, `${delta.length} bytes`);
    assert.deepEqual(await decodeText(delta, changed.length, keyframe), changed);
  });

  it('starts a new keyframe only after a rewrite', async () => {
    const [one, other] = [chance.bytes(5_000), chance.bytes(5_000)];
    const isNew = async (each: Buffer) =>
      isNewKeyframe((await encodeText(each, one)).length, (await encodeText(each)).length);
    assert.deepEqual([await isNew(other), await isNew(one)], [true, false]);
  });

  it('refuses damaged bodies, wrong keyframes and wrong sizes', async () => {
    const one = chance.bytes(5_000);
    const delta = await encodeText(one, one);
    const damaged = await encodeText(one);
    damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] as number) ^ 1;
    await assert.rejects(decodeText(damaged, one.length));
    await assert.rejects(decodeText(delta, one.length, chance.bytes(5_000)));
    await assert.rejects(decodeText(delta, one.length - 1, one));
  });
});
