import { statfs } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '../../base/package.ts';
import type { Surface } from '../../core/config/listening-addresses.ts';
import type { Backlog } from '../../core/outbox/backlog-store.ts';
import type { Connections } from '../../storage/sql/sql.ts';
import { BARE_HEADERS } from './bare-headers.ts';
import type { Answered } from './log.ts';
import { type BackEnds, findUnavailable } from './readiness.ts';

/** Prometheus metrics, on their own port. */
export interface Metrics {
  observe(surface: Surface, request: Answered): void;
  /** Counts a request whose rate limit was counted by this process because Redis failed. */
  countedLocally(): void;
  /** Counts something that a limit of an owner refused. */
  quotaRefused(limit: string): void;
  listen(host: string, port: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param parts.backEnds pinged on each scrape
 * @param parts.dataDir the folder whose disk is measured
 * @param parts.backlogs looked up on each scrape, as is the time of the last backup
 * @param parts.connections those to a database server, if there is one
 */
export function createMetrics(parts: {
  backEnds: () => BackEnds;
  dataDir: string;
  backlogs: () => Promise<Backlog[]>;
  lastBackup: () => Promise<string | undefined>;
  connections: () => Connections | undefined;
}): Metrics {
  const { backEnds, dataDir, backlogs, lastBackup, connections } = parts;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'briefs_http_request_duration_seconds',
    help: 'Time from a request’s headers to the end of its response.',
    labelNames: ['surface', 'method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const aborted = new Counter({
    name: 'briefs_http_requests_aborted_total',
    help: 'Requests whose connection ended before the response did, mostly because the client left.',
    labelNames: ['surface', 'method', 'route'] as const,
    registers: [registry],
  });
  const up = new Gauge({
    name: 'briefs_back_end_up',
    help: 'Whether a back end answers.',
    labelNames: ['back_end'] as const,
    registers: [registry],
    async collect() {
      const away = await findUnavailable(backEnds());
      for (const name of Object.keys(backEnds())) {
        up.set({ back_end: name }, away.has(name) ? 0 : 1);
      }
    },
  });
  const countedLocally = new Counter({
    name: 'briefs_rate_limits_counted_locally_total',
    help: 'Requests that this process counted by itself, because Redis did not answer.',
    registers: [registry],
  });
  const refused = new Counter({
    name: 'briefs_quota_refusals_total',
    help: 'What was refused because its owner has as much as it may have, by the limit.',
    labelNames: ['limit'] as const,
    registers: [registry],
  });
  new Gauge({
    name: 'briefs_disk_free_bytes',
    help: 'Free space on the disk of DATA_DIR.',
    registers: [registry],
    async collect() {
      // The folder does not exist if all data is on servers.
      const space = await statfs(dataDir).catch(() => undefined);
      if (space) this.set(space.bavail * space.bsize);
    },
  });
  new Gauge({
    name: 'briefs_info',
    help: 'Always 1, with the version that runs.',
    labelNames: ['version'] as const,
    registers: [registry],
  }).set({ version: VERSION }, 1);
  let looking: Promise<Backlog[]> | undefined;
  /** Looks once for both gauges. */
  const lookUp = () => {
    // Without the database there is nothing to count, and `briefs_back_end_up` says so.
    looking ??= backlogs()
      .catch(() => [])
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  new Gauge({
    name: 'briefs_background_waiting',
    help: 'Pieces of background work that are due and that no process works on, at most 10,000.',
    labelNames: ['work'] as const,
    registers: [registry],
    async collect() {
      this.reset();
      for (const { work, waiting } of await lookUp()) this.set({ work }, waiting);
    },
  });
  new Gauge({
    name: 'briefs_background_oldest_seconds',
    help: 'How long the oldest piece of background work has been due; 0 if none is.',
    labelNames: ['work'] as const,
    registers: [registry],
    async collect() {
      this.reset();
      for (const { work, since } of await lookUp()) {
        const ms = since === null ? 0 : Date.now() - Date.parse(since);
        if (work !== 'search') this.set({ work }, Math.max(0, ms / 1000));
      }
    },
  });
  new Gauge({
    name: 'briefs_last_backup_timestamp_seconds',
    help: 'When the last complete backup began, in Unix time; 0 if there is none.',
    registers: [registry],
    async collect() {
      this.reset();
      const at = await lastBackup().catch(() => undefined);
      if (at !== undefined) this.set(Date.parse(at) / 1000);
    },
  });
  new Gauge({
    name: 'briefs_database_connections',
    help: 'Connections of this process to PostgreSQL; “waiting” are requests for one.',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(connections() ?? {})) this.set({ state }, count);
    },
  });
  const server: Server = createServer(async (request, response) => {
    response.setHeaders(new Map(Object.entries(BARE_HEADERS)));
    if (request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await registry.metrics();
      response.setHeader('content-type', registry.contentType).end(text);
    } catch (error) {
      // Otherwise an unhandled rejection would end the process.
      response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(String(error));
    }
  });
  return {
    observe(surface, { method, route = 'none', status, ms, aborted: isAborted }) {
      // The route's pattern, never the path: each document would add a label.
      if (isAborted) {
        aborted.inc({ surface, method, route });
        return;
      }
      duration.observe({ surface, method, route, status: String(status) }, ms / 1000);
    },
    countedLocally: () => countedLocally.inc(),
    quotaRefused: (limit) => refused.inc({ limit }),
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject).listen(port, host, () => resolve());
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // A closing server no longer enforces timeouts.
        server.closeAllConnections();
      }),
  };
}
