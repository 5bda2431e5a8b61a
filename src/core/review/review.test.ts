import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ACTS, type Act, type Ruling, rulingOn, type Situation } from './protection.ts';
import {
  afterMoving,
  isApproved,
  isFresh,
  type Judgement,
  reviewState,
  seenByAccepting,
  seenByMaking,
  type TextWrite,
  writersOf,
} from './review.ts';

const write = (
  version: number,
  writer: string | null,
  seenBy: string | null = null,
  restoredFrom: number | null = null,
): TextWrite => ({
  version,
  writers: [writer],
  seenBy,
  restoredFrom,
});
/** A write by ada and grace, in the editor or as a suggestion that one wrote and the other moved. */
const together = (version: number) => ({ ...write(version, null), writers: ['grace', 'ada'] });
const approval = (accountId: string | null, version = 1, more: Partial<Judgement> = {}) =>
  ({ accountId, version, verdict: 'approved', isByPerson: true, ...more }) as const;
const web = (id: string) => ({ id, via: { means: 'web' } }) as const;
const token = (id: string) => ({ id, via: { means: 'token' } }) as const;
const application = (id: string) => ({ id, via: { means: 'application' } }) as const;

describe('A review', () => {
  it('is valid until the text changes, except by what its author has seen', () => {
    const cases: [writes: TextWrite[], holds: boolean][] = [
      [[], true],
      [[write(1, 'grace')], true],
      [[write(2, 'ada')], false],
      [[write(2, 'ada', 'ada')], true],
      [[write(2, 'ada', 'ada'), write(3, 'ada', 'ada')], true],
      [[write(2, 'ada', 'grace')], false],
      [[write(2, 'ada', 'ada'), write(3, 'ada')], false],
      [[write(2, null, null)], false],
    ];
    // Whoever restores what they once approved hasn’t read it again.
    cases.push([[write(2, 'grace'), write(3, 'ada', null, 1)], false]);
    for (const [writes, holds] of cases) {
      assert.equal(isFresh(approval('ada'), writes), holds, JSON.stringify(writes));
    }
    assert.equal(isFresh(approval(null), [write(2, null)]), false);
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
});

describe('Who has seen a suggestion', () => {
  it('is the person who wrote it, moved it and accepted it in the web app', () => {
    const means = [web, token, application];
    for (const [making, moving, accepting] of product(means, [undefined, ...means], means)) {
      for (const [mover, accepter] of product(['ada', 'grace'], ['ada', 'grace'])) {
        const made = { accountId: 'ada', wordsBy: null, seenBy: seenByMaking(making('ada')) };
        const moved = moving ? afterMoving(made, moving(mover)) : made;
        const seenBy = seenByAccepting([moved], accepting(accepter), []);
        const isAllWeb = making === web && (moving ?? web) === web && accepting === web;
        const isMoved = moving !== undefined;
        const name = `${making.name} ${moving?.name} ${mover} ${accepting.name} ${accepter}`;
        assert.equal(moved.accountId, isMoved ? mover : 'ada', name);
        const writers = isMoved && mover !== 'ada' ? [mover, 'ada'] : ['ada'];
        assert.deepEqual(writersOf(moved), writers, name);
        const back = afterMoving(moved, web('ada'));
        assert.deepEqual([back.accountId, back.wordsBy], ['ada', null], name);
        assert.deepEqual(writersOf(afterMoving(moved, web('joan'))), ['joan', 'ada'], name);
        assert.equal(seenBy, isAllWeb && (!isMoved || mover === 'ada') ? 'ada' : null, name);
      }
    }
  });

  it('is no one for suggestions of several people, or none', () => {
    const [ada, grace, none] = [{ seenBy: 'ada' }, { seenBy: 'grace' }, { seenBy: null }];
    assert.equal(seenByAccepting([ada, ada], web('joan'), []), 'ada');
    assert.equal(seenByAccepting([ada, grace], web('joan'), []), null);
    assert.equal(seenByAccepting([ada, none], web('ada'), []), null);
    assert.equal(seenByAccepting([], web('ada'), []), null);
  });

  it('is no one after others have written around the suggestion', () => {
    const ada = { seenBy: 'ada' };
    assert.equal(seenByAccepting([ada], web('joan'), [write(2, 'ada', 'ada')]), 'ada');
    for (const seenBy of ['grace', null]) {
      const since = [write(2, 'ada', 'ada'), write(3, 'grace', seenBy)];
      assert.equal(seenByAccepting([ada], web('joan'), since), null);
    }
  });
});

describe('An approved text', () => {
  const refusal = { verdict: 'changes_requested' } as const;

  it('needs the approval of the right person in the web app, and no request for changes', () => {
    const cases: [string, Judgement[], TextWrite[], string[], boolean][] = [
      ['no review', [], [], ['ada'], false],
      ['an approval', [approval('ada')], [], ['ada'], true],
      ['of someone else', [approval('ada')], [], ['grace'], false],
      ['of an older text', [approval('ada')], [write(2, 'ada')], ['ada'], false],
      ['with a token', [approval('ada', 1, { isByPerson: false })], [], ['ada'], false],
      ['of a deleted account', [approval(null)], [], ['ada'], false],
      ['refused by another', [approval('ada'), approval('grace', 1, refusal)], [], ['ada'], false],
      [
        'refused with a token',
        [approval('ada'), approval('grace', 1, { ...refusal, isByPerson: false })],
        [],
        ['ada'],
        false,
      ],
      [
        'refused before the text changed',
        [approval('grace', 1, refusal), approval('ada', 2)],
        [write(2, 'ada')],
        ['ada'],
        true,
      ],
      ['refused, then approved', [approval('ada', 1, refusal), approval('ada')], [], ['ada'], true],
      [
        'approved, then refused',
        [approval('ada'), approval('ada', 1, refusal)],
        [],
        ['ada'],
        false,
      ],
      [
        'a refusal that a token lifts',
        [approval('ada', 1, refusal), approval('ada', 1, { isByPerson: false }), approval('grace')],
        [],
        ['grace'],
        false,
      ],
    ];
    for (const [name, judgements, writes, accounts, expected] of cases) {
      const approvals = { judgements, writes, mayApprove: new Set(accounts) };
      assert.equal(isApproved(approvals, false), expected, name);
    }
  });

  it('of two people needs for all words the approval of someone who didn’t write them', () => {
    const cases: [string, Judgement[], TextWrite[], boolean][] = [
      ['one’s own words', [approval('ada')], [write(1, 'ada')], false],
      ['another’s words', [approval('grace')], [write(1, 'ada')], true],
      ['a deleted account’s words', [approval('ada')], [write(1, null)], false],
      ['the same, by one twice', [approval('ada'), approval('ada')], [write(1, null)], false],
      ['the same, by two', [approval('ada'), approval('grace')], [write(1, null)], true],
      [
        'the same, by two one after the other',
        [approval('ada'), approval('grace', 2)],
        [write(1, null), write(2, 'ada')],
        true,
      ],
      ['what two wrote together, by one of them', [approval('ada')], [together(1)], false],
      ['the same, by both', [approval('ada'), approval('grace')], [together(1)], true],
      ['the same, by somebody else', [approval('joan')], [together(1)], true],
      [
        'the same, by both, but one of them before writing more',
        [approval('grace'), approval('ada', 2)],
        [together(1), write(2, 'ada')],
        false,
      ],
      [
        'the same, then by both of it and of more',
        [approval('grace'), approval('ada', 2)],
        [together(1), write(2, 'grace')],
        true,
      ],
      [
        'the same, by one with a token',
        [approval('ada'), approval('grace', 1, { isByPerson: false })],
        [together(1)],
        false,
      ],
      [
        'the same, by one and one who may not',
        [approval('ada'), approval('eve')],
        [{ ...together(1), writers: ['ada', 'eve'] }],
        false,
      ],
      [
        'what one wrote and the other moved, by the writer',
        [approval('ada', 2)],
        [write(1, 'ada'), write(2, 'grace')],
        false,
      ],
      [
        'the same, by the mover',
        [approval('grace', 2)],
        [write(1, 'ada'), write(2, 'grace')],
        false,
      ],
      [
        'what the approver deleted from approved words',
        [approval('grace'), approval('ada', 3)],
        [write(1, 'ada'), write(2, 'ada'), write(3, 'grace')],
        false,
      ],
      [
        'what two wrote and somebody restored, by one of them',
        [approval('ada', 3)],
        [together(1), write(2, 'joan'), write(3, 'joan', null, 1)],
        false,
      ],
      [
        'what two wrote, each of whom approved it before or after it was restored',
        [approval('ada'), approval('grace', 3)],
        [together(1), write(2, 'joan'), write(3, 'joan', null, 1)],
        true,
      ],
      [
        'the author of the last words only',
        [approval('grace', 2)],
        [write(1, 'ada'), write(2, 'grace')],
        false,
      ],
      [
        'words that another approved before, and new ones',
        [approval('grace', 1), approval('ada', 2)],
        [write(1, 'ada'), write(2, 'grace')],
        true,
      ],
      [
        'each the words of the other',
        [approval('ada', 2), approval('grace', 2)],
        [write(1, 'ada'), write(2, 'grace')],
        true,
      ],
      [
        'one’s own suggestion after one’s approval',
        [approval('grace', 1)],
        [write(1, 'ada'), write(2, 'grace', 'grace')],
        false,
      ],
      [
        'a suggestion of two, approved by one of them',
        [approval('grace', 2)],
        [write(1, 'ada'), { ...write(2, null), writers: ['ada', 'grace'] }],
        false,
      ],
      ['someone who may not', [approval('eve')], [write(1, 'ada')], false],
      [
        'words that were gone when another approved, and that someone restored',
        [approval('grace', 2), approval('ada', 3)],
        [write(1, 'ada'), write(2, 'joan'), write(3, 'joan', null, 1)],
        false,
      ],
      [
        'the same, restored twice',
        [approval('grace', 2), approval('grace', 4), approval('ada', 5)],
        [write(1, 'ada'), write(2, 'joan'), write(3, 'joan', null, 1), write(4, 'joan')].concat([
          write(5, 'joan', null, 3),
        ]),
        false,
      ],
      [
        'words that another had approved before, and that someone restored',
        [approval('grace', 1), approval('ada', 3)],
        [write(1, 'ada'), write(2, 'joan'), write(3, 'joan', null, 1)],
        true,
      ],
      [
        'someone who has requested changes since',
        [approval('grace', 1), approval('grace', 2, refusal), approval('ada', 3)],
        [write(1, 'ada'), write(2, 'joan'), write(3, 'joan')],
        false,
      ],
      [
        'someone who has requested changes, and approved again',
        [approval('grace', 1), approval('grace', 1, refusal), approval('grace', 1)],
        [write(1, 'ada')],
        true,
      ],
    ];
    for (const [name, judgements, writes, expected] of cases) {
      const mayApprove = new Set(['ada', 'grace', 'joan']);
      assert.equal(isApproved({ judgements, writes, mayApprove }, true), expected, name);
    }
  });
});

describe('Any history of a text that needs two people', () => {
  const PEOPLE = ['ada', 'grace', 'joan'];

  /** Something that needs somebody else's approval: a word, or what someone changed in a write. */
  interface Made {
    writer: string | null;
    approvers: Set<string>;
  }

  const isSettled = ({ writer, approvers }: Made) =>
    writer === null ? approvers.size > 1 : [...approvers].some((person) => person !== writer);

  interface Text {
    words: Made[];
    changes: Made[];
  }

  const number = fc.nat(1_000);
  const act = fc.constantFrom('write', 'write', 'delete', 'move', 'restore', 'approve', 'approve');
  const step = fc.record({ act, writers: fc.subarray([...PEOPLE, null]), at: number, to: number });

  /** Does steps, and says what a reader who goes through it word by word has to find. */
  function play(steps: { act: string; writers: (string | null)[]; at: number; to: number }[]) {
    const writes: TextWrite[] = [];
    const judgements: Judgement[] = [];
    let text: Text = { words: [], changes: [] };
    const texts: Text[] = [];
    let lastApprover = '';
    for (const { act, writers, at, to } of steps) {
      const by = writers.length > 0 ? writers : ['ada'];
      const make = (writer: string | null): Made => ({ writer, approvers: new Set() });
      const version = writes.length + 1;
      if (act === 'approve') {
        if (writes.length === 0) continue;
        lastApprover = PEOPLE[at % PEOPLE.length] as string;
        judgements.push(approval(lastApprover, writes.length));
        for (const made of [...text.words, ...text.changes]) made.approvers.add(lastApprover);
        continue;
      }
      lastApprover = '';
      const words = [...text.words];
      if (act === 'write') words.splice(at % (words.length + 1), to % 3, ...by.map(make));
      if (act === 'delete') words.splice(at % (words.length + 1), 1 + (to % 3));
      if (act === 'move') words.splice(to % (words.length + 1), 0, ...words.splice(at, 2));
      const restored = act === 'restore' ? texts[at % (texts.length || 1)] : undefined;
      const restoredFrom = restored ? texts.indexOf(restored) + 1 : null;
      const base = restored ?? { words, changes: text.changes };
      text = { words: base.words, changes: [...base.changes.map(copied), ...by.map(make)] };
      texts.push(text);
      writes.push({ version, writers: by, seenBy: null, restoredFrom });
    }
    return { text, lastApprover, approvals: { judgements, writes, mayApprove: new Set(PEOPLE) } };
  }

  const copied = ({ writer, approvers }: Made) => ({ writer, approvers: new Set(approvers) });

  it('is approved if and only if somebody else has approved everyone’s changes', () => {
    let approved = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 14 }), (steps) => {
        const { text, lastApprover, approvals } = play(steps);
        const expected = lastApprover !== '' && text.changes.every(isSettled);
        assert.equal(isApproved(approvals, true), expected);
        assert.equal(isApproved(approvals, false), lastApprover !== '');
        if (!expected) return;
        approved++;
        assert.ok(text.words.every(isSettled), 'a word has only its writer’s approval');
        const people = new Set(approvals.judgements.map(({ accountId }) => accountId));
        const [alone] = people;
        const hasWritten = text.changes.some(({ writer }) => writer === alone);
        assert.ok(people.size > 1 || !hasWritten, 'one person changed and approved it');
      }),
      { numRuns: 2_000 },
    );
    assert.ok(approved > 100, `only ${approved} texts were approved`);
  });

  it('is approved once two people approve the last text, whoever wrote it', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 14 }),
        fc.subarray(PEOPLE, { minLength: 2 }),
        (steps, two) => {
          const last = { act: 'write', writers: [], at: 0, to: 0 };
          const { approvals } = play([...steps, last]);
          const given = two.map((person) => approval(person, approvals.writes.length));
          const judgements = [...approvals.judgements, ...given];
          assert.equal(isApproved({ ...approvals, judgements }, true), true);
        },
      ),
    );
  });
});

