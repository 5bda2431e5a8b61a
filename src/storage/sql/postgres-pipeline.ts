import type pg from 'pg';

/** Small enough to spread the queries over several connections and to keep waits short. */
const LARGEST_BATCH = 8;

/** A queued query. */
interface Waiting {
  text: string;
  values: readonly unknown[];
  resolve(rows: readonly unknown[]): void;
  reject(error: unknown): void;
}

/** Runs a query. @returns the rows */
export type RunQuery = (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>;

/**
 * Batches independent queries. Those of one event-loop tick are sent together, spread over the
 * connections, without waiting for answers in between. Each succeeds or fails on its own. Sent one
 * by one, they take twice the processor time here, and more in PostgreSQL.
 *
 * Only for fast queries, because the rest of a batch waits for a slow one.
 *
 * @param pool of connections with `pipeline`
 */
export function createPipeline(pool: pg.Pool): RunQuery {
  const waiting: Waiting[] = [];
  /** How many queries the requested connections will take. */
  let room = 0;
  let isScheduled = false;

  function send(): void {
    isScheduled = false;
    // Use an idle connection even if there is room, which may be on one that is still opening.
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
      // Runs after all events that the loop has already collected.
      if (!isScheduled) setImmediate(send);
      isScheduled = true;
    });
}

/** Resolves each query of a batch as its answer arrives. @returns the last error, if any */
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
