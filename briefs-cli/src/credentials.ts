import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writeWhole } from './files.ts';
import { CommandError } from './outcome.ts';

/** A login to a server, stored by the server's address. */
export interface Login {
  /** The address of the API. */
  base: string;
  token: string;
  /** Only if the token came from a browser sign-in. `expiresAt` is in ms since the epoch. */
  oauth?: { clientId: string; refreshToken: string; expiresAt: number };
}

interface Stored {
  /** The server of the last login. */
  current?: string | undefined;
  servers: Record<string, Login>;
  /**
   * This program's client ids, by server. They stay after signing out: servers limit how often a
   * program registers.
   */
  clients: Record<string, string>;
}

function folder(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const home = process.platform === 'win32' && APPDATA ? APPDATA : join(homedir(), '.config');
  return join(XDG_CONFIG_HOME || home, 'briefs');
}

export function credentialsPath(): string {
  return join(folder(), 'credentials.json');
}

/** @throws CommandError if the file is damaged */
export function readCredentials(): Stored {
  const path = credentialsPath();
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { servers: {}, clients: {} };
    throw error;
  }
  try {
    const { current, servers, clients } = JSON.parse(text) as Stored;
    return { current, servers: { ...servers }, clients: { ...clients } };
  } catch {
    throw new CommandError(`${path} is damaged. Delete it, then run "briefs login".`);
  }
}

/** Stores a login, or deletes it. Only the user can read the file. */
export function storeLogin(server: string, login: Login | undefined, isCurrent = false): void {
  const stored = readCredentials();
  if (login) stored.servers[server] = login;
  else delete stored.servers[server];
  if (isCurrent) stored.current = server;
  if (!login && stored.current === server) stored.current = Object.keys(stored.servers)[0];
  write(stored);
}

/** Stores this program's client id at a server. */
export function storeClient(server: string, clientId: string): void {
  const stored = readCredentials();
  stored.clients[server] = clientId;
  write(stored);
}

function write(stored: Stored): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  writeWhole(credentialsPath(), `${JSON.stringify(stored, null, 2)}\n`, 0o600);
}
