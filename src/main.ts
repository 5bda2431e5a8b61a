import closeWithGrace from 'close-with-grace';
import { type App, createApp } from './app.ts';
import { type Config, isLoopback } from './config.ts';
import { dataLocation } from './runtime/data-location.ts';

/** How long a stop may take to finish what is in flight. */
const STOP_WITHIN_MS = 15_000;

/**
 * Runs the service until it is told to stop (SIGTERM, SIGINT, SIGHUP), then finishes what is in flight,
 * closes the stores and exits with 0.
 *
 * @throws Error when it cannot listen where it is told to, or the database cannot be opened
 */
export async function serve(config: Config): Promise<void> {
  const app = await createApp(config);
  for (const signal of STOP_SIGNALS) process.on(signal, ignoreSignal);
  const stop = closeWithGrace({ delay: STOP_WITHIN_MS, logger: undefined }, async ({ err }) => {
    ignoreFurtherSignals();
    if (err) app.logger.fatal({ err }, 'stopped by an unexpected error');
    await app.close();
  });
  try {
    await app.listen();
  } catch (error) {
    stop.uninstall();
    await app.close();
    throw inWords(error);
  }
  sayItRuns(config, app);
}

const PORT_SETTINGS = 'PORT, RENDER_PORT or METRICS_PORT';

/** Why the system does not let a process listen, in words, by its code. */
const LISTEN_FAULTS: Record<string, (at: { address: string; port: number }) => string> = {
  EADDRINUSE: ({ port }) => `Port ${port} is taken: set ${PORT_SETTINGS}.`,
  EACCES: ({ port }) => `Port ${port} is not for this user to listen on: set ${PORT_SETTINGS}.`,
  EADDRNOTAVAIL: ({ address }) => `${address} is no address of this machine: set HOST.`,
};

function inWords(error: unknown): unknown {
  const words = LISTEN_FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
  return words ? new Error(words(error as never), { cause: error }) : error;
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Stays installed: a signal that has no listener, even for a moment, ends the process at once. */
function ignoreSignal(): void {}

/**
 * One Ctrl-C can arrive twice, from the terminal and again through npm, and so does the end of a
 * terminal through the launcher. The library would take the second for impatience and exit at once;
 * the time-out bounds a stop anyway.
 */
function ignoreFurtherSignals(): void {
  for (const signal of STOP_SIGNALS) {
    for (const listener of process.listeners(signal)) {
      if (listener !== ignoreSignal) process.removeListener(signal, listener);
    }
  }
}

/** Greets a person at a terminal; anything else that reads standard output gets JSON lines only. */
function sayItRuns(config: Config, { logger }: Pick<App, 'logger'>): void {
  const problem = unreachable(config);
  if (process.stdout.isTTY) {
    console.log(greeting(config, problem));
    return;
  }
  const { webUrl, baseUrl, renderUrl } = config;
  logger.info({ webUrl, baseUrl, renderUrl, data: dataLocation(config) }, 'Briefs is running.');
  if (problem) logger.warn(problem);
}

/** Otherwise only people on other machines would notice, by empty frames. */
function unreachable({ webUrl, renderUrl }: Config): string | undefined {
  const [web, render] = [webUrl, renderUrl].map((url) => isLoopback(new URL(url).hostname));
  if (web || !render) return undefined;
  return 'Pages are shown on this machine alone: set RENDER_URL beside WEB_URL.';
}

function greeting(config: Config, problem: string | undefined): string {
  const { webUrl, baseUrl, renderUrl, signUps } = config;
  return `
Briefs is running.

  Web     ${webUrl}
  API     ${baseUrl}
  Render  ${renderUrl}
  Data    ${dataLocation(config)}

${problem ? `${problem}\n\n` : ''}Open ${webUrl}${signUps === 'open' ? ' to sign up' : ''}. Accounts and tokens can also be made here (in
another terminal, with the same settings):

  npx briefs users create ada --email ada@example.com
  npx briefs tokens create ada

Ctrl-C stops the service.
`;
}
