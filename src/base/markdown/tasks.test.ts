import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { withTask } from './tasks.ts';

const CASES: [before: string, line: number, isDone: boolean, after: string | undefined][] = [
  ['- [ ] a\n- [ ] b\n', 2, true, '- [ ] a\n- [x] b\n'],
  ['- [x] a\r\n- [X] b\r\n', 2, false, '- [x] a\r\n- [ ] b\r\n'],
  ['- [X] a', 1, true, '- [X] a'],
  ['* [\u00a0] a', 1, true, '* [x] a'],
  ['1. [ ] a\n10) [ ] b', 2, true, '1. [ ] a\n10) [x] b'],
  ['> - [ ] quoted', 1, true, '> - [x] quoted'],
  ['- a\n  - [ ] nested', 2, true, '- a\n  - [x] nested'],
  ['- - [ ] twice', 1, true, '- - [x] twice'],
  ['-\n  [ ] in the next line', 1, true, '-\n  [x] in the next line'],
  ['- [ ] one [ ] box', 1, true, '- [x] one [ ] box'],
  ['- a [ ] b', 1, true, undefined],
  ['- [x](https://x.example)', 1, false, undefined],
  ['- [ ]a', 1, true, undefined],
  ['text', 1, true, undefined],
  ['- [ ] a', 0, true, undefined],
  ['- [ ] a', 7, true, undefined],
  ['- [ ] a', Number.NaN, true, undefined],
];

describe('Ticking a task', () => {
  for (const [before, line, isDone, after] of CASES) {
    it(`${isDone ? 'ticks' : 'clears'} line ${line} of ${JSON.stringify(before)}`, () => {
      assert.equal(withTask(before, line, isDone), after);
    });
  }
});
