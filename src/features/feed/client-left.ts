import type { FastifyRequest } from 'fastify';

/**
 * Calls `work` with a signal that aborts when the client closes the connection. For long requests.
 */
export async function untilClientLeaves<Result>(
  { raw: { socket } }: FastifyRequest,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const left = new AbortController();
  const leave = () => left.abort();
  socket.once('close', leave);
  try {
    return await work(left.signal);
  } finally {
    socket.off('close', leave);
  }
}
