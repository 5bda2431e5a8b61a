import { createStore, del, entries, getMany, promisifyRequest } from 'idb-keyval';

/** Unsaved text of a user. */
export interface Draft {
  content: string;
  name: string;
  visibility: string | undefined;
  owner: string | undefined;
  /** The etag of the version that the draft started from; '' for a new document. */
  etag: string;
  /** The text of that version; `undefined` if the draft's text was sent and refused before. */
  base: string | undefined;
  /** The revision that the text started from; absent in drafts of older versions. */
  version?: number;
  baseName: string;
  baseVisibility: string | undefined;
  /**
   * The changes from `base` that the document's list may not have. Only of what a page has left just
   * now: what was written longer ago is merged by words instead.
   */
  unsent?: { list: string; clientId: string; number: number; changes: unknown[] } | undefined;
  /** Whether the text suggests changes. */
  mode?: 'suggesting';
  /** Milliseconds since 1970. */
  at: number;
  /** The path of the editor, and what it edits; absent in drafts of older versions. */
  path?: string;
  kind?: 'brief' | 'page';
}

/** Storage for one draft in this browser. */
export interface DraftSlot {
  /** The draft stored here, if any. */
  found: Draft | undefined;
  /** @returns whether the draft was stored */
  keep(draft: Draft): Promise<boolean>;
  /**
   * Notes the draft for this tab's next page, which can open before the browser has stored what
   * {@link keep} was given last, or deleted the draft. `undefined` if there is nothing to save.
   */
  leave(draft: Draft | undefined): void;
  remove(): Promise<void>;
}

const NEW_PATHS = { brief: '/new', page: '/new/page' };

const MAX_SLOTS = 20;
/** How long to wait for this tab's previous page to release its slot. */
const LETTING_GO_MS = 2000;
const LOOK_AGAIN_MS = 50;

/**
 * Claims a slot for a draft of one document by one account. Two tabs with the same document get
 * separate slots, so that neither overwrites the other's draft. Prefers a slot with a draft.
 *
 * @param document the document's id, or `new brief` or `new page`
 * @param options.isEmpty whether to claim only a slot without a draft
 * @param options.wanted the key of the draft to prefer
 */
export async function takeDraftSlot(
  accountId: string,
  document: string,
  { isEmpty = false, wanted }: { isEmpty?: boolean; wanted?: string | undefined } = {},
): Promise<DraftSlot> {
  const keys = Array.from(
    { length: MAX_SLOTS },
    (_, number) => `${accountId}/${document}/${number}`,
  );
  const left = findLeft(keys);
  const drafts = await read(keys);
  const filled = keys.filter((key, number) => drafts[number] || (key === left?.key && left.draft));
  if (!isEmpty && filled.length > 0) {
    const rank = (key: string) => (key === wanted ? 2 : key === left?.key ? 1 : 0);
    const key = await lockOne(filled.toSorted((a, b) => rank(b) - rank(a)));
    if (key !== undefined) {
      // The previous owner may have written until it released the slot.
      const [stored] = await read([key]);
      const isLeft = key === left?.key && left.at >= (stored?.at ?? 0);
      return slot(key, isLeft ? left.draft : stored);
    }
  }
  for (const key of keys) {
    if (!filled.includes(key) && (await lock(key))) return slot(key, undefined);
  }
  return slot(`${accountId}/${document}/more`, undefined);
}

/** The key in this tab's storage for what its last page left. */
const LEFT = 'draft-left';
/** How long after that page a draft of it can be missing from the browser's database. */
const LEFT_MS = 30_000;

interface Left {
  key: string;
  /** Absent if there was nothing to save. */
  draft?: Draft;
  /** Milliseconds since 1970. */
  at: number;
}

/** Uses this tab's storage. @returns `undefined` if the browser has none, or it is full */
function inTab<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

/**
 * Finds the draft that this tab's last page left, if it is of one of these slots and from just now. It
 * stays, because this page may go before it has stored anything itself.
 */
function findLeft(keys: string[]): Left | undefined {
  const left = inTab((storage): Left | null => JSON.parse(storage.getItem(LEFT) ?? 'null'));
  const isUsable = left && keys.includes(left.key) && Date.now() - left.at < LEFT_MS;
  return isUsable ? left : undefined;
}

