import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePorts } from '../free-ports.ts';
import {
  boundToParent,
  findProgram,
  makeDirectory,
  removeDirectory,
  type ServerProcess,
  startServerProcess,
  unprivilegedUser,
} from './server-process.ts';

/** A PostgreSQL cluster whose superuser `postgres` needs no password. */
export interface PostgresServer {
  /** `postgres://…/postgres`, as the superuser. */
  url: string;
  /**
   * Creates a database and returns its address.
   *
   * @param template the address of a database without connections, which is copied
   */
  createDatabase(template?: string): Promise<string>;
  /**
   * `fast` closes all connections; `immediate` is a crash, after which it recovers; so is `killed`,
   * which the server does not notice.
   */
  restart(mode: keyof typeof SIGNALS): Promise<void>;
  stopServer(): Promise<void>;
  /** Starts it again, on the same port. */
  startServer(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', killed: 'SIGKILL' } as const;

const ORPHANS_END_WITHIN_MS = 30_000;

/** Tests need no data after a crash of the machine. */
const FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** Returns the missing program. */
export function postgresMissing(): string | undefined {
  return program('initdb') && program('postgres')
    ? undefined
    : 'PostgreSQL (Debian: apt install postgresql)';
}

/** Creates a cluster in a temporary directory and starts it. `durable`: with disk guarantees. */
export async function startPostgresServer({ durable = false } = {}): Promise<PostgresServer> {
  const [port = 0] = await freePorts(1);
  const user = unprivilegedUser('postgres');
  const directory = makeDirectory('postgres', user);
  const data = join(directory, 'data');
  const [initdb = '', ...args] = [
    ...boundToParent(user),
    program('initdb') ?? 'initdb',
    '--pgdata',
    data,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    ...languageOrder(),
  ];
  execFileSync(initdb, args, { stdio: 'pipe', cwd: directory });

  const address = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const url = address('postgres');
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    ...(durable ? [] : FAST),
  ];
  const start = () =>
    startServerProcess(
      program('postgres') ?? 'postgres',
      ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      { directory, user, answers: () => query(url, 'select 1') },
    );
  let server: ServerProcess = await start();
  return {
    url,
    async createDatabase(template) {
      const name = `briefs_${randomBytes(6).toString('hex')}`;
      const source = template ? ` template "${new URL(template).pathname.slice(1)}"` : '';
      await query(url, `create database "${name}"${source}`);
      return address(name);
    },
    async restart(mode) {
      await server.kill(SIGNALS[mode]);
      server = await (mode === 'killed' ? onceOrphansEnded(start) : start());
    },
    stopServer: () => server.kill(SIGNALS.fast),
    async startServer() {
      server = await start();
    },
    async stop() {
      await server.kill(SIGNALS.immediate);
      removeDirectory(directory);
    },
  };
}

/** The sessions of a killed server end by themselves, and prevent another from starting. */
async function onceOrphansEnded(start: () => Promise<ServerProcess>): Promise<ServerProcess> {
  const giveUpAt = Date.now() + ORPHANS_END_WITHIN_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const inUse = /shared memory block .* is still in use/.test((error as Error).message);
      if (!inUse || Date.now() > giveUpAt) throw error;
    }
  }
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end();
  }
}

/**
 * Most clusters sort text by language, not by bytes. This one does too if it can (PostgreSQL 15 or
 * newer), so that tests detect a missing byte order.
 */
function languageOrder(): string[] {
  const help = execFileSync(program('initdb') ?? 'initdb', ['--help'], { encoding: 'utf8' });
  return help.includes('--icu-locale') ? ['--locale-provider=icu', '--icu-locale=en-US'] : [];
}

/** Debian installs the server's programs outside the PATH. */
function program(name: string): string | undefined {
  return findProgram(name, [
    ...newestFirst(globSync('/usr/lib/postgresql/*/bin')),
    ...configured(),
  ]);
}

function newestFirst(directories: string[]): string[] {
  const version = (directory: string) => Number(/postgresql\/(\d+)/.exec(directory)?.[1]);
  return directories.sort((a, b) => version(b) - version(a));
}

function configured(): string[] {
  const pgConfig = findProgram('pg_config');
  return pgConfig ? [execFileSync(pgConfig, ['--bindir'], { encoding: 'utf8' }).trim()] : [];
}
