import { type ChildProcess, spawn } from 'node:child_process';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePorts } from './free-ports.ts';
import { stackSettings } from './stack.ts';

/** The command, for those who start it otherwise. */
export const BRIEFS = fileURLToPath(new URL('../../bin/briefs.js', import.meta.url));

/** How long a start or a command may take before the test fails instead of hanging. */
const PATIENCE_MS = 60_000;

/** How a process ended, and what it said. */
export interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A running `briefs …`, told nothing by this process's own environment. */
export interface Running {
  pid: number;
  /** What it has said so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when it has ended, however it ended. */
  ended: Promise<Outcome>;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<Outcome>;
}

/** `briefs serve` that answers requests. */
export interface ServeProcess extends Running {
  port: number;
  webUrl: string;
  baseUrl: string;
  renderUrl: string;
}

const alive = new Set<ChildProcess>();
after(killProcesses);

/** Kills what a failed test left behind, which would keep the run from ending. */
export function killProcesses(): void {
  for (const child of alive) child.kill('SIGKILL');
}

/**
 * Starts `briefs` with arguments; `settings` are its environment.
 *
 * @param input what it reads from standard input
 * @param output what it writes to instead of being heard: a file descriptor
 */
export function startBriefs(
  args: string[],
  settings: Record<string, string> = {},
  input = '',
  output?: number,
): Running {
  const child = spawn(process.execPath, [BRIEFS, ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['pipe', output ?? 'pipe', 'pipe'],
  });
  // Whoever does not read it may be gone before it is written.
  child.stdin?.on('error', () => {}).end(input);
  const said = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    said.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said.stderr += text;
  });
  alive.add(child);
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      alive.delete(child);
      resolve({ code, signal, ...said });
    });
  });
  return {
    pid: child.pid as number,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    ended,
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs `briefs` with arguments to its end. */
export async function runBriefs(
  args: string[],
  settings: Record<string, string> = {},
  input = '',
): Promise<Outcome> {
  const environment = { ...(await backEndsOf(settings)), ...settings };
  return within(startBriefs(args, environment, input).ended, `briefs ${args.join(' ')}`);
}

/**
 * Starts `briefs serve` on ports of its own and waits for the log line that says that it runs, so
 * `LOG_LEVEL` must let it through. Rate limits are off unless `settings` say otherwise.
 *
 * @throws Error with what it said when it ends instead
 */
export async function startServe(settings: Record<string, string>): Promise<ServeProcess> {
  const [port, renderPort] = await freePorts(2);
  const environment = {
    HOST: '127.0.0.1',
    PORT: String(port),
    RENDER_PORT: String(renderPort),
    RATE_LIMIT_API: 'off',
    NAMESPACE_RESERVATION: 'off',
    RATE_LIMIT_INVITATIONS: 'off',
    ...(await backEndsOf(settings)),
    ...settings,
  };
  const running = startBriefs(['serve'], environment);
  await within(
    Promise.race([
      greeted(running),
      running.ended.then(({ code, signal, stderr }) => {
        throw new Error(`briefs serve ended with ${signal ?? code}: ${stderr}`);
      }),
    ]),
    'the start of briefs serve',
  );
  const webUrl = settings.WEB_URL ?? `http://localhost:${environment.PORT}`;
  return {
    ...running,
    port: Number(environment.PORT),
    webUrl,
    baseUrl: settings.BASE_URL ?? `${webUrl}/api`,
    renderUrl: settings.RENDER_URL ?? `http://localhost:${environment.RENDER_PORT}`,
  };
}

/** Commands that share a data directory share the rest of the stack under test. */
async function backEndsOf({ DATA_DIR }: Record<string, string>): Promise<Record<string, string>> {
  return DATA_DIR ? stackSettings(DATA_DIR) : {};
}

async function greeted(running: Running): Promise<void> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  running.ended.then(end, end);
  while (!hasEnded && !running.stdout().includes('Briefs is running.')) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Makes an account and a token with the commands; gives the token. */
export async function createUser(dataDir: string, username: string): Promise<string> {
  const settings = { DATA_DIR: dataDir };
  await succeed(['users', 'create', username, '--email', `${username}@example.com`], settings);
  return (await succeed(['tokens', 'create', username], settings)).trim();
}

/** Runs `briefs` and fails unless it succeeds; gives its standard output. */
export async function succeed(args: string[], settings: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runBriefs(args, settings);
  if (code !== 0) throw new Error(`briefs ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Fails instead of waiting forever. */
export async function within<T>(work: Promise<T>, what: string, ms = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
