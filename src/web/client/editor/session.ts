import { readRefusal } from '../app/refusal.ts';
import { showToast } from '../app/toast.ts';
import { becomeExisting } from './become-existing.ts';
import { whoSaved } from './conflict.ts';
import { type Draft, type DraftSlot, takeDraftSlot } from './drafts.ts';
import { withLineFeeds } from './line-feeds.ts';
import { type CurrentVersion, fetchNewer, type Known, watchForNewer } from './newer.ts';
import { atFirstOf, dayOf } from './restore.ts';
import {
  makeButton,
  makeLinkInNewTab,
  removeNotice,
  type SaveState,
  showFirstSaved,
  showNotice,
  showSaveState,
} from './save-state.ts';
import type { Reconcile, Saved, Session, Source } from './session-types.ts';
import type { Parts } from './settings.ts';

const DRAFT_WAIT_MS = 500;
const RETRY_MS = 15_000;
/** How often a save is merged with what others saved and retried, before the user compares. */
const MAX_ADOPTIONS = 10;

/** The response to a save: the new state, or the state that caused a conflict. */
interface SavedAnswer {
  id: string;
  owner: string;
  name: string;
  visibility: string;
  etag: string;
  path: string;
  readPath: string;
  savedBy?: string;
  savedAt?: string;
  /** Of a save: the document's link for all who can read it, and what to say. */
  link?: string;
  message?: string;
}

