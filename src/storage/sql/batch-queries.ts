/**
 * Sends independent prepared queries of one transaction together and returns their results in
 * order. On PostgreSQL they share one message.
 *
 * @param queries run in this order; if an entry runs several queries, only its first is batched
 * @throws the first error in order, once all queries have ended
 */
export async function batchQueries<T extends readonly unknown[]>(
  queries: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  const outcomes = await Promise.allSettled(queries);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return Promise.all(queries);
}
