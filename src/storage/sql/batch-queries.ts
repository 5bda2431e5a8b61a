/**
 * Sends independent prepared queries of one transaction together and returns their results in order. On
 * PostgreSQL that is one message instead of one for each.
 *
 * @param queries run in this order; where an entry runs several queries, only its first is sent with the others
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
