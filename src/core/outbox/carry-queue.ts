import type { ThreadState } from '../review/thread.ts';

/** The most documents that wait. The threads of others are carried when they are read again. */
const MAX_WAITING = 1_000;

/** A document whose threads have to be carried on. */
export interface WaitingDocument {
  id: string;
  /** Only threads in these states. */
  states: ReadonlySet<ThreadState>;
}

/**
 * The documents of this process whose threads are being carried to the current text. If the process
 * ends, the next reader continues.
 */
export interface CarryQueue {
  /** Tells whether the carrier will carry the threads of a document on. */
  has(documentId: string): boolean;
  /** Adds a document, or more states of one that waits, and wakes the carrier. */
  add(documentId: string, states: Iterable<ThreadState>): void;
  /** Returns the document that has waited longest. It goes to the end of the queue. */
  next(): WaitingDocument | undefined;
  delete(documentId: string): void;
  /**
   * Runs `work` unless the threads of the document are being carried at this moment. If they are,
   * waits for the end of that.
   *
   * @returns the result of `work`; `undefined` if it didn't run
   */
  alone<Result>(documentId: string, work: () => Promise<Result>): Promise<Result | undefined>;
  /** Called when a document was added. The carrier sets it. */
  onAdd: () => void;
}

export function createCarryQueue(): CarryQueue {
  const waiting = new Map<string, Set<ThreadState>>();
  const running = new Map<string, Promise<unknown>>();
  const queue: CarryQueue = {
    has: (documentId) => waiting.has(documentId),
    add(documentId, states) {
      const known = waiting.get(documentId);
      if (!known && waiting.size >= MAX_WAITING) return;
      waiting.set(documentId, (known ?? new Set()).union(new Set(states)));
      queue.onAdd();
    },
    next() {
      const [first] = waiting;
      if (!first) return undefined;
      const [id, states] = first;
      waiting.delete(id);
      waiting.set(id, states);
      return { id, states };
    },
    delete: (documentId) => waiting.delete(documentId),
    async alone(documentId, work) {
      const other = running.get(documentId);
      if (other) {
        // Its failure is for its own caller.
        await other.catch(() => {});
        return undefined;
      }
      const own = work();
      running.set(documentId, own);
      try {
        return await own;
      } finally {
        running.delete(documentId);
      }
    },
    onAdd() {},
  };
  return queue;
}
