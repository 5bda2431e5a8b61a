import { strict as assert } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect, isDeepStrictEqual } from 'node:util';
import type { Chance } from '../chance.ts';
import type { Answer } from '../harness.ts';
import { assertUnavailable, type Installation, type Replica } from '../installation.ts';
import { until } from '../until.ts';
import { type Cast, listAll, makeThing, type State, type Thing } from './things.ts';

const TRY_AGAIN_AFTER_MS = 50;

/** How many things a writer keeps for further writes. */
const AT_HAND = 8;

/** A sent write, and whether and when it was acknowledged, by the ledger's counter. */
interface Write {
  /** The state that the write leads to, if known. */
  state: State;
  sent: number;
  acknowledged: number | undefined;
}

/** What is known about one thing: its last certain state, and later writes. */
interface Entry {
  thing: Thing;
  writes: [Write, ...Write[]];
}

/** How many unacknowledged writes had been done. */
export interface Settled {
  done: number;
  undone: number;
}

/**
 * Writers of every kind of data and a ledger of acknowledged writes, while processes, servers and
 * the disk fail. Afterwards the ledger is compared with the stored data.
 */
export class Ledger {
  readonly #cast: Cast;
  readonly #chance: Chance;
  /** Things of each writer; no one else writes them. */
  readonly #entries = new Map<number, Entry[]>();
  #clock = 0;
  acknowledgements = 0;
  /** The same, by kind of write. */
  readonly counts = new Map<string, number>();
  /** Responses that said to retry later, and requests whose connection broke. */
  unavailable = 0;
  broken = 0;
  readonly settled: Settled = { done: 0, undone: 0 };

  constructor(cast: Cast, chance: Chance) {
    this.#cast = cast;
    this.#chance = chance;
  }

