import closeWithGrace from 'close-with-grace';
import { type App, createApp } from './app.ts';
import { ConfigError } from './base/config-error.ts';
import { isLoopback } from './core/config/addresses.ts';
import type { Config } from './core/config/config.ts';
import { dataLocation } from './core/config/data-location.ts';
import { hasRoom } from './storage/disk-failure.ts';

/** How long a shutdown waits for running requests. */
const STOP_WITHIN_MS = 15_000;

/** How often a service that started on a full disk looks for room. */
const ROOM_EVERY_MS = 1_000;

/**
 * Starts the service and returns once it listens. On SIGTERM, SIGINT or SIGHUP, the process
 * finishes running requests, closes the stores and exits with 0. If the disk was full, starts again by
 * itself once there is room.
 *
 * @throws Error if a port or the database cannot be opened
 */
export async function serve(config: Config): Promise<void> {
  for (const signal of STOP_SIGNALS) process.on(signal, leave);
  let app = await createApp(config);
  for (const signal of STOP_SIGNALS) process.on(signal, ignoreSignal).off(signal, leave);
  const stop = closeWithGrace(
    { delay: STOP_WITHIN_MS, logger: undefined },
    async ({ err, signal }) => {
      ignoreFurtherSignals();
      clearInterval(watching);
      if (err) app.logger.fatal({ err }, 'stopped by an unexpected error');
      else app.logger.info({ signal }, 'Briefs is stopping.');
      await resuming;
      await app.close();
    },
  );
  const listen = async () => {
    try {
      await app.listen();
    } catch (error) {
      stop.uninstall();
      await app.close();
      throw describeListenError(error);
    }
  };
  await listen();
  announceStart(config, app);

  // What was opened without room can only be read, so all of it is opened again.
  let resuming: Promise<void> | undefined;
  const resume = async () => {
    app.logger.info('The disk has room again.');
    await app.close();
    app = await createApp(config);
    await listen();
    if (app.isReadOnly) watching = watchRoom();
  };
  const watchRoom = () => {
    app.logger.warn('The disk is full, so the service can only read until there is room.');
    return setInterval(() => {
      if (!hasRoom(config.dataDir)) return;
      clearInterval(watching);
      resuming = resume();
    }, ROOM_EVERY_MS);
  };
  let watching = app.isReadOnly ? watchRoom() : undefined;
}

const PORT_SETTINGS = 'PORT, RENDER_PORT or METRICS_PORT';

/** Messages for errors of `listen`, by code. */
const LISTEN_FAULTS: Record<string, (at: { address: string; port: number }) => Error> = {
  EADDRINUSE: ({ port }) => new ConfigError(`Port ${port} is in use. Set ${PORT_SETTINGS}.`),
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

/** Ends a start, which has accepted nothing yet. Without a listener, a container's first process gets no signal. */
function leave(): void {
  process.exit();
}

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

  npx --no-install briefs users create ada --email ada@example.com
  npx --no-install briefs tokens create ada

Ctrl-C stops the service.
`;
}
