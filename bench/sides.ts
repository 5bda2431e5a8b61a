import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Side } from './measure.ts';
import type { Server } from './process.ts';
import { CHANGED_BRIEFS, OWNER } from './scene.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';
import { toolCallOf } from './tool-call.ts';
import { type Load, type Outcome, sendLoad } from './wrk.ts';

// A side is a server with its load.

export const CONNECTIONS = 32;

export const MARKDOWN = `/${OWNER}/read.md`;
const BRIEF = `/api/briefs/${OWNER}/read`;

/** A load without its server. */
export type Request = Omit<Load, 'url' | 'connections'> & { path: string; connections?: number };

/** All processes of the service; the clients are divided among them. */
export function service(stage: Stage, name: string, request: () => Request): Side {
  return requests(name, stage.services, toLoad(request));
}

/** Processes of the floor, on the service's database or the spare one. */
export function floor(servers: readonly Server[], request: () => Request): Side {
  return requests('floor', servers, toLoad(request));
}

/** nginx with a static file. */
export function nginx(stage: Stage, path: string): Side {
  return requests(
    'nginx',
    [stage.nginx],
    toLoad(() => ({ path })),
  );
}

/** Called for each run, because created briefs need new names. */
function toLoad(request: () => Request): (server: Server) => Load {
  return ({ url }) => {
    const { path, ...load } = request();
    return { connections: CONNECTIONS, ...load, url: url + path };
  };
}

/** Loads all processes of a server together; the connections are divided among them. */
function requests<S extends Server>(
  name: string,
  servers: readonly S[],
  toLoad: (server: S) => Load,
): Side {
  return {
    name,
    pids: servers.map(({ pid }) => pid),
    async run(seconds) {
      const loads = servers.map(toLoad);
      const used = loads.slice(0, loads[0]?.connections);
      const outcomes = await Promise.all(
        used.map((load) => {
          const connections = Math.floor(load.connections / used.length);
          return sendLoad({ ...load, connections }, seconds);
        }),
      );
      return together(outcomes);
    },
  };
}

function together(outcomes: Outcome[]): Outcome {
  const sum = (value: (outcome: Outcome) => number) =>
    outcomes.reduce((total, outcome) => total + value(outcome), 0);
  const highest = (value: (outcome: Outcome) => number) => Math.max(...outcomes.map(value));
  return {
    requests: sum(({ requests }) => requests),
    micros: highest(({ micros }) => micros),
    bytes: sum(({ bytes }) => bytes),
    p50: highest(({ p50 }) => p50),
    p99: highest(({ p99 }) => p99),
  };
}

const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });

const sending = (who: { token: string }) => ({
  ...bearer(who),
  'content-type': 'application/json',
});

const uniquePrefix = () => `bench-${randomBytes(6).toString('hex')}`;

const contentFile = ({ scene }: Stage) => join(scene.directory, 'content.json');

/** Reads one brief with a token. */
export function reading({ scene }: Stage): () => Request {
  return () => ({ path: BRIEF, headers: bearer(scene) });
}

/** Reads many briefs with a token. */
export function readingMany({ scene }: Stage): () => Request {
  return () => ({ path: '', headers: bearer(scene), script: paths(scene, 'many.api') });
}

/** Reads many public briefs as Markdown. */
export function markdownOfMany({ scene }: Stage): () => Request {
  return () => ({ path: '', script: paths(scene, 'many.md') });
}

const paths = ({ directory }: { directory: string }, file: string) => ({
  name: 'paths',
  args: [join(directory, file)],
});

/** Lists thirty briefs of a user. */
export function list({ scene }: Stage): () => Request {
  return () => ({ path: '/api/briefs?per_page=30', headers: bearer(scene) });
}

/** The shares of a mixed load, in percent. */
export interface Mix {
  reads: number;
  markdown: number;
  creates: number;
}

/** Reads with a token, public Markdown and creates over 20,000 briefs of many owners. */
export function mixed(stage: Stage, who: { token: string }, mix: Mix): () => Request {
  const file = (name: string) => join(stage.scene.directory, name);
  const shares = [String(mix.markdown), String(mix.creates)];
  return () => ({
    path: '',
    headers: sending(who),
    script: {
      name: 'mix',
      args: [file('many.api'), file('many.md'), ...shares, uniquePrefix(), contentFile(stage)],
    },
  });
}

/** Creates briefs of 3 KB. */
export function creating(stage: Stage, who: { token: string }, connections: number): () => Request {
  return () => ({
    path: '/api/briefs',
    headers: sending(who),
    connections,
    script: { name: 'create', args: [uniquePrefix(), contentFile(stage)] },
  });
}

/** Reads the brief by a tool call. */
export function toolCall({ scene }: Stage): () => Request {
  const call = toolCallOf('read_document', { owner: OWNER, name: 'read' });
  const file = join(scene.directory, 'call.json');
  writeFileSync(file, JSON.stringify(call.body));
  return () => ({
    path: '/api/mcp',
    headers: { ...sending(scene), ...call.headers },
    script: { name: 'send', args: [file] },
  });
}

/** Reads the page of 500 KB from the render host. */
export function page({ services }: Stage): Side {
  return requests('service', services, ({ renderUrl }) => ({
    url: `${renderUrl}/${OWNER}/page`,
    connections: CONNECTIONS,
  }));
}

/** Each client updates its own brief. */
export function updating(stage: Stage): Side {
  const { services, scene } = stage;
  const each = CHANGED_BRIEFS / services.length;
  const tagsOf = (service: Service) => join(scene.directory, `tags-${services.indexOf(service)}`);
  const side = requests('service', services, (service) => ({
    url: service.url,
    headers: sending(scene),
    connections: CHANGED_BRIEFS,
    threads: each,
    script: { name: 'update', args: [tagsOf(service), contentFile(stage)] },
  }));
  return {
    ...side,
    async run(seconds) {
      for (const [index, service] of services.entries()) {
        const lines = scene.changed.slice(index * each, (index + 1) * each).map(async (path) => {
          const { headers } = await fetch(service.url + path, { headers: bearer(scene) });
          return `${path} ${headers.get('etag')}\n`;
        });
        writeFileSync(tagsOf(service), (await Promise.all(lines)).join(''));
      }
      return side.run(seconds);
    },
  };
}

const execute = promisify(execFile);

/** Inserts rows without a server, one commit at a time. */
export function rawCommits({ scene, spare }: Stage): Side {
  const content = join(scene.directory, 'content.md');
  return script('raw commits', 'commits.js', [spare.database, spare.ownerId, content]);
}

/** Calls the service function directly, without HTTP. */
export function serviceCalls({ scene, spare }: Stage): Side {
  const content = join(scene.directory, 'content.md');
  return script('service call', 'service-calls.js', [content], spare.settings);
}

/** Runs a script that measures itself. Its last argument is the seconds. */
function script(
  name: string,
  file: string,
  args: readonly string[],
  settings: Record<string, string> = {},
): Side {
  const path = join(import.meta.dirname, file);
  return {
    name,
    pids: [],
    async run(seconds) {
      const { stdout } = await execute(process.execPath, [path, ...args, String(seconds)], {
        env: { ...process.env, ...settings },
      });
      return JSON.parse(stdout);
    },
  };
}
