import { BackEndUnavailable } from '../errors.ts';

/** Work that a process does in the background, step by step. */
export interface BackgroundLoop {
  /** Starts the next step now, if the loop waits because there was nothing to do. */
  wake(): void;
  /** Resolves after the current step. */
  stop(): Promise<void>;
}

export interface LoopState {
  /** Whether the loop is to stop. A long step checks this now and then. */
  isStopping(): boolean;
  /** Whether `wake` was called since the step began. */
  isWoken(): boolean;
}

interface LoopOptions {
  /**
   * One step.
   *
   * @returns how many milliseconds to rest before the next one, even if woken; `undefined` if there is nothing
   *   to do until the loop is woken or `everyMs` has passed
   */
  step(state: LoopState): Promise<number | undefined>;
  /** How long to wait when there is nothing to do: other processes can leave work, too. */
  everyMs: number;
  /** How long to wait after a step that found a back end down. */
  whileAwayMs: number;
  /** How long to rest once woken, so that what comes together is done together. Default: 0. */
  gatherMs?: number;
  /** Called with the error of a step. The loop goes on after `everyMs` or `whileAwayMs`. */
  onFailure(error: unknown): void;
}

/** Starts to run steps, one after the other. */
export function startLoop(options: LoopOptions): BackgroundLoop {
  const { step, everyMs, whileAwayMs, gatherMs = 0, onFailure } = options;
  let isStopping = false;
  let isWoken = false;
  let isIdle = false;
  let interrupt = () => {};

  async function rest(ms: number): Promise<void> {
    if (isStopping || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Rests until it is woken or the time has passed. */
  async function restIdle(): Promise<void> {
    isIdle = true;
    if (!isWoken) await rest(everyMs);
    isIdle = false;
    if (isWoken) await rest(gatherMs);
  }

  const state = { isStopping: () => isStopping, isWoken: () => isWoken };

  async function run(): Promise<void> {
    while (!isStopping) {
      isWoken = false;
      try {
        const ms = await step(state);
        await (ms === undefined ? restIdle() : rest(ms));
      } catch (error) {
        onFailure(error);
        await rest(error instanceof BackEndUnavailable ? whileAwayMs : everyMs);
      }
    }
  }

  const running = run();
  return {
    wake() {
      isWoken = true;
      if (isIdle) interrupt();
    },
    async stop() {
      isStopping = true;
      interrupt();
      await running;
    },
  };
}
