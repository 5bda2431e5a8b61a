import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { firstHeading } from './heading-text.ts';

const LONG = 'A line of a long text.\n\n'.repeat(10_000);

test('the first heading of a long text, at its start or end', () => {
  for (const [source, heading] of [
    [`# Plans\n\n${LONG}# Other`, 'Plans'],
    [`${LONG}# Plans\n`, 'Plans'],
    [`# [Plans][1] of May[^2]\n\n${LONG}[1]: /plans\n\n[^2]: 1815\n`, 'Plans of May'],
    [`# ![](a.png)\n\n# Plans\n\n${LONG}`, 'Plans'],
    [LONG, undefined],
  ] as const) {
    assert.equal(firstHeading(source), heading, source.slice(0, 40));
  }
});

test('reads at most 4,000 units of a heading, and 16,000 of all', () => {
  const empty = `# ${'![](a.png) '.repeat(300)}\n\n`;
  assert.equal(firstHeading(`${empty.repeat(3)}# Plans`), 'Plans');
  assert.equal(firstHeading(`${empty.repeat(6)}# Plans`), undefined);
  assert.equal(firstHeading(`# ${'![]()'.repeat(1_000)} Plans`), undefined);
  // Unlimited, this takes minutes.
  assert.match(firstHeading(`# ${'!['.repeat(400_000)}`) ?? '', /^!\[!\[/);
});
