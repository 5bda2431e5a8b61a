import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { anchorAt, portThrough, shownAnchors } from './anchor.ts';
import { compareTexts } from './comparison.ts';
import { applyEdits, type Edit } from './edits.ts';
import { merge3 } from './merge.ts';
import { findPageElement, findPageQuote, pageRanges } from './page-quotes.ts';
import { createTextThreads, SMALL_TEXTS } from './text-threads.ts';
import { unifiedDiff } from './unified-diff.ts';

describe('Text threads', () => {
  const threads = createTextThreads();
  after(() => threads.close());
  const options = { names: ['a', 'b'] as [string, string], maxLength: 1_000 };

  for (const [name, lines] of [
    ['small', 20],
    ['large', SMALL_TEXTS],
  ] as const) {
    it(`${name} texts are merged, compared, edited and anchored with the same result`, async () => {
      const base = Array.from({ length: lines }, (_, index) => `line ${index}`).join('\n');
      const [one, other] = [base.replace('line 1', 'first'), base.replace('line 7', 'last')];
      const edits: Edit[] = [{ op: 'replace', old: 'line 3\n', new: 'x\n' }];
      assert.deepEqual(
        await threads.run('ada', 'merge', [base, one, other]),
        merge3(base, one, other),
      );
      assert.deepEqual(
        await threads.run('ada', 'diff', [base, one, options]),
        unifiedDiff(base, one, options),
      );
      const room = { maxLength: 1_000 };
      assert.deepEqual(
        await threads.run('ada', 'compare', [base, one, room]),
        compareTexts(base, one, room),
      );
      assert.deepEqual(await threads.run('ada', 'edit', [base, edits]), applyEdits(base, edits));
      const made = anchorAt(base, { start: 7, end: 20 });
      const texts = [base, one, other];
      assert.deepEqual(
        await threads.run('ada', 'port', [texts, [made]]),
        portThrough(texts, [made]),
      );
      const page = `<p>The quote</p>${base}`;
      const range = { start: 3, end: 6 };
      assert.deepEqual(
        await threads.run('ada', 'pageQuote', [page, { quote: 'The quote' }]),
        findPageQuote(page, { quote: 'The quote' }),
      );
      assert.deepEqual(
        await threads.run('ada', 'pageElement', [page, 'p:1']),
        findPageElement(page, 'p:1'),
      );
      assert.deepEqual(
        await threads.run('ada', 'pageWords', [page, [range]]),
        pageRanges(page, [range]),
      );
      const pairs = [{ made, carried: { ...made, state: 'gone' as const } }];
      assert.deepEqual(
        (await threads.run('ada', 'show', [base, one, pairs])).anchors,
        shownAnchors(base, one, pairs),
      );
    });
  }

  it('don’t block the event loop', async () => {
    const [one, other] = ['a\nb\n'.repeat(400_000), 'b\na\n\n'.repeat(400_000)];
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await threads.run('ada', 'diff', [one, other, options]);
    clearInterval(timer);
    assert.ok(ticks > 1, `${ticks}`);
  });

  it('refuse work after they are closed', async () => {
    const closed = createTextThreads();
    await closed.close();
    const large = 'x'.repeat(SMALL_TEXTS + 1);
    await assert.rejects(closed.run('ada', 'merge', [large, 'a', 'b']), /is stopping/);
  });
});
