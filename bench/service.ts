import { fileURLToPath } from 'node:url';
import { freePorts } from '../test/free-ports.ts';
import { type Server, startServer } from './process.ts';

const BRIEFS = fileURLToPath(new URL('../../bin/briefs.js', import.meta.url));

/** A service in its own process. */
export interface Service extends Server {
  renderUrl: string;
}

/**
 * Starts `briefs serve` as users do, but without the rate limit. Its log goes to /dev/null.
 *
 * @param settings the data's location
 * @param nodeOptions arguments of Node
 */
export async function startService(
  settings: Record<string, string>,
  nodeOptions: readonly string[] = [],
): Promise<Service> {
  const [port, renderPort] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const renderUrl = `http://127.0.0.1:${renderPort}`;
  const server = await startServer([process.execPath, ...nodeOptions, BRIEFS, 'serve'], {
    url,
    path: '/readyz',
    settings: {
      HOST: '127.0.0.1',
      PORT: String(port),
      RENDER_PORT: String(renderPort),
      WEB_URL: url,
      RENDER_URL: renderUrl,
      RATE_LIMIT_API: 'off',
      ...settings,
    },
  });
  return { ...server, renderUrl };
}
