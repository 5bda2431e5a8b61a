import type pg from 'pg';

/** What one connection is given at a time: the others have work meanwhile, and nobody waits for many. */
const LARGEST_BATCH = 8;

/** A query that somebody waits for. */
interface Waiting {
  text: string;
  values: readonly unknown[];
  resolve(rows: readonly unknown[]): void;
  reject(error: unknown): void;
}

/** Runs a query. @returns the rows */
export type RunQuery = (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>;

/**
 * Runs queries that have nothing to do with each other: those that are asked in one turn of the event
 * loop are sent together, some over each connection, without waiting for the answers in between. Each
 * succeeds or fails by itself. One by one they take twice the processor time here, most of it for the
 * system to send and to wake up, and more of PostgreSQL's.
 *
 * Since what comes after a slow query waits for it, this is for those that are quick.
 *
 * @param pool of connections with `pipeline`
 */
export function pipelining(pool: pg.Pool): RunQuery {
  const waiting: Waiting[] = [];
  /** How many of them the connections will take that have been asked for. */
  let room = 0;
  let isScheduled = false;

  function send(): void {
    isScheduled = false;
    // Not only where there is no room: that may be at a connection which is still being opened.
    if (room < waiting.length || pool.idleCount > 0) void sendBatch();
    while (room < waiting.length) void sendBatch();
  }

  async function sendBatch(): Promise<void> {
    const take = () => {
      room -= LARGEST_BATCH;
      return waiting.splice(0, LARGEST_BATCH);
    };
    let client: pg.PoolClient;
    room += LARGEST_BATCH;
    try {
      client = await pool.connect();
    } catch (error) {
      for (const { reject } of take()) reject(error);
      return;
    }
    client.release(await answer(client, take()));
  }

  return (text, values) =>
    new Promise((resolve, reject) => {
      waiting.push({ text, values, resolve, reject });
      // The event loop comes to this after all that it had to do when it last looked for some.
      if (!isScheduled) setImmediate(send);
      isScheduled = true;
    });
}

/** Answers all of a batch as the answers come. @returns what one of them failed with */
async function answer(
  client: pg.PoolClient,
  batch: readonly Waiting[],
): Promise<Error | undefined> {
  let failure: Error | undefined;
  const answered = batch.map(async ({ text, values, resolve, reject }) => {
    try {
      resolve((await client.query(text, values as unknown[])).rows);
    } catch (error) {
      failure = error as Error;
      reject(error);
    }
  });
  await Promise.all(answered);
  return failure;
}
