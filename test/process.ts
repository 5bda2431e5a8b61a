import { type ChildProcess, spawn } from 'node:child_process';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../src/core/config/read-config.ts';
import { createAccount } from '../src/core/identity/account-service.ts';
import { createToken } from '../src/core/identity/token-service.ts';
import { closeContext, openContext } from '../src/open-context.ts';
import { freePorts } from './free-ports.ts';
import { stackSettings } from './stack.ts';

/** The command, for tests that start it in other ways. */
export const BRIEFS = fileURLToPath(new URL('../../bin/briefs.js', import.meta.url));

/** The longest start or command; then the test fails instead of hanging. */
const PATIENCE_MS = 60_000;

/** A process's exit and output. */
export interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A running `briefs …`, without this process's environment. */
export interface Running {
  pid: number;
  /** Its output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when it has ended, in any way. */
  ended: Promise<Outcome>;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<Outcome>;
}

/** A `briefs serve` that accepts requests. */
export interface ServeProcess extends Running {
  port: number;
  webUrl: string;
  baseUrl: string;
  renderUrl: string;
}

const alive = new Set<ChildProcess>();
after(killProcesses);

/** Kills processes that a failed test left, which would keep the run from ending. */
export function killProcesses(): void {
  for (const child of alive) child.kill('SIGKILL');
}

/**
 * Starts `briefs` with arguments; `settings` are its environment.
 *
 * @param input its standard input
 * @param output a file descriptor that receives its output instead of us
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
  // A process that doesn't read it may exit before it is written.
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

/** Runs `briefs` with arguments until it ends. */
export async function runBriefs(
  args: string[],
  settings: Record<string, string> = {},
  input = '',
): Promise<Outcome> {
  const environment = { ...(await backEndsOf(settings)), ...settings };
  return within(startBriefs(args, environment, input).ended, `briefs ${args.join(' ')}`);
}

/**
 * Starts `briefs serve` on its own ports and waits for the log line of the start, which `LOG_LEVEL`
 * must not suppress. Rate limits are off unless `settings` say otherwise.
 *
 * @throws Error with its output if it ends instead
 */
export async function startServe(settings: Record<string, string>): Promise<ServeProcess> {
  const [port, renderPort] = await freePorts(2);
  const environment = {
    HOST: '127.0.0.1',
    PORT: String(port),
    RENDER_PORT: String(renderPort),
    RATE_LIMIT_API: 'off',
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

/** Commands with the same data directory share the rest of the stack under test. */
export async function backEndsOf({
  DATA_DIR,
}: Record<string, string>): Promise<Record<string, string>> {
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

/** Creates an account and a token, without starting a process. Returns the token. */
export async function createUser(dataDir: string, username: string): Promise<string> {
  const settings = { DATA_DIR: dataDir };
  const context = await openContext(readConfig({ ...(await backEndsOf(settings)), ...settings }));
  try {
    await createAccount(context, { username, email: `${username}@example.com` });
    const input = { username, name: 'test', lifetimeMs: undefined };
    return (await createToken(context, input)).token;
  } finally {
    await closeContext(context);
  }
}

/** Runs `briefs`, requires success, and returns its standard output. */
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
