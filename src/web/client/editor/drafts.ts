import { createStore, del, getMany, promisifyRequest } from 'idb-keyval';

/** What somebody has written and not saved. */
export interface Draft {
  content: string;
  name: string;
  visibility: string | undefined;
  owner: string | undefined;
  /**
   * The state that it was begun from: its tag and its text; '' for a new document. Of a draft begun
   * from what was sent and refused, the text is not known.
   */
  etag: string;
  base: string | undefined;
  baseName: string;
  baseVisibility: string | undefined;
  /** Milliseconds since 1970. */
  at: number;
}

/** The place of one draft in this browser. */
export interface DraftSlot {
  /** What is kept here from before. */
  found: Draft | undefined;
  /** @returns whether it is kept now */
  keep(draft: Draft): Promise<boolean>;
  remove(): Promise<void>;
}

const MAX_SLOTS = 20;
/** How long the page before this one, on a reload, may take to let go of its place. */
const LETTING_GO_MS = 2000;
const LOOK_AGAIN_MS = 50;

/**
 * Takes a place for the draft of one document by one account. Two tabs with the same document get
 * one each, so that neither overwrites what the other has; a place with a draft in it comes first.
 *
 * @param document its id, or the kind of a new one
 * @param isEmpty whether only a place without a draft will do
 */
export async function takeDraftSlot(
  accountId: string,
  document: string,
  { isEmpty = false }: { isEmpty?: boolean } = {},
): Promise<DraftSlot> {
  const keys = Array.from(
    { length: MAX_SLOTS },
    (_, number) => `${accountId}/${document}/${number}`,
  );
  const drafts = await read(keys);
  const filled = keys.filter((_, number) => drafts[number]);
  if (!isEmpty && filled.length > 0) {
    const key = await lockOne(filled);
    // Whoever had it may have written until it let go.
    if (key !== undefined) return slot(key, (await read([key]))[0]);
  }
  for (const key of keys) {
    if (!filled.includes(key) && (await lock(key))) return slot(key, undefined);
  }
  return slot(`${accountId}/${document}/more`, undefined);
}

/** Holds the first that nobody else has; on a reload, waits for the page before this one. */
async function lockOne(keys: string[]): Promise<string | undefined> {
  const [navigation] = performance.getEntriesByType('navigation');
  const isReload = (navigation as PerformanceNavigationTiming | undefined)?.type === 'reload';
  const until = performance.now() + (isReload ? LETTING_GO_MS : 0);
  for (;;) {
    for (const key of keys) {
      if (await lock(key)) return key;
    }
    if (performance.now() >= until) return undefined;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

function slot(key: string, found: Draft | undefined): DraftSlot {
  return {
    found,
    keep: (draft) =>
      put(key, draft).then(
        () => true,
        () => false,
      ),
    async remove() {
      try {
        await del(key, store());
      } catch {}
    },
  };
}

let opened: ReturnType<typeof createStore> | undefined;

function store(): ReturnType<typeof createStore> {
  opened ??= createStore('briefs-drafts', 'drafts');
  return opened;
}

/** Commits at once, since the browser drops what is not committed when the page is left. */
async function put(key: string, draft: Draft): Promise<void> {
  await store()('readwrite', (drafts) => {
    drafts.put(draft, key);
    drafts.transaction.commit();
    return promisifyRequest(drafts.transaction);
  });
}

/** Nothing, where the browser keeps nothing. */
async function read(keys: string[]): Promise<(Draft | undefined)[]> {
  try {
    return await getMany<Draft | undefined>(keys, store());
  } catch {
    return [];
  }
}

/**
 * Holds a lock as long as the page is there.
 *
 * @returns whether nobody else has it
 */
function lock(key: string): Promise<boolean> {
  // Only pages that came over TLS, or from this machine, have locks.
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = (held: Lock | null) => {
      resolve(held !== null);
      return held ? new Promise(() => {}) : undefined;
    };
    locks.request(`draft ${key}`, { ifAvailable: true }, hold).catch(() => resolve(false));
  });
}
