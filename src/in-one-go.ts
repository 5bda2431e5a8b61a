/**
 * What prepared queries of one transaction give, or whole works made of such, that are asked without waiting for one another: a database
 * at the other end of a connection is sent all of them in one piece, and answers them in this order. Where an
 * entry asks several, only its first is sent with the others, so no later entry may depend on the rest.
 *
 * @throws what the first in order that fails throws, once nothing of the others goes on any more
 */
export async function inOneGo<T extends readonly unknown[]>(
  asked: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  const outcomes = await Promise.allSettled(asked);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return Promise.all(asked);
}