  /** One writer for each of these, until the work is done. */
  async during(replicas: Replica[], work: () => Promise<unknown>): Promise<void> {
    let done = false;
    const writers = replicas.map((replica, index) => this.#write(index, replica, () => done));
    try {
      // A writer ends early only if it fails.
      await Promise.race([work(), Promise.all(writers)]);
    } finally {
      done = true;
    }
    await Promise.all(writers);
  }

  /** Waits until this many more writes have been acknowledged. */
  more(count: number): Promise<void> {
    const enough = this.acknowledgements + count;
    return until(`${count} more writes`, () => this.acknowledgements >= enough);
  }

  async #write(writer: number, replica: Replica, stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const acknowledged = await this.#step(this.#pickEntry(writer), replica);
      if (!acknowledged) await sleep(TRY_AGAIN_AFTER_MS);
    }
  }

  /** A certain one. The outcome of the others is known when nothing is running. */
  #pickEntry(writer: number): Entry {
    const entries = this.#entries.get(writer) ?? [];
    this.#entries.set(writer, entries);
    const prefix = `${this.#cast.owner.username}-w${writer}`;
    const atHand = entries.filter(isCertain);
    while (atHand.length < AT_HAND) {
      const thing = makeThing(this.#cast, prefix, entries.length);
      const entry: Entry = { thing, writes: [certain(undefined)] };
      entries.push(entry);
      atHand.push(entry);
    }
    return this.#chance.pick(atHand);
  }

  /** @returns whether it was acknowledged */
  async #step(entry: Entry, replica: Replica): Promise<boolean> {
    const { state } = lastAcknowledged(entry);
    const step = entry.thing.nextStep(replica, state, this.#chance);
    const write: Write = { state: step.after, sent: ++this.#clock, acknowledged: undefined };
    entry.writes.push(write);
    let answer: Answer;
    try {
      answer = await step.send();
    } catch (error) {
      // The error of `fetch` for a broken connection.
      if (!(error instanceof TypeError)) throw error;
      this.broken += 1;
      return false;
    }
    if (answer.status === 503) {
      assertUnavailable(answer);
      this.unavailable += 1;
      return false;
    }
    assert.equal(answer.status, step.status, `${entry.thing.label}, ${step.what}: ${answer.text}`);
    write.state = step.after && { ...step.after, ...step.learn?.(answer) };
    write.acknowledged = ++this.#clock;
    this.acknowledgements += 1;
    this.counts.set(step.what, (this.counts.get(step.what) ?? 0) + 1);
    return true;
  }

  /**
   * Everything acknowledged is there; what was under way is there whole or not at all; and the
   * lists show once each what is there, and nothing else. To be called when nothing is under way.
   *
   * @returns of what was under way, how much had been done
   */
  async verify(replica: Replica): Promise<Settled> {
    const settled: Settled = { done: 0, undone: 0 };
    const read = await this.#read(replica, (entry, actual) => {
      const last = lastAcknowledged(entry);
      const found = findWrites(entry, actual, last.sent);
      if (!isCertain(entry)) settled[found.includes(last) ? 'undone' : 'done'] += 1;
    });
    for (const [entry, actual] of read) entry.writes = [certain(actual)];
    this.settled.done += settled.done;
    this.settled.undone += settled.undone;
    return settled;
  }

  /** A moment; no later copy can be older. */
  now(): number {
    return this.#clock;
  }

  /**
   * Holds a copy of everything against what was written: it is as everything was at one moment, not
   * before `begun`. The writers may have gone on.
   *
   * @param begun from {@link now}, before the copy was begun
   */
  async verifyCopy(replica: Replica, begun: number): Promise<void> {
    // The copied moment must be after the sending of each write in the copy, and before the
    // acknowledgement of each missing one.
    let lastSent = 0;
    let firstLacking = Number.POSITIVE_INFINITY;
    await this.#read(replica, (entry, actual) => {
      const isBefore = ({ acknowledged }: Write) => (acknowledged ?? begun + 1) <= begun;
      const from = entry.writes.findLast(isBefore) ?? entry.writes[0];
      const found = findWrites(entry, actual, from.sent);
      // If a thing had the same state twice, it doesn't date the copy.
      if (found.length > 1) return;
      const [write] = found as [Write];
      const next = entry.writes[entry.writes.indexOf(write) + 1];
      lastSent = Math.max(lastSent, write.sent);
      firstLacking = Math.min(firstLacking, next?.acknowledged ?? firstLacking);
    });
    assert.ok(lastSent < firstLacking, 'one moment: nothing is there without what came before it');
  }

  /** Reads all things, and the lists that contain them. */
  async #read(
    replica: Replica,
    check: (entry: Entry, actual: State) => void,
  ): Promise<Map<Entry, State>> {
    const read = new Map<Entry, State>();
    await inTurns([...this.#entries.values()].flat(), async (entry) => {
      const actual = await entry.thing.read(replica);
      check(entry, actual);
      read.set(entry, actual);
    });
    const { owner, guest } = this.#cast;
    const entries = [...read.keys()];
    for (const path of new Set(entries.flatMap(({ thing }) => thing.listedIn ?? []))) {
      const there = entries.filter((entry) => entry.thing.listedIn === path && read.get(entry));
      const names = there.map((entry) => read.get(entry)?.name);
      const listed = await listAll(owner.at(replica), path);
      assert.deepEqual(listed.map(({ name }) => name).sort(), names.sort(), path);
      assert.deepEqual(await listAll(guest.at(replica), path), [], `the guest's ${path}`);
    }
    return read;
  }

  /** A summary in one line. */
  summary(): string {
    const { acknowledgements, settled, unavailable, broken } = this;
    return (
      `${acknowledgements} writes acknowledged, of ${this.counts.size} kinds, none lost; ` +
      `${settled.done + settled.undone} under way, ${settled.done} of them done; ` +
      `${unavailable} answered 503, ${broken} connections broken`
    );
  }
}

/** Creates a ledger for the writes of two new users. */
export async function newLedger(
  installation: Installation,
  chance: Chance,
  name = 'ada',
): Promise<Ledger> {
  const owner = await installation.user(name);
  const guest = await installation.user(`${name}-guest`);
  return new Ledger({ owner, guest }, chance);
}

function certain(state: State): Write {
  return { state, sent: 0, acknowledged: 0 };
}

function isCertain({ writes }: Entry): boolean {
  return writes.at(-1)?.acknowledged !== undefined;
}

function lastAcknowledged({ writes }: Entry): Write {
  return writes.findLast(({ acknowledged }) => acknowledged !== undefined) ?? writes[0];
}

/** Returns the writes sent since then that could explain a thing's state; at least one. */
function findWrites({ thing, writes }: Entry, actual: State, since: number): Write[] {
  const candidates = writes.filter(({ sent }) => sent >= since);
  const found = candidates.filter((write) => couldMake(write, actual));
  assert.ok(
    found.length > 0,
    `${thing.label} is ${inspect(actual)}, not one of ${inspect(candidates, { depth: 4 })}`,
  );
  return found;
}

function couldMake({ state, acknowledged }: Write, actual: State): boolean {
  if (acknowledged !== undefined || !state || !actual) return isDeepStrictEqual(actual, state);
  return isDeepStrictEqual(pick(actual, Object.keys(state)), state);
}

function pick(from: Record<string, unknown>, keys: string[]): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, from[key]]));
}

/** Runs some at once, but not all. */
async function inTurns<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  const AT_ONCE = 8;
  for (let start = 0; start < items.length; start += AT_ONCE) {
    await Promise.all(items.slice(start, start + AT_ONCE).map(work));
  }
}
