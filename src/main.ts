import closeWithGrace from 'close-with-grace';
import { type App, createApp } from './app.ts';
import { ConfigError } from './base/config-error.ts';
import { isLoopback } from './core/config/addresses.ts';
import type { Config } from './core/config/config.ts';
import { dataLocation } from './core/config/data-location.ts';

/** How long a shutdown waits for running requests. */
const STOP_WITHIN_MS = 15_000;

/**
 * Starts the service and returns once it listens. On SIGTERM, SIGINT or SIGHUP, the process
 * finishes running requests, closes the stores and exits with 0.
 *
 * @throws Error if a port or the database cannot be opened
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
    throw describeListenError(error);
  }
  announceStart(config, app);
}

const PORT_SETTINGS = 'PORT, RENDER_PORT or METRICS_PORT';

/** Messages for errors of `listen`, by code. A port that is in use can be free at the next start. */
const LISTEN_FAULTS: Record<string, (at: { address: string; port: number }) => Error> = {
  EADDRINUSE: ({ port }) => new Error(`Port ${port} is in use. Set ${PORT_SETTINGS}.`),
  EACCES: ({ port }) =>
    new ConfigError(`This user can't listen on port ${port}. Set ${PORT_SETTINGS}.`),
  EADDRNOTAVAIL: ({ address }) =>
    new ConfigError(`HOST: ${address} is not an address of this machine.`),
};

function describeListenError(error: unknown): unknown {
  const describe = LISTEN_FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
  return describe ? Object.assign(describe(error as never), { cause: error }) : error;
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Does nothing. Stays installed, because a signal without a listener ends the process at once. */
function ignoreSignal(): void {}

/**
 * Prevents an immediate exit on a second signal. One Ctrl-C can arrive twice, from the terminal and
 * through npm. The timeout limits the shutdown anyway.
 */
function ignoreFurtherSignals(): void {
  for (const signal of STOP_SIGNALS) {
    for (const listener of process.listeners(signal)) {
      if (listener !== ignoreSignal) process.removeListener(signal, listener);
    }
  }
}

/** Prints a greeting at a terminal, and a JSON log line otherwise. */
function announceStart(config: Config, { logger }: Pick<App, 'logger'>): void {
  const problem = unreachable(config);
  if (process.stdout.isTTY) {
    console.log(greeting(config, problem));
    return;
  }
  const { webUrl, baseUrl, renderUrl } = config;
  logger.info({ webUrl, baseUrl, renderUrl, data: dataLocation(config) }, 'Briefs is running.');
  if (problem) logger.warn(problem);
}

/**
 * Returns a warning about a RENDER_URL that only this machine can reach, because other machines
 * would show empty frames.
 */
function unreachable({ webUrl, renderUrl }: Config): string | undefined {
  const [web, render] = [webUrl, renderUrl].map((url) => isLoopback(new URL(url).hostname));
  if (web || !render) return undefined;
  return 'Pages are shown only on this machine. Set RENDER_URL too, not only WEB_URL.';
}

function greeting(config: Config, problem: string | undefined): string {
  const { webUrl, baseUrl, renderUrl, signUps } = config;
  return `
Briefs is running.

  Web     ${webUrl}
  API     ${baseUrl}
  Render  ${renderUrl}
  Data    ${dataLocation(config)}

${problem ? `${problem}\n\n` : ''}Open ${webUrl}${signUps === 'open' ? ' to sign up' : ''}. You can also create accounts and tokens here, in another
terminal with the same settings:

  npx briefs users create ada --email ada@example.com
  npx briefs tokens create ada

Ctrl-C stops the service.
`;
}
