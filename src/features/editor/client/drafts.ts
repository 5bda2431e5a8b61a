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
  /** The revision that the text started from. */
  version?: number;
  baseName: string;
  baseVisibility: string | undefined;
  /** The changes from `base` that the document may not have taken. */
  unsent?: Unsent | undefined;
  /** What can't be in the text without replacing others' words, until the user chooses. */
  asked?: Asked[];
  /** Whether the text suggests changes. */
  mode?: 'suggesting';
  /** Milliseconds since 1970. */
  at: number;
  /** The path of the editor, and what it edits; absent in drafts of older versions. */
  path?: string;
  kind?: 'brief' | 'page';
}

/** Changes by their identity, so that the service knows again those that it has taken. */
export interface Unsent {
  list: string;
  clientId: string;
  /** The number of the last change of the list that comes before them. */
  number: number;
  /** How many changes of this client the service had confirmed before them. */
  confirmed: number;
  changes: unknown[];
  /** Whether they were written without a connection. */
  isOffline: boolean;
}

/** A version of passages that others have changed, too. */
export interface Asked {
  /** The whole text with others' passages, and with the user's in their place. */
  base: string;
  content: string;
  places: { theirs: string; yours: string }[];
}

/** Storage for one draft in this browser. */
export interface DraftSlot {
  /** The draft stored here, if any. */
  found: Draft | undefined;
  /** @returns whether the draft was stored */
  keep(draft: Draft): Promise<boolean>;
  /**
   * Notes the draft at once, for the case that the page is gone before the browser has stored what
   * {@link keep} was given last, or deleted the draft. `undefined` if there is nothing to save.
   */
  note(draft: Draft | undefined): void;
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
  const keys = keysOf(accountId, document);
  const drafts = await read(keys);
  const filled = keys.filter((_, number) => drafts[number]);
  if (!isEmpty && filled.length > 0) {
    const rank = (key: string) => (key === wanted ? 2 : wasHeldHere([key]) ? 1 : 0);
    const key = await lockOne(filled.toSorted((a, b) => rank(b) - rank(a)));
    // The previous owner may have written until it released the slot.
    if (key !== undefined) return slot(key, (await read([key]))[0]);
  }
  for (const key of keys) {
    if (!filled.includes(key) && (await lock(key))) return slot(key, undefined);
  }
  return slot(`${accountId}/${document}/more`, undefined);
}

/** Claims the slot of changes to a document that a page has left which is gone; `undefined` if there is none. */
export async function takeLeftSlot(
  accountId: string,
  document: string,
): Promise<DraftSlot | undefined> {
  const keys = keysOf(accountId, document);
  for (const [number, draft] of (await read(keys)).entries()) {
    const key = keys[number] as string;
    if (!draft || draft.mode || !(await lock(key))) continue;
    return slot(key, (await read([key]))[0]);
  }
  return undefined;
}

const keysOf = (accountId: string, document: string) =>
  Array.from({ length: MAX_SLOTS }, (_, number) => `${accountId}/${document}/${number}`);

/** Uses storage that answers at once. @returns `undefined` if the browser has none, or it is full */
function atOnce<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

/**
 * Notes a draft, or that there is none, until the database has it. With a text that is too long for
 * this, the database has to be in time.
 */
function note(key: string, draft: Draft | undefined): void {
  forgetNote(key);
  atOnce(() => localStorage.setItem(lockOf(key), JSON.stringify({ draft })));
}

function forgetNote(key: string): void {
  atOnce(() => localStorage.removeItem(lockOf(key)));
}

/** Returns the draft that was noted last, or else what the database has. */
function newest(key: string, stored: Draft | undefined): Draft | undefined {
  const noted = atOnce(() => localStorage.getItem(lockOf(key)));
  return noted ? JSON.parse(noted).draft : stored;
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
  const [all, held] = await Promise.all([entries<string, Draft>(database()), listHeld()]);
  return all
    .filter(([key]) => key.startsWith(`${accountId}/`))
    .map(([key, stored]) => ({ key, draft: newest(key, stored) }))
    .filter((each): each is { key: string; draft: Draft } => each.draft !== undefined)
    .sort((a, b) => b.draft.at - a.draft.at)
    .map(({ key, draft }) => {
      const of = key.split('/')[1] ?? '';
      const kind = draft.kind ?? (of === 'new page' ? 'page' : 'brief');
      const path = draft.path ?? (of.startsWith('new ') ? NEW_PATHS[kind] : undefined);
      return { key, draft, kind, path, isOpen: held.has(lockOf(key)) };
    });
}

/** Deletes a draft, unless an editor has it open. @returns whether it was deleted */
export async function discardDraft(key: string): Promise<boolean> {
  if (!(await lock(key))) return false;
  forgetNote(key);
  await del(key, database());
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
  return keys.includes(atOnce(() => sessionStorage.getItem(HELD)) ?? '');
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
  atOnce(() => sessionStorage.setItem(HELD, key));
  let noted = 0;
  let isUsed = found !== undefined;
  /** Does something with the database, which then has what was noted before. */
  async function store(act: () => Promise<void>): Promise<boolean> {
    const before = noted;
    try {
      await act();
      if (noted === before) forgetNote(key);
      return true;
    } catch {
      return false;
    }
  }
  return {
    found,
    keep: (draft) => store(() => put(key, draft)),
    note(draft) {
      isUsed ||= draft !== undefined;
      if (!isUsed) return;
      noted += 1;
      note(key, draft);
    },
    async remove() {
      this.note(undefined);
      await store(() => del(key, database()));
    },
  };
}

let opened: ReturnType<typeof createStore> | undefined;

function database(): ReturnType<typeof createStore> {
  opened ??= createStore('briefs-drafts', 'drafts');
  return opened;
}

/**
 * Stores a draft. Commits immediately, because the browser drops uncommitted writes when the page
 * closes.
 */
async function put(key: string, draft: Draft): Promise<void> {
  await database()('readwrite', (drafts) => {
    drafts.put(draft, key);
    drafts.transaction.commit();
    return promisifyRequest(drafts.transaction);
  });
}

/** Returns only what is noted if the browser has no database. */
async function read(keys: string[]): Promise<(Draft | undefined)[]> {
  try {
    const stored = await getMany<Draft | undefined>(keys, database());
    return keys.map((key, number) => newest(key, stored[number]));
  } catch {
    return keys.map((key) => newest(key, undefined));
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
