import { watch as watchFolder } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import { isDocumentFile } from './files.ts';
import { Unreachable } from './http.ts';
import { ApiError, EXIT } from './outcome.ts';

/** How long one request waits for events: less than proxies' usual timeouts. */
const WAIT_S = 50;

/** How long to wait for more changes before acting on the first, in ms. */
const SETTLES_MS = 500;

const AWAY_MS = 5000;

/** Acts again after each change of files or of documents that concern the caller. Never ends. */
export async function watch(
  api: Api,
  paths: readonly string[],
  act: () => Promise<void>,
): Promise<never> {
  let wake = () => {};
  for (const path of paths) {
    watchFolder(path, { recursive: true }, (_event, name) => {
      if (name === null || isDocumentFile(name)) wake();
    });
  }
  void followEvents(api, () => wake());
  for (;;) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    await sleep(SETTLES_MS);
    // Changes from now on are for the next time.
    let isAgain = false;
    wake = () => {
      isAgain = true;
    };
    await act();
    if (isAgain) setImmediate(() => wake());
  }
}

/** Calls back after events, but not those of the caller's own token. */
async function followEvents(api: Api, changed: () => void): Promise<void> {
  let after: string | undefined;
  for (;;) {
    try {
      const wait = after === undefined ? '' : `?after=${after}&wait=${WAIT_S}`;
      const sent = { timeoutMs: (WAIT_S + 30) * 1000 };
      const { json } = await api.request(`/user/events${wait}`, sent);
      const isFirst = after === undefined;
      after = String(json?.data?.cursor);
      if (!isFirst && (json?.data?.events ?? []).length > 0) changed();
    } catch (error) {
      if (error instanceof ApiError && error.exitCode === EXIT.signedOut) throw error;
      if (!(error instanceof ApiError || error instanceof Unreachable)) throw error;
      await sleep(AWAY_MS);
    }
  }
}
