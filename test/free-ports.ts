import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Where to look: below the ports that systems give to outgoing connections, of which there are
 * many while tests run, and above those that browsers refuse.
 */
const FIRST = 11_000;
const END = 32_768;

/** Ports that nothing listens on. Who asks at the same time gets others, most likely. */
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
