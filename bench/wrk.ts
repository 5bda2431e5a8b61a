import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A load. */
export interface Load {
  url: string;
  headers?: Record<string, string>;
  /** A script in `bench/wrk` and its arguments. Without it, repeats one GET. */
  script?: { name: string; args: string[] };
  connections: number;
  /** Threads of the load generator. Default 1. */
  threads?: number;
}

/** The result. Times are in microseconds. */
export interface Outcome {
  requests: number;
  micros: number;
  bytes: number;
  p50: number;
  p99: number;
}

const SCRIPTS = join(import.meta.dirname, '../../bench/wrk');

const run = promisify(execFile);

/**
 * Sends requests for some seconds, as fast as they are answered.
 *
 * @throws Error when one of them fails
 */
export async function sendLoad(load: Load, seconds: number): Promise<Outcome> {
  const { url, headers = {}, script, connections, threads = 1 } = load;
  const args = [
    `-t${threads}`,
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '30s',
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    '-s',
    `${script?.name ?? 'report'}.lua`,
    url,
    ...(script ? ['--', ...script.args] : []),
  ];
  const { stdout } = await run('wrk', args, { cwd: SCRIPTS });
  const { refused, broken, ...outcome } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  if (refused + broken > 0) {
    throw new Error(`${url}: ${refused} requests refused and ${broken} broken\n${stdout}`);
  }
  return outcome;
}
