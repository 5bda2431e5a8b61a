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

/** A PostgreSQL cluster of its own, whose superuser `postgres` needs no password. */
export interface PostgresServer {
  /** `postgres://…/postgres`, as the superuser. */
  url: string;
  /**
   * Makes a database; gives its address.
   *
   * @param template the address of a database, without connections, that it is a copy of
   */
  createDatabase(template?: string): Promise<string>;
  /**
   * `fast` ends all connections; `immediate` is a crash, after which it recovers; so is `killed`,
   * where the server does not even know of it.
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

/** Tests lose nothing that they need when the machine crashes. */
const FAST = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** What a machine without PostgreSQL lacks. */
export function postgresMissing(): string | undefined {
  return program('initdb') && program('postgres')
    ? undefined
    : 'PostgreSQL (Debian: apt install postgresql)';
}

/** Makes a cluster in a temporary directory and starts it. `durable`: with the disk's guarantees. */
export async function startPostgresServer({ durable = false } = {}): Promise<PostgresServer> {
  const [port = 0] = await freePorts(1);
  const user = unprivilegedUser('postgres');
  const directory = makeDirectory('postgres', user);
  const data = join(directory, 'data');
  const [initdb = '', ...args] = [
    ...boundToParent(user),
    ...[program('initdb') ?? 'initdb', '--pgdata', data, '--username=postgres', '--auth=trust'],
    ...['--encoding=UTF8', '--locale=C', '--no-sync', ...languageOrder()],
  ];
  execFileSync(initdb, args, { stdio: 'pipe', cwd: directory });

  const address = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const url = address('postgres');
  const settings = [
    ...[`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='],
    ...['max_connections=200', ...(durable ? [] : FAST)],
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

/** The sessions of a server that was killed end by themselves, and keep another from starting. */
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
 * Most clusters sort text as a language does, not by bytes. So does this one where it can (from
 * PostgreSQL 15 on), that an order which must be by bytes is seen to say so.
 */
function languageOrder(): string[] {
  const help = execFileSync(program('initdb') ?? 'initdb', ['--help'], { encoding: 'utf8' });
  return help.includes('--icu-locale') ? ['--locale-provider=icu', '--icu-locale=en-US'] : [];
}

/** Debian keeps the programs of the server where no PATH leads. */
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
