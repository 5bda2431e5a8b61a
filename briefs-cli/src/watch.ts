import { readdirSync, statSync, watch as watchFolder } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import { pathOf } from './document-ref.ts';
import { isSyncedName } from './files.ts';
import { CommandError, EXIT, isPassing, type Result } from './outcome.ts';

/** How long one request waits for events: less than proxies' usual timeouts. */
const WAIT_S = 50;

/** How long to wait for more changes before acting on the first, in ms. */
const SETTLES_MS = 500;

/** How long to wait before trying again, in ms: at first, and at most. */
const AWAY_MS = { first: 1000, most: 30_000 };

/** What {@link watch} needs. */
interface Watched {
  /** The files and folders. */
  paths: readonly string[];
  /** Opens the server. */
  open: () => Promise<Api>;
  /** Syncs everything. */
  act: () => Promise<readonly Result[]>;
  /** Says something to the user. */
  notice: (text: string) => void;
}

/**
 * Acts once, and again after each change of files or documents that concern the caller. What isn't
 * synced stays so until it is: after an error of the network or the server, acts again, and also when
 * the server comes back, because its events may have been missed. Never ends.
 *
 * @throws CommandError if the server doesn't accept the caller any more
 */
export async function watch({ paths, open, act, notice }: Watched): Promise<never> {
  const work = new Work();
  const folders = new Folders(paths, () => work.add());
  let acted: Promise<boolean> = Promise.resolve(true);
  const feed = new Feed({ open, notice }, { changed: () => work.add(), idle: () => acted });
  folders.follow();
  const acting = async (): Promise<never> => {
    let waitMs = AWAY_MS.first;
    for (;;) {
      await work.next();
      await feed.connected();
      if (!work.isFirst) await sleep(SETTLES_MS);
      work.begin();
      folders.follow();
      acted = tried(act, notice, (results) => feed.note(results));
      if (await acted) {
        waitMs = AWAY_MS.first;
        continue;
      }
      await sleep(waitMs);
      waitMs = Math.min(2 * waitMs, AWAY_MS.most);
      work.add();
    }
  };
  try {
    return await Promise.race([feed.follow(), acting()]);
  } finally {
    // What is left would go on. The caller prints the error first.
    setImmediate(() => process.exit());
  }
}

/** @returns whether nothing has to be tried again */
async function tried(
  act: Watched['act'],
  notice: Watched['notice'],
  done: (results: readonly Result[]) => void,
): Promise<boolean> {
  try {
    const results = await act();
    done(results);
    return !results.some(({ retry }) => retry);
  } catch (error) {
    if (isFinal(error)) throw error;
    notice(`${(error as Error).message} Trying again.`);
    return false;
  }
}

function isFinal(error: unknown): boolean {
  const { exitCode } = error instanceof CommandError ? error : {};
  return exitCode === EXIT.signedOut || exitCode === EXIT.usage;
}

/** Whether there is something to sync. */
class Work {
  isFirst = true;
  #isThere = true;
  #wake = () => {};

  add(): void {
    this.#isThere = true;
    this.#wake();
  }

  async next(): Promise<void> {
    if (this.#isThere) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Changes from now on are for the next time. */
  begin(): void {
    this.isFirst = false;
    this.#isThere = false;
  }
}

/**
 * The folders of the watched files. Each one is watched by itself: watching what is below it needs a
 * newer Node on Linux, and a file that is replaced is another one.
 */
class Folders {
  readonly #paths: readonly string[];
  readonly #changed: () => void;
  readonly #watched = new Set<string>();

  constructor(paths: readonly string[], changed: () => void) {
    this.#paths = paths;
    this.#changed = changed;
  }

  /** Watches folders that are new. */
  follow(): void {
    for (const path of this.#paths) {
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) this.#followBelow(path);
      else this.#watch(dirname(path));
    }
  }

  #followBelow(folder: string): void {
    this.#watch(folder);
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory() && isSyncedName(entry.name)) {
          this.#followBelow(join(folder, entry.name));
        }
      }
    } catch {
      // It was deleted just now; its parent tells.
    }
  }

  #watch(folder: string): void {
    if (this.#watched.has(folder)) return;
    try {
      const watcher = watchFolder(folder, (_event, name) => {
        if (name === null || isSyncedName(name)) this.#changed();
        // Another folder may get the name.
        if (!statSync(folder, { throwIfNoEntry: false })) end();
      });
      const end = () => {
        watcher.close();
        this.#watched.delete(folder);
      };
      watcher.on('error', end);
      this.#watched.add(folder);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT') throw new CommandError(`${folder} can’t be watched: ${message}.`);
    }
  }
}

/** The events that concern the caller, except those of what this process wrote. */
class Feed {
  readonly #server: Pick<Watched, 'open' | 'notice'>;
  readonly #sync: { changed: () => void; idle: () => Promise<unknown> };
  /** The revisions that this process has seen, by the documents' paths. */
  readonly #seen = new Map<string, number>();
  #isConnected = false;
  #connect = () => {};

  /** @param sync what to do after events, and a sync that may have caused some */
  constructor(
    server: Pick<Watched, 'open' | 'notice'>,
    sync: { changed: () => void; idle: () => Promise<unknown> },
  ) {
    this.#server = server;
    this.#sync = sync;
  }

  async connected(): Promise<void> {
    while (!this.#isConnected) {
      await new Promise<void>((resolve) => {
        this.#connect = resolve;
      });
    }
  }

  note(results: readonly Result[]): void {
    for (const { document, revision } of results) {
      if (document && revision) this.#seen.set(document, revision);
    }
  }

  /** Reads events until the server doesn't accept the caller any more. */
  async follow(): Promise<never> {
    let after: string | undefined;
    for (let waitMs: number = AWAY_MS.first; ; ) {
      try {
        // Whoever was away doesn't wait for an event to hear that the server is back.
        const wait = this.#isConnected ? `&wait=${WAIT_S}` : '';
        const from = after === undefined ? '' : `&after=${after}`;
        const sent = { timeoutMs: (WAIT_S + 30) * 1000 };
        const api = await this.#server.open();
        const { json } = await api.request(`/user/events?own=true${from}${wait}`, sent);
        const { cursor, reset, items: events = [] } = json?.data ?? {};
        after = cursor;
        waitMs = AWAY_MS.first;
        this.#isConnected = true;
        this.#connect();
        if (events.length > 0) await this.#sync.idle();
        if (reset || events.some((event: object) => this.#isNews(event))) this.#sync.changed();
      } catch (error) {
        if (!isPassing(error)) throw error;
        if (waitMs === AWAY_MS.first) {
          this.#server.notice(
            `${(error as Error).message.replace(/\.?$/, '.')} What isn’t synced is synced later.`,
          );
        }
        this.#isConnected = false;
        // Events may be missing that the server stored before it went away.
        this.#sync.changed();
        await sleep(waitMs);
        waitMs = Math.min(2 * waitMs, AWAY_MS.most);
      }
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: an answer, checked here
  #isNews({ type, documentType, fullName, revision }: any): boolean {
    const [owner = '', name = ''] = String(fullName).split('/');
    const kind = documentType === 'page' ? 'page' : 'brief';
    const seen = this.#seen.get(pathOf({ kind, owner, name })) ?? 0;
    return !(type === 'revision.created' && revision <= seen);
  }
}
