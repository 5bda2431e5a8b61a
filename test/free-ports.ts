import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The range to search: below the ports that systems use for outgoing connections, many of them
 * during tests, and above those that browsers block.
 */
const FIRST = 11_000;
const END = 32_768;

/** Returns unused ports. Parallel callers most likely get different ones. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
