import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../free-ports.ts';
import {
  findProgram,
  makeDirectory,
  removeDirectory,
  type ServerProcess,
  startServerProcess,
} from './server-process.ts';

/** A caching proxy in front of both ports of a service. */
export interface CachingProxy extends ServerProcess {
  /** Replaces the web host and the API. */
  webUrl: string;
  /** Replaces the render host. */
  renderUrl: string;
  stop(): Promise<void>;
}

/** Debian's folder for administrators' programs. */
const program = () => findProgram('nginx', ['/usr/sbin']);

/** Returns the missing program; throws if nothing may be skipped. */
export function nginxMissing(): string | false {
  if (program()) return false;
  const what = 'nginx (Debian: apt install nginx-light)';
  if (process.env.REQUIRE_BACKENDS) throw new Error(`REQUIRE_BACKENDS is set, but ${what} is not.`);
  return `this machine lacks ${what}`;
}

const FOR_TESTS = `daemon off; ${process.getuid?.() === 0 ? 'user root;' : ''}`;

const TEMPORARY_PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((kind) => `${kind}_temp_path ${kind};`)
  .join(' ');

/** Starts nginx with the `nginx.conf` of a directory. */
function startNginx(directory: string, port: number): Promise<ServerProcess> {
  return startServerProcess(
    program() ?? 'nginx',
    ['-p', directory, '-c', 'nginx.conf', '-e', 'stderr'],
    { directory, answers: () => fetch(`http://127.0.0.1:${port}/healthz`) },
  );
}

/** How long the proxy of a test waits for a response. */
export const READ_TIMEOUT_S = 2;

/** Statements of `deploy/nginx.conf` that don't apply to a test's machine. */
const ELSEWHERE: [RegExp, (own: number, replicas: readonly [number, number]) => string][] = [
  [/^/, () => FOR_TESTS],
  [/^pid .*$/m, () => 'pid nginx.pid;'],
  [/^\s*resolver .*$/m, () => TEMPORARY_PATHS],
  [/briefs-1:4000 resolve/, (_, [first]) => `127.0.0.1:${first}`],
  [/briefs-2:4000 resolve/, (_, [, second]) => `127.0.0.1:${second}`],
  [/proxy_read_timeout 60s/, () => `proxy_read_timeout ${READ_TIMEOUT_S}s`],
  [/listen 8080/, (own) => `listen 127.0.0.1:${own}`],
];

/**
 * Starts nginx with `deploy/nginx.conf` in front of the ports of both replicas.
 *
 * @param own its own port; by default a free one
 * @returns also its address
 */
export async function startDeployedProxy(
  replicas: readonly [number, number],
  own?: number,
): Promise<ServerProcess & { url: string }> {
  const port = own ?? (await freePorts(1))[0] ?? 0;
  const directory = makeDirectory('nginx');
  let text = readFileSync(new URL('../../../deploy/nginx.conf', import.meta.url), 'utf8');
  for (const [there, here] of ELSEWHERE) {
    if (!there.test(text)) throw new Error(`deploy/nginx.conf has nothing like ${there}.`);
    text = text.replace(there, here(port, replicas));
  }
  writeFileSync(join(directory, 'nginx.conf'), text);
  return { ...(await startNginx(directory, port)), url: `http://127.0.0.1:${port}` };
}

/**
 * Starts nginx with a cache in front of a service. `X-Cache` has the cache status of each response.
 *
 * @param settings further lines beside `proxy_cache`
 */
export async function startCachingProxy(
  service: { config: { port: number; renderPort: number } },
  settings = '',
): Promise<CachingProxy> {
  const [web = 0, render = 0] = await freePorts(2);
  const directory = makeDirectory('nginx');
  const { port, renderPort } = service.config;
  const before = (own: number, upstream: number) => `
    server {
      listen 127.0.0.1:${own};
      location / {
        proxy_pass http://127.0.0.1:${upstream};
        proxy_set_header Host $http_host;
        proxy_http_version 1.1;
        proxy_cache all;
        add_header X-Cache $upstream_cache_status always;
        ${settings}
      }
    }`;
  writeFileSync(
    join(directory, 'nginx.conf'),
    `${FOR_TESTS}
    worker_processes 1;
    pid nginx.pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      ${TEMPORARY_PATHS}
      proxy_cache_path cache keys_zone=all:1m;
      ${before(web, port)}
      ${before(render, renderPort)}
    }`,
  );
  const server = await startNginx(directory, web);
  return {
    ...server,
    webUrl: `http://127.0.0.1:${web}`,
    renderUrl: `http://127.0.0.1:${render}`,
    async stop() {
      await server.kill('SIGTERM');
      removeDirectory(directory);
    },
  };
}