/** With a text that is too long for the tab's storage, the database has to be in time. */
function leave(key: string, draft: Draft | undefined): void {
  forgetLeft();
  inTab((storage) => storage.setItem(LEFT, JSON.stringify({ key, draft, at: Date.now() })));
}

function forgetLeft(): void {
  inTab((storage) => storage.removeItem(LEFT));
}

/** A stored draft. */
export interface StoredDraft {
  key: string;
  draft: Draft;
  kind: 'brief' | 'page';
  /** The path that continues it; `undefined` if an older version stored it for a saved document. */
  path: string | undefined;
  /** Whether an editor in this browser has it open. */
  isOpen: boolean;
}

/**
 * Lists the drafts of an account in this browser, the latest first.
 *
 * @throws if the browser has no storage
 */
export async function listDrafts(accountId: string): Promise<StoredDraft[]> {
  const [all, held] = await Promise.all([entries<string, Draft>(store()), listHeld()]);
  return all
    .filter(([key]) => key.startsWith(`${accountId}/`))
    .sort(([, a], [, b]) => b.at - a.at)
    .map(([key, draft]) => {
      const of = key.split('/')[1] ?? '';
      const kind = draft.kind ?? (of === 'new page' ? 'page' : 'brief');
      const path = draft.path ?? (of.startsWith('new ') ? NEW_PATHS[kind] : undefined);
      return { key, draft, kind, path, isOpen: held.has(lockOf(key)) };
    });
}

/** Deletes a draft, unless an editor has it open. @returns whether it was deleted */
export async function discardDraft(key: string): Promise<boolean> {
  if (!(await lock(key))) return false;
  forgetLeft();
  await del(key, store());
  return true;
}

const lockOf = (key: string) => `draft ${key}`;

async function listHeld(): Promise<Set<string | undefined>> {
  const { locks } = navigator as { locks?: LockManager };
  const { held = [] } = (await locks?.query()) ?? {};
  return new Set(held.map(({ name }) => name));
}

/** The key in this tab's storage for the slot that its last editor held. */
const HELD = 'draft-slot';

/** Tells whether an earlier page of this tab held one of these slots: it may still let go of it. */
function wasHeldHere(keys: string[]): boolean {
  return keys.includes(inTab((storage) => storage.getItem(HELD)) ?? '');
}

/**
 * Locks the first free slot. Waits if the tab's previous page had it: after a reload or when a user
 * comes back at once, that page may not be gone yet.
 */
async function lockOne(keys: string[]): Promise<string | undefined> {
  const until = performance.now() + (wasHeldHere(keys) ? LETTING_GO_MS : 0);
  for (;;) {
    for (const key of keys) {
      if (await lock(key)) return key;
    }
    if (performance.now() >= until) return undefined;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

function slot(key: string, found: Draft | undefined): DraftSlot {
  inTab((storage) => storage.setItem(HELD, key));
  return {
    found,
    keep: (draft) =>
      put(key, draft).then(
        () => true,
        () => false,
      ),
    leave: (draft) => leave(key, draft),
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

/**
 * Stores a draft. Commits immediately, because the browser drops uncommitted writes when the page
 * closes.
 */
async function put(key: string, draft: Draft): Promise<void> {
  await store()('readwrite', (drafts) => {
    drafts.put(draft, key);
    drafts.transaction.commit();
    return promisifyRequest(drafts.transaction);
  });
}

/** Returns an empty array if the browser has no storage. */
async function read(keys: string[]): Promise<(Draft | undefined)[]> {
  try {
    return await getMany<Draft | undefined>(keys, store());
  } catch {
    return [];
  }
}

/**
 * Holds a lock until the page closes.
 *
 * @returns whether the lock was free
 */
function lock(key: string): Promise<boolean> {
  // Browsers provide locks only over TLS and on localhost.
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = (held: Lock | null) => {
      resolve(held !== null);
      return held ? new Promise(() => {}) : undefined;
    };
    locks.request(lockOf(key), { ifAvailable: true }, hold).catch(() => resolve(false));
  });
}