describe('The rules of protected documents', () => {
  const FLAGS = [
    'isWeb',
    'isAdmin',
    'isProtected',
    'isPublic',
    'isApproved',
    'isOwnWords',
  ] as const;

  /** Every act in every situation. */
  function* situations(): Generator<[Act, Situation]> {
    for (const act of ACTS) {
      for (const shown of ['current', 'other', 'unsaid'] as const) {
        for (let bits = 0; bits < 2 ** FLAGS.length; bits++) {
          const flags = FLAGS.map((flag, index) => [flag, (bits & (1 << index)) !== 0]);
          yield [act, { shown, ...Object.fromEntries(flags) } as Situation];
        }
      }
    }
  }

  /** What each act on a protected document leads to, by the first condition that holds. */
  const EXPECTED: Record<Act, [when: (s: Situation) => boolean, ruling: Ruling][]> = {
    approve: [
      [(s) => s.isWeb, 'allowed'],
      [() => true, 'web'],
    ],
    requestChanges: [[() => true, 'allowed']],
    reject: [[() => true, 'allowed']],
    write: [
      [(s) => s.isPublic, 'propose'],
      [() => true, 'allowed'],
    ],
    accept: [
      [(s) => !s.isPublic, 'allowed'],
      [(s) => !s.isWeb || !s.isAdmin, 'propose'],
      [(s) => s.isOwnWords, 'secondPerson'],
      [() => true, 'allowed'],
    ],
    publish: [
      [(s) => s.isApproved, 'allowed'],
      [() => true, 'approval'],
    ],
    rename: [
      [(s) => !s.isPublic || (s.isWeb && s.isAdmin), 'allowed'],
      [() => true, 'web'],
    ],
    pin: [
      [(s) => s.isApproved || (s.isWeb && s.isAdmin), 'allowed'],
      [() => true, 'web'],
    ],
    link: [
      [(s) => s.isWeb && s.isAdmin, 'allowed'],
      [() => true, 'web'],
    ],
    leave: [
      [(s) => s.isWeb && s.isAdmin, 'allowed'],
      [() => true, 'web'],
    ],
    makeAdmin: [
      [(s) => s.isWeb && s.isAdmin, 'allowed'],
      [() => true, 'web'],
    ],
    showThreads: [
      [(s) => s.isWeb && s.isAdmin, 'allowed'],
      [() => true, 'web'],
    ],
    endProtection: [
      [(s) => s.isWeb && s.isAdmin, 'allowed'],
      [() => true, 'web'],
    ],
  };

  it('are these', () => {
    for (const [act, situation] of situations()) {
      const expected =
        situation.shown === 'other'
          ? 'changed'
          : !situation.isProtected
            ? 'allowed'
            : EXPECTED[act].find(([when]) => when(situation))?.[1];
      assert.equal(rulingOn(act, situation), expected, `${act} ${JSON.stringify(situation)}`);
    }
  });

  it('let a token show readers nothing that isn’t approved', () => {
    for (const [act, situation] of situations()) {
      if (!situation.isProtected || situation.isWeb || situation.isApproved) continue;
      const shows = ['publish', 'pin', 'link', 'showThreads', 'leave'].includes(act)
        ? true
        : situation.isPublic && ['write', 'accept', 'rename'].includes(act);
      if (shows) assert.notEqual(rulingOn(act, situation), 'allowed', act);
    }
  });
});

/** All combinations of the elements of some lists. */
function product<T extends readonly unknown[][]>(...lists: T): { [I in keyof T]: T[I][number] }[] {
  return lists.reduce<unknown[][]>(
    (all, list) => all.flatMap((one) => list.map((element) => [...one, element])),
    [[]],
  ) as { [I in keyof T]: T[I][number] }[];
}
