import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  accessSync,
  chownSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 20;

/** The user that a server runs as, because some refuse to be root. */
export interface User {
  uid: number;
  gid: number;
}

/** A server started by tests, which ends with them. */
export interface ServerProcess {
  pid: number;
  /**
   * Sends a signal, and waits for the end unless the signal only stops or continues the process.
   */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Its output so far, on both streams. */
  output(): string;
}

const alive = new Set<ChildProcess>();
const directories = new Set<string>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
  for (const directory of directories) removeDirectory(directory);
});

/** A temporary directory that is deleted with this process. */
export function makeDirectory(name: string, owner?: User): string {
  const directory = mkdtempSync(join(tmpdir(), `briefs-${name}-`));
  directories.add(directory);
  if (owner) chownSync(directory, owner.uid, owner.gid);
  return directory;
}

/** Even while the last of a server's processes still write to it. */
export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  directories.delete(directory);
}

/**
 * Starts a server and waits until it answers. Its output goes to `server.log` in its directory.
 *
 * @param answers sends a request, and rejects until it is answered
 * @throws Error with its output if it exits or does not answer within a minute
 */
export async function startServerProcess(
  command: string,
  args: string[],
  options: { directory: string; user?: User | undefined; answers(): Promise<unknown> },
): Promise<ServerProcess> {
  const log = join(options.directory, 'server.log');
  const output = openSync(log, 'a');
  const [file = '', ...rest] = [...boundToParent(options.user), command, ...args];
  const child = spawn(file, rest, { stdio: ['ignore', output, output], cwd: options.directory });
  // If a test fails and leaves it running, it is killed at the end.
  child.unref();
  alive.add(child);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve()).once('exit', () => resolve());
  }).finally(() => alive.delete(child));

  const giveUpAt = Date.now() + START_WITHIN_MS;
  while (!(await isAnswering(options.answers))) {
    if (!alive.has(child) || Date.now() > giveUpAt) {
      child.kill('SIGKILL');
      throw new Error(`${command} did not start: ${readFileSync(log, 'utf8')}`);
    }
    await sleep(ASK_EVERY_MS);
  }
  return {
    pid: child.pid as number,
    async kill(signal) {
      child.kill(signal);
      if (signal === 'SIGSTOP' || signal === 'SIGCONT') return;
      child.ref();
      await ended;
    },
    output: () => readFileSync(log, 'utf8'),
  };
}

async function isAnswering(answers: () => Promise<unknown>): Promise<boolean> {
  return answers().then(
    () => true,
    () => false,
  );
}

/** The start of a command that runs as a user and ends even if this process is killed. */
export function boundToParent(user?: User): string[] {
  if (!findProgram('setpriv')) return [];
  const identity = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  return ['setpriv', '--pdeathsig=KILL', ...identity, '--'];
}

/** The user for a server that refuses to be root; `undefined` if we are not root. */
export function unprivilegedUser(name: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const candidate of [name, 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, candidate], { stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // This machine has no such user.
    }
  }
  return undefined;
}

/** Finds a program in one of the `directories`, or on the PATH. */
export function findProgram(name: string, directories: string[] = []): string | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter);
  return [...directories, ...onPath]
    .map((directory) => join(directory, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
