import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import {
  allowsPublishing,
  isFresh,
  reviewState,
  type TextWrite,
} from '../../src/document/review/review.ts';

const write = (version: number, ...suggestedBy: (string | null)[]): TextWrite => ({
  version,
  suggestedBy,
});
const judgement = (accountId: string | null, version = 1) => ({
  ...({ accountId, version, verdict: 'approved', isByPerson: true } as const),
});

describe('A review', () => {
  it('is valid until the text changes, except by accepting its author’s suggestions', () => {
    const cases: [writes: TextWrite[], holds: boolean][] = [
      [[], true],
      [[write(1)], true],
      [[write(2)], false],
      [[write(2, 'ada')], true],
      [[write(2, 'ada'), write(3, 'ada', 'ada')], true],
      [[write(2, 'ada', 'grace')], false],
      [[write(2, 'ada'), write(3)], false],
      [[write(2, null)], false],
    ];
    for (const [writes, holds] of cases) {
      assert.equal(isFresh(judgement('ada'), writes), holds, JSON.stringify(writes));
    }
    assert.equal(isFresh(judgement(null), [write(2, null)]), false);
  });

  it('counts only while it is valid', () => {
    const approved = { verdict: 'approved', isFresh: true } as const;
    const refused = { verdict: 'changes_requested', isFresh: true } as const;
    const old = { isFresh: false };
    assert.equal(reviewState([], false), 'none');
    assert.equal(reviewState([], true), 'requested');
    assert.equal(reviewState([approved], false), 'approved');
    assert.equal(reviewState([approved, refused], false), 'changes_requested');
    assert.equal(reviewState([approved, { ...refused, ...old }], true), 'approved');
    assert.equal(reviewState([{ ...approved, ...old }], false), 'outdated');
    assert.equal(reviewState([{ ...approved, ...old }], true), 'requested');
    assert.equal(reviewState([{ ...refused, ...old }], false), 'none');
  });

  it('allows a protected document to become public, if the right person gave it', () => {
    const fresh = { ...judgement('ada'), isFresh: true };
    const refusal = { ...fresh, accountId: 'grace', verdict: 'changes_requested' } as const;
    const ada = new Set(['ada']);
    const cases: [Parameters<typeof allowsPublishing>[0], ReadonlySet<string>, boolean][] = [
      [[fresh], ada, true],
      [[], ada, false],
      [[fresh], new Set(['grace']), false],
      [[{ ...fresh, isFresh: false }], ada, false],
      [[{ ...fresh, isByPerson: false }], ada, false],
      [[{ ...fresh, accountId: null }], ada, false],
      [[fresh, refusal], ada, false],
      [[fresh, { ...refusal, isFresh: false }], ada, true],
      [[fresh, { ...refusal, isByPerson: false }], ada, false],
    ];
    for (const [judgements, may, allowed] of cases) {
      assert.equal(allowsPublishing(judgements, may), allowed, JSON.stringify(judgements));
    }
  });
});
