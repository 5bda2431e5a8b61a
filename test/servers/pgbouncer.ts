import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePorts } from '../free-ports.ts';
import {
  findProgram,
  makeDirectory,
  removeDirectory,
  startServerProcess,
  unprivilegedUser,
} from './server-process.ts';

/** A PgBouncer that gives each transaction any free session. */
export interface PgbouncerServer {
  /** Returns a database's address through it. */
  through(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** Debian installs it in a folder that is only on root's PATH. */
const program = () => findProgram('pgbouncer', ['/usr/sbin']);

/** Returns the missing program. */
export function pgbouncerMissing(): string | undefined {
  return program() ? undefined : 'pgbouncer (Debian: apt install pgbouncer)';
}

/**
 * Starts a PgBouncer, on a free port.
 *
 * @param postgresUrl the server behind it, whose superuser needs no password
 * @param sessions how many sessions all transactions share
 */
export async function startPgbouncer(postgresUrl: string, sessions = 5): Promise<PgbouncerServer> {
  const [port = 0] = await freePorts(1);
  const user = unprivilegedUser('postgres');
  const directory = makeDirectory('pgbouncer', user);
  const { hostname, port: postgresPort } = new URL(postgresUrl);
  const settings = join(directory, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
* = host=${hostname} port=${postgresPort} user=postgres

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
pidfile = ${join(directory, 'pid')}
auth_type = any
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 500
`,
  );
  const through = (databaseUrl: string) => {
    const url = new URL(databaseUrl);
    url.port = String(port);
    return url.href;
  };
  const server = await startServerProcess(program() ?? 'pgbouncer', [settings], {
    directory,
    user,
    answers: () => connect(through(postgresUrl)),
  });
  return {
    through,
    async stop() {
      await server.kill('SIGKILL');
      removeDirectory(directory);
    },
  };
}

async function connect(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end();
  }
}
