import { strict as assert } from 'node:assert';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { newChance } from '../chance.ts';
import { createInstallation } from '../installation.ts';
import { makeDirectory } from '../servers/server-process.ts';
import { assertConsistent } from './consistency.ts';
import { newLedger } from './ledger.ts';
import { rounds } from './rounds.ts';

const ROUNDS = rounds(1);
const WRITERS = 6;

describe('A backup during writes', async () => {
  const home = makeDirectory('backups');
  const chance = newChance('backup');

  const installation = await createInstallation();
  const ledger = await newLedger(installation, chance);
  const replica = await installation.start();
  after(() => installation?.stop());

  it('restores the state of one moment after it began', async (t) => {
    for (let round = 0; round < ROUNDS; round++) {
      const file = join(home, `${round}.tar`);
      let begun = 0;
      await ledger.during(Array(WRITERS).fill(replica), async () => {
        await ledger.more(40 + chance.below(100));
        begun = ledger.now();
        await installation.run('backup', file);
        await ledger.more(20);
      });
      const copy = await createInstallation();
      await copy.run('restore', file);
      const restored = await copy.start();
      await ledger.verifyCopy(restored, begun);
      await copy.look(assertConsistent);
      await copy.stop();
      rmSync(file);
      await ledger.verify(replica);
    }
    t.diagnostic(ledger.summary());
    assert.equal(ledger.broken + ledger.unavailable, 0);
  });
});
