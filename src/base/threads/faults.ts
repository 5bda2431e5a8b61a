import { parentPort } from 'node:worker_threads';

/** Those that were noted, by their messages, so that one text can't fill the log. */
const noted = new Set<string>();
const MOST = 100;

/**
 * Notes an error that is no fault of the text: a bug here or in a library. The text is shown all the
 * same. On a thread, the main thread logs it (`onFault` of `markdown/renderer.ts`), each message once.
 */
export function noteFault(fault: unknown): void {
  const error = fault instanceof Error ? fault : new Error(String(fault));
  if (noted.has(error.message) || noted.size >= MOST) return;
  noted.add(error.message);
  if (parentPort) parentPort.postMessage(error);
  else process.emitWarning(error);
}
