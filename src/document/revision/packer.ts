import type { Context } from '../../context.ts';
import { BackEndUnavailable } from '../../errors.ts';
import { packWaiting } from './pack-service.ts';
import type { RawText } from './revision-text-store.ts';

/** How often the packer looks for texts, including those of other processes. */
const EVERY_MS = 5_000;

/** How long the packer waits while a back end is down. */
const WHILE_AWAY_MS = 30_000;

/** How much longer the packer rests than it works, because requests come first. */
const REST_PER_WORK = 2;

export interface Packer {
  /** Resolves after the text being packed. */
  stop(): Promise<void>;
}

/** @param onFailure called on failures; the packer retries after a while */
export function startPacker(context: Context, onFailure: (error: unknown) => void): Packer {
  let isStopping = false;
  let interrupt = () => {};

  async function rest(ms: number): Promise<void> {
    if (isStopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const options = { isStopping: () => isStopping, onFailure };
  let after: RawText | undefined;

  /** @returns how long to rest */
  async function step(): Promise<number> {
    const start = performance.now();
    try {
      after = await packWaiting(context, options, after);
      return after ? (performance.now() - start) * REST_PER_WORK : EVERY_MS;
    } catch (error) {
      onFailure(error);
      return error instanceof BackEndUnavailable ? WHILE_AWAY_MS : EVERY_MS;
    }
  }

  async function run(): Promise<void> {
    while (!isStopping) await rest(await step());
  }

  const running = run();
  return {
    async stop() {
      isStopping = true;
      interrupt();
      await running;
    },
  };
}
