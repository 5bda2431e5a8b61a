/**
 * Works on items, some of them at once, and passes on the results in the order of the items, each as
 * soon as all before it are there.
 *
 * @param atOnce how many to work on at once
 * @param done receives each result
 * @throws the first error of `work`; then no further item is begun
 */
export async function inOrder<Item, Done>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Done>,
  done: (result: Done) => void,
): Promise<void> {
  const results = new Map<number, Done>();
  let [begun, passedOn] = [0, 0];
  let failed = false;
  const worker = async () => {
    while (begun < items.length && !failed) {
      const index = begun++;
      try {
        results.set(index, await work(items[index] as Item));
      } catch (error) {
        failed = true;
        throw error;
      }
      for (; results.has(passedOn); passedOn++) {
        done(results.get(passedOn) as Done);
        results.delete(passedOn);
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  const rejected = ended.find((each) => each.status === 'rejected');
  if (rejected) throw rejected.reason;
}

/** Runs tasks of the same key one after another, or knows which are running. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #running = new Map<string, Set<Promise<unknown>>>();

  /** Runs a task at once, which others can await. */
  async beside<Done>(key: string, task: () => Promise<Done>): Promise<Done> {
    const all = this.#running.get(key) ?? new Set();
    this.#running.set(key, all);
    const running = task();
    all.add(running);
    try {
      return await running;
    } finally {
      all.delete(running);
    }
  }

  /** Waits for those that are running now. */
  async settled(key: string): Promise<void> {
    await Promise.allSettled(this.#running.get(key) ?? []);
  }

  take<Done>(key: string, task: () => Promise<Done>): Promise<Done> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(task, task);
    this.#last.set(key, turn);
    return turn;
  }
}