/** Starts to write drafts and to save. */
export function beginSession(
  parts: Parts,
  source: Source,
  slotAtFirst: DraftSlot,
  savedAtFirst: Saved,
  reconcile: Reconcile,
): Session {
  const { form, name, visibility, owner, notices, settings } = parts;
  let saved = savedAtFirst;
  /** The latest version known to be on the service. `saved` may be older until they are compared. */
  let latest = saved;
  let slot = slotAtFirst;
  let state: SaveState = settings.documentId ? 'saved' : 'fresh';
  let isKept = true;
  let draftTimer: number | undefined;
  let retryTimer: number | undefined;
  let isSaving = false;
  let running: Promise<void> = Promise.resolve();
  /** Whether the text was sent and refused before, so that its base is unknown. */
  let isSent = settings.isSent === true;
  let isNew = settings.documentId === undefined;

  const show = (next: SaveState) => {
    state = next;
    showSaveState(parts.state, state, isKept);
  };

  const isDirty = () =>
    isSent ||
    source.get() !== saved.content ||
    name.value !== saved.name ||
    (!isNew && visibility !== null && visibility.value !== saved.visibility);

  const draftNow = (): Draft => ({
    content: source.get(),
    name: name.value,
    visibility: visibility?.value,
    owner: owner?.value,
    etag: saved.etag,
    base: isSent ? undefined : saved.content,
    baseName: saved.name,
    baseVisibility: saved.visibility,
    at: Date.now(),
    path: new URL(form.action).pathname,
    kind: settings.kind,
  });

  async function keepDraft(): Promise<void> {
    clearTimeout(draftTimer);
    draftTimer = undefined;
    if (isDirty()) isKept = await slot.keep(draftNow());
    else await slot.remove();
    showSaveState(parts.state, state, isKept);
  }

  function changed(): void {
    draftTimer ??= window.setTimeout(() => void keepDraft(), DRAFT_WAIT_MS);
    if (isSaving || state === 'offline' || state === 'conflict' || state === 'signed-out') return;
    show(isDirty() ? 'unsaved' : isNew ? 'fresh' : 'saved');
  }

  function fault(text: string, actions: HTMLElement[] = []): void {
    showNotice(notices, { id: 'fault', text, isFault: true, actions });
  }

  function offline(): void {
    show('offline');
    void keepDraft();
    retryTimer = window.setTimeout(() => void save(), RETRY_MS);
  }

  /** A first save got no response. Repeating it could create the document twice. */
  function unanswered(): void {
    show('failed');
    const text =
      'The connection broke, so this may or may not have been saved. Your text is safe on this ' +
      'computer. Check your documents before you save again.';
    fault(text, [makeLinkInNewTab('/', 'Check my documents')]);
    void keepDraft();
  }

  /** Saves the text as a new private document when its own can no longer be saved. */
  async function saveApart(): Promise<void> {
    if (visibility) visibility.value = 'private';
    isNew = true;
    form.action = settings.newPath;
    await save();
  }

  function formData(): FormData {
    const data = new FormData();
    data.append('content', source.get());
    data.append('name', name.value);
    data.append('fromName', saved.name);
    data.append('fromVisibility', saved.visibility ?? '');
    data.append('etag', saved.etag);
    data.append('account', settings.accountId);
    if (visibility) data.append('visibility', visibility.value);
    else if (isNew) data.append('visibility', 'private');
    if (owner) data.append('owner', owner.value);
    return data;
  }

  function save(adoptions = 0): Promise<void> {
    if (!isSaving) running = saveNow(adoptions);
    return running;
  }

  async function saveNow(adoptions: number): Promise<void> {
    clearTimeout(retryTimer);
    removeNotice(notices, 'fault');
    removeNotice(notices, 'leave');
    name.removeAttribute('aria-invalid');
    if (isNew && source.get().trim() === '') {
      show(isDirty() ? 'unsaved' : 'fresh');
      fault('Write something first.');
      source.focus();
      return;
    }
    isSaving = true;
    show('saving');
    const sent = { content: source.get(), name: name.value, visibility: visibility?.value };
    // Sends nothing while offline, so that a retry is safe.
    const isSure = !(isNew && navigator.onLine);
    let response: Response;
    let body: string;
    try {
      const headers = { accept: 'application/json' };
      response = await fetch(form.action, { method: 'POST', body: formData(), headers });
      body = await response.text();
    } catch {
      isSaving = false;
      if (isSure) offline();
      else unanswered();
      return;
    }
    if (response.ok) {
      // No other save may start until the form and the draft use the response's address.
      try {
        await adopt(JSON.parse(body), sent);
      } finally {
        isSaving = false;
      }
      show('saved');
      if (isDirty()) changed();
      return;
    }
    isSaving = false;
    if (response.status === 412) await resolve(JSON.parse(body).current, adoptions);
    else refused(response.status, body);
  }

  /** Makes the service's current state the one that the next save replaces. */
  async function adopt(answer: SavedAnswer, sent: Pick<Saved, 'content' | 'name'>): Promise<void> {
    saved = { ...pick(answer), content: sent.content };
    latest = saved;
    isSent = false;
    if (name.value === sent.name) name.value = answer.name;
    removeNotice(notices, 'draft');
    clearTimeout(draftTimer);
    draftTimer = undefined;
    const wasNew = isNew;
    isNew = false;
    if (wasNew) becomeExisting(parts, answer);
    removeNotice(notices, 'first');
    if (wasNew) showFirstSaved(notices, answer);
    moveTo(answer);
    const before = slot;
    if (wasNew) slot = await takeDraftSlot(settings.accountId, answer.id);
    await before.remove();
  }

  /** Updates the addresses in the page after the document has moved. */
  function moveTo(answer: Pick<SavedAnswer, 'path' | 'readPath' | 'name'>): void {
    history.replaceState(history.state, '', answer.path);
    form.action = answer.path;
    document.title = document.title.replace(/^.*?(?= — )/, `Edit ${answer.name}`);
    const done = form.querySelector<HTMLAnchorElement>('#done');
    if (done) done.href = answer.readPath;
  }

  /** Someone saved a newer version. The user decides only about lines that both changed. */
  async function resolve(current: SavedAnswer & { content: string }, adoptions: number) {
    removeNotice(notices, 'newer');
    latest = { ...pick(current), content: withLineFeeds(current.content) };
    const { text, conflicts } = source.merged(base(), latest.content);
    if (conflicts.length > 0 || adoptions >= MAX_ADOPTIONS) {
      oppose(followLatest);
      return;
    }
    takeMerged(text);
    await save(adoptions + 1);
  }

  /** Makes the latest version the one that the next save replaces. Fields that the writer did not touch follow it. */
  function followLatest(): void {
    if (visibility && visibility.value === saved.visibility) {
      visibility.value = latest.visibility ?? visibility.value;
    }
    if (name.value === saved.name) name.value = latest.name;
    saved = latest;
  }

  function takeMerged(text: string, isTold = true): void {
    const hadOwn = isDirty();
    followLatest();
    removeNotice(notices, 'newer');
    if (text === source.get()) return;
    source.take(text);
    if (!isTold) return;
    const merged = hadOwn ? ' The changes are merged with yours.' : '';
    showToast(`${whoSaved(latest)}.${merged}`);
  }

  /**
   * Merges a newer version into what the user writes, or offers to compare.
   *
   * @param isTold whether to say that someone saved it
   */
  function takeNewer(current: CurrentVersion, isTold = true): void {
    moveTo(current);
    latest = { ...pick(current), content: current.content };
    const { text, conflicts } = source.merged(base(), latest.content);
    if (conflicts.length === 0) {
      takeMerged(text, isTold);
      void keepDraft();
      changed();
      return;
    }
    const compare = makeButton('Compare', () => {
      removeNotice(notices, 'newer');
      oppose(followLatest);
    });
    showNotice(notices, {
      id: 'newer',
      text: `${whoSaved(latest)}, with changes where you are writing. Your text is safe here.`,
      actions: [compare],
    });
  }

  /** The text that both versions started from; '' if unknown, so that every line is a conflict. */
  const base = () => (isSent ? '' : saved.content);

  /** Shows both versions. Until they are merged, a save still replaces the older state. */
  function oppose(follow: () => void): void {
    show('conflict');
    void keepDraft();
    const put = (merged: string) => {
      if (merged !== source.get()) source.set(merged);
    };
    const compare = () =>
      reconcile(
        { base: base(), latest, mine: source.get },
        {
          save(merged) {
            follow();
            put(merged);
            void save();
          },
          // The next comparison starts from what is merged so far.
          close: put,
        },
      );
    fault(`${whoSaved(latest)}. Your text is safe here. Compare, then save.`, [
      makeButton('Compare', compare),
    ]);
    compare();
  }

  function refused(status: number, body: string): void {
    if (status === 401) {
      show('signed-out');
      const link = makeLinkInNewTab('/sign-in', 'Sign in in another tab');
      fault('You’re signed out. Your text is safe on this computer. Sign in, then save.', [link]);
    } else if (status >= 500 && status !== 500) {
      // Also 503, when the database failed during the commit.
      if (isNew) unanswered();
      else offline();
    } else {
      show('failed');
      const { field, sentence, freeName } = readRefusal(body);
      const isForSomeoneElse = field === 'account';
      const isGone = !isNew && (status === 403 || status === 404) && !isForSomeoneElse;
      if (isGone) notHere(sentence);
      else fault(sentence, freeName === undefined ? [] : [freeNameButton(freeName)]);
      if (field === 'name') {
        name.setAttribute('aria-invalid', 'true');
        name.setAttribute('aria-describedby', 'notice-fault');
        name.focus();
      }
    }
    void keepDraft();
  }

  function freeNameButton(freeName: string): HTMLElement {
    const use = () => {
      name.value = freeName;
      void save();
      source.focus();
    };
    return makeButton(`Use ${freeName}`, use);
  }

  async function leave(link: HTMLAnchorElement): Promise<void> {
    await save();
    // A first save changes the link's address.
    if (!isDirty()) location.assign(link.href);
    // The dialog over the editor already asks.
    if (state === 'conflict' || !isDirty()) return;
    const where = isKept ? ' Your text stays in this browser as a draft.' : '';
    showNotice(notices, {
      id: 'leave',
      text: `Your changes aren’t saved.${where}`,
      actions: [makeButton('Leave without saving', () => location.assign(link.href))],
    });
  }

  /** The document is gone or no longer editable, so a retry would fail too. */
  function notHere(message: string): void {
    const text =
      `${message} It may have been deleted, or is no longer shared with you. Your text is safe on ` +
      'this computer.';
    const label = `Save as a new private ${settings.kind}`;
    fault(text, [makeButton(label, () => void saveApart())]);
  }

  addEventListener('online', () => {
    if (state === 'offline') void save();
  });
  const keepNow = () => {
    if (draftTimer !== undefined) void keepDraft();
  };
  addEventListener('pagehide', keepNow);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') keepNow();
  });
  addEventListener('beforeunload', (event) => {
    // Before `pagehide`, so that the browser has time to write.
    keepNow();
    // No need to ask if the draft is stored.
    if (!isKept && isDirty()) event.preventDefault();
  });

  const known: Known = () => {
    const isWaiting = isNew || isSaving || state === 'conflict' || state === 'signed-out';
    return isWaiting ? undefined : { path: form.action, etag: latest.etag };
  };
  watchForNewer(known, takeNewer);

  /** Takes a version that the user made by other means than a save. */
  async function catchUp(): Promise<void> {
    const current = await fetchNewer(known);
    if (current) takeNewer(current, false);
  }

  show(state);
  if (isSent) {
    show('unsaved');
    void keepDraft();
  }
  return { changed, save: () => save(), isDirty, latest: () => latest, catchUp, leave, restored };

  async function restored(draft: Draft, remark: string): Promise<void> {
    const discard = makeButton('Discard', () => {
      saved = latest;
      isSent = false;
      source.set(saved.content);
      name.value = saved.name;
      if (visibility && saved.visibility !== undefined) visibility.value = saved.visibility;
      if (owner) owner.value = atFirstOf(owner) ?? owner.value;
      for (const field of [owner, visibility]) field?.dispatchEvent(new Event('input'));
      removeNotice(notices, 'draft');
      removeNotice(notices, 'fault');
      void keepDraft();
      show(isDirty() ? 'unsaved' : isNew ? 'fresh' : 'saved');
      source.focus();
    });
    isSent ||= draft.base === undefined;
    const { text, conflicts } = source.merged(draft.base ?? '', latest.content);
    // The draft started from this version.
    const isCurrent = draft.etag === latest.etag;
    const isMerged = !isCurrent && conflicts.length === 0 && text !== source.get();
    if (isMerged) source.set(text);
    const merged = isMerged ? ` ${whoSaved(latest)}; both are merged.` : '';
    showNotice(notices, {
      id: 'draft',
      text: `Draft from ${dayOf(draft)} restored.${remark}${merged}`,
      actions: [discard],
    });
    if (isCurrent || conflicts.length === 0) {
      show(isDirty() ? 'unsaved' : isNew ? 'fresh' : 'saved');
    } else {
      // Until both are compared, a save replaces the state that the draft started from.
      saved = { ...latest, content: draft.base ?? '', etag: draft.etag };
      oppose(() => {
        saved = latest;
      });
    }
    await keepDraft();
  }
}

function pick(
  answer: Omit<SavedAnswer, 'id' | 'owner' | 'path' | 'readPath'>,
): Omit<Saved, 'content'> {
  const { etag, name, visibility, savedBy, savedAt } = answer;
  return { etag, name, visibility, by: savedBy, at: savedAt };
}
