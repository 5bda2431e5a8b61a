import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newChance } from '../chance.ts';
import { freePorts } from '../free-ports.ts';
import { createInstallation, type Replica } from '../installation.ts';
import { startBriefs } from '../process.ts';
import { STACK } from '../stack.ts';
import { assertConsistent, assertTextsReadable } from './consistency.ts';
import { newLedger } from './ledger.ts';
import { nothingUnderWay } from './quiet.ts';
import { rounds } from './rounds.ts';

const ROUNDS = rounds(STACK === 'embedded' ? 5 : 3);
const WRITERS = 8;

/**
 * The longest time before a kill, about that of a start: some processes are killed while they
 * start.
 */
const START_MS = 400;

describe('SIGKILL at random during every kind of write', async () => {
  const chance = newChance('kill');

  const installation = await createInstallation();
  const ledger = await newLedger(installation, chance);
  after(() => installation?.stop());

  /** The number of processes: two on servers, of which one usually survives. */
  const processes = () => (STACK === 'embedded' ? 1 + chance.below(2) : 2);

  async function writeAndKill(replicas: Replica[]): Promise<void> {
    const writers = Array.from({ length: WRITERS }, () => chance.pick(replicas));
    await ledger.during(writers, async () => {
      await ledger.more(5 + chance.below(100));
      await sleep(chance.below(20));
      // Sometimes all processes.
      const dying = chance.below(4) === 0 ? replicas : [chance.pick(replicas)];
      await Promise.all(dying.map((replica) => installation.end(replica, 'SIGKILL')));
    });
    await nothingUnderWay(installation);
  }

  /** The next process finds the state of an interrupted start. */
  async function killWhileItStarts(): Promise<void> {
    const [PORT, RENDER_PORT] = (await freePorts(2)).map(String) as [string, string];
    const starting = startBriefs(['serve'], { ...installation.settings, PORT, RENDER_PORT });
    await sleep(chance.below(START_MS));
    await starting.kill('SIGKILL');
  }

  it(`${ROUNDS} times: no acknowledged write is lost, and none is partial`, async (t) => {
    for (let round = 0; round < ROUNDS; round++) {
      const missing = processes() - installation.replicas.size;
      if (missing > 0) await installation.startAll(missing);
      await writeAndKill([...installation.replicas]);
      if (chance.below(3) === 0) await killWhileItStarts();
      const witness = [...installation.replicas][0] ?? (await installation.start());
      await ledger.verify(witness);
      // It packs waiting texts, which killed processes do every other time.
      if (chance.below(2) === 0) await installation.look(assertConsistent);
    }
    t.diagnostic(`${ROUNDS} rounds: ${ledger.summary()}`);
    await Promise.all([...installation.replicas].map((each) => installation.end(each, 'SIGTERM')));
    await installation.look(assertConsistent);
    const codings = await installation.look(assertTextsReadable);
    t.diagnostic(`replaced texts, all readable: ${JSON.stringify(codings)}`);
    if (ROUNDS >= 10) assert.ok(codings['zst+dict'], 'texts were packed with a dictionary');
    assert.ok(ledger.acknowledgements >= 5 * ROUNDS);
    assert.ok(ledger.settled.done + ledger.settled.undone > 0, 'writes were under way');
  });
});
