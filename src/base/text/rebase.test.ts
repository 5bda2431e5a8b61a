import { strict as assert } from 'node:assert';
import { it } from 'node:test';
import { rebase } from './rebase.ts';

const BASE = 'One.\n\nTwo.\n\nThree.\n';

it('brings a text up to date', () => {
  const current = BASE.replace('One.', 'First.\n\nOne.');
  const { text, conflicts } = rebase(BASE, current, BASE.replace('Three', 'Drei'));
  assert.deepEqual([text, conflicts], ['First.\n\nOne.\n\nTwo.\n\nDrei.\n', []]);
});

it('keeps the own lines where others changed the same, and says where', () => {
  const current = 'Un, deux.\n\nTwo.\n\nTrois.\nQuatre.\n';
  const mine = 'Eins.\nMehr.\n\nTwo.\n\nDrei.\n';
  const { text, conflicts } = rebase(BASE, current, mine);
  assert.equal(text, mine);
  assert.deepEqual(conflicts, [1, 6]);
});
