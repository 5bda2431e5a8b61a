import { BackEndUnavailable } from '../errors.ts';

/** Work that a process does in the background, in steps. */
export interface BackgroundLoop {
  /** Starts the next step now, if the loop is idle. */
  wake(): void;
  /** Stops the loop. Resolves when the current step has ended. */
  stop(): Promise<void>;
}

export interface LoopState {
  /** Tells whether the loop is stopping. A long step checks this now and then. */
  isStopping(): boolean;
  /** Tells whether `wake` was called since the step began. */
  isWoken(): boolean;
}

interface LoopOptions {
  /**
   * Does one step.
   *
   * @returns how many milliseconds to rest before the next one, even if woken; `undefined` if there
   *   is nothing to do until the loop is woken or `everyMs` has passed
   */
  step(state: LoopState): Promise<number | undefined>;
  /** How long to idle before looking for work that other processes left. */
  everyMs: number;
  /** How long to wait after a step failed because a back end is down. */
  whileAwayMs: number;
  /**
   * Returns how long to rest once woken, so that one step handles events that arrive together.
   * Default: 0.
   */
  gatherMs?(): number;
  /** Receives the error of a step. The loop continues after `everyMs` or `whileAwayMs`. */
  onFailure(error: unknown): void;
}

/** Starts to run steps, one after another. */
export function startLoop(options: LoopOptions): BackgroundLoop {
  const { step, everyMs, whileAwayMs, gatherMs = () => 0, onFailure } = options;
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

  /** Rests until woken, or until the time has passed. */
  async function restIdle(): Promise<void> {
    isIdle = true;
    if (!isWoken) await rest(everyMs);
    isIdle = false;
    if (isWoken) await rest(gatherMs());
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
