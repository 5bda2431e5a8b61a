import { type ChildProcess, spawn } from 'node:child_process';
import { get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { boundToParent } from '../test/servers/server-process.ts';
import { cpuMicros } from './usage.ts';

// On exit, directories are removed and servers stopped.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** A measured server. */
export interface Server {
  pid: number;
  /** Its URL, without a trailing slash. */
  url: string;
  /** The time from its start to its first response. */
  startMs: number;
  /** Its processor time until then. */
  startCpuMs: number;
  /** Stops it gracefully. @throws Error if it had exited, or exits with an error */
  stop(): Promise<void>;
}

const START_WITHIN_MS = 600_000;
const ASK_EVERY_MS = 5;

/**
 * Starts a server, without its standard output, and waits for a 200. It stops with this process at
 * the latest.
 *
 * @param path the path to request
 * @throws Error if it exits
 */
export async function startServer(
  command: readonly string[],
  options: { url: string; path: string; settings?: Record<string, string> },
): Promise<Server> {
  const [file = '', ...args] = [...boundToParent(), ...command];
  const begin = performance.now();
  const child = spawn(file, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, ...options.settings },
  });
  const ended = endOf(child);
  const isReady = await Promise.race([
    untilAnswering(options.url + options.path),
    ended.then(() => false),
  ]);
  if (!isReady) throw new Error(`${command.join(' ')} did not start.`);
  const startMs = performance.now() - begin;
  const pid = child.pid as number;
  return {
    pid,
    url: options.url,
    startMs,
    startCpuMs: cpuMicros([pid]) / 1000,
    async stop() {
      const wasAlive = child.kill('SIGTERM');
      const how = await ended;
      if (!wasAlive || how) throw new Error(`${command.join(' ')} ended with ${how}.`);
    },
  };
}

/** A process's exit code, or signal; 0 after a requested stop. */
function endOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGTERM' ? 0 : `${signal}`)));
  });
}

async function untilAnswering(url: string): Promise<boolean> {
  const giveUpAt = Date.now() + START_WITHIN_MS;
  while (!(await answers(url))) {
    if (Date.now() > giveUpAt) throw new Error(`${url} does not answer.`);
    await sleep(ASK_EVERY_MS);
  }
  return true;
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    }).once('error', () => resolve(false));
  });
}
