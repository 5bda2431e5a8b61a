import { strict as assert } from 'node:assert';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { RESERVING_NAMES, startService } from '../../harness.ts';
import { type Choice, type OperationName, perform, WEIGHTS } from './operations.ts';
import { sweep } from './sweep.ts';
import { makeWorld, type World } from './world.ts';

const RUNS = Number(process.env.MODEL_RUNS ?? 3);

/** Steps per run. Operations without a target are skipped. */
const MAX_OPERATIONS = 150;

const SWEEP_EVERY = 15;

/** With this many runs, every operation should have succeeded at least once. */
const RUNS_THAT_DO_EVERYTHING = 50;

/** How long to shrink a failure. */
const SHRINK_WITHIN_MS = 60_000;

const NUMBER = fc.nat(1_000);

const choice = fc.record({
  operation: fc.oneof(
    ...Object.entries(WEIGHTS).map(([name, weight]) => ({
      arbitrary: fc.constant(name as OperationName),
      weight,
    })),
  ),
  able: fc.oneof(
    { arbitrary: fc.constant(true), weight: 5 },
    { arbitrary: fc.constant(false), weight: 1 },
  ),
  caller: NUMBER,
  thing: NUMBER,
  target: NUMBER,
  value: NUMBER,
  other: NUMBER,
});

/** Totals over all worlds: statuses per operation, and the numbers of operations and sweeps. */
interface Tally {
  outcomes: Map<OperationName, Map<number, number>>;
  operations: number;
  sweeps: number;
}

/** The state that fast-check passes to each operation of a run. */
interface Run {
  world: World;
  tally: Tally;
}

/**
 * An operation for fast-check. The world has all state, so its model is unused here.
 */
class Command implements fc.AsyncCommand<object, Run> {
  readonly #choice: Choice;

  constructor(choice: Choice) {
    this.#choice = choice;
  }

  check(): boolean {
    return true;
  }

  async run(_model: object, { world, tally }: Run): Promise<void> {
    const status = await perform(world, this.#choice);
    if (status === undefined) return;
    const { operation } = this.#choice;
    const outcomes = tally.outcomes.get(operation) ?? new Map<number, number>();
    outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
    tally.outcomes.set(operation, outcomes);
    tally.operations++;
    if (world.log.length % SWEEP_EVERY === 0) await sweepAndCount(world, tally);
  }

  toString(): string {
    return JSON.stringify(this.#choice);
  }
}

async function sweepAndCount(world: World, tally: Tally): Promise<void> {
  tally.sweeps++;
  await sweep(world);
}

describe('Access, compared with a model', async () => {
  const service = await startService({}, RESERVING_NAMES);
  after(() => service.stop());

  it('after any sequence of actions, every response and every view matches the model', async (t) => {
    const tally: Tally = { outcomes: new Map(), operations: 0, sweeps: 0 };
    let worlds = 0;
    let failedAt: number | undefined;
    const commands = fc.commands([choice.map((each) => new Command(each))], {
      maxCommands: MAX_OPERATIONS,
      size: 'max',
    });
    const property = fc.asyncProperty(commands, async (sequence) => {
      if (failedAt && Date.now() - failedAt > SHRINK_WITHIN_MS) return;
      const world = await makeWorld(service, ++worlds);
      try {
        await fc.asyncModelRun(() => ({ model: {}, real: { world, tally } }), sequence);
        await sweepAndCount(world, tally);
      } catch (error) {
        failedAt ??= Date.now();
        const { stack } = error as Error;
        throw new Error(`${stack}\n\nafter\n${world.log.join('\n')}`);
      }
    });
    await fc.assert(property, { numRuns: RUNS });
    t.diagnostic(`${worlds} worlds, ${tally.operations} operations, ${tally.sweeps} sweeps`);
    if (RUNS < RUNS_THAT_DO_EVERYTHING) return;
    for (const operation of Object.keys(WEIGHTS) as OperationName[]) {
      const statuses = [...(tally.outcomes.get(operation)?.keys() ?? [])];
      assert.ok(
        statuses.some((status) => status < 400),
        `${operation} never succeeded; statuses: ${statuses}`,
      );
    }
  });
});
