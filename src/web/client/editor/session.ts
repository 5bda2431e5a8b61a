import { showToast } from '../app/toast.ts';
import { readRefusal, withLineFeeds } from './answers.ts';
import { becomeExisting } from './become-existing.ts';
import { whoSaved } from './conflict.ts';
import { type Draft, type DraftSlot, takeDraftSlot } from './drafts.ts';
import { type CurrentVersion, watchForNewer } from './newer.ts';
import { atFirstOf, dayOf } from './restore.ts';
import {
  makeButton,
  makeLinkInNewTab,
  removeNotice,
  type SaveState,
  showNotice,
  showSaveState,
} from './save-state.ts';
import type { Reconcile, Saved, Session, Source } from './session-types.ts';
import type { Parts } from './settings.ts';

const DRAFT_WAIT_MS = 500;
const RETRY_MS = 15_000;
/** How often a save starts again because only name, visibility or rights had changed. */
const MAX_ADOPTIONS = 3;

/** What the service answers to a save, and of the state that it was refused for. */
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
}

/** Begins to keep drafts and to save. */
export function beginSession(
  parts: Parts,
  source: Source,
  slotAtFirst: DraftSlot,
  savedAtFirst: Saved,
  reconcile: Reconcile,
): Session {
  const { form, name, visibility, owner, notices, settings } = parts;
  let saved = savedAtFirst;
  /** What the service said last that it has; what is saved may stay behind until versions are compared. */
  let latest = saved;
  let slot = slotAtFirst;
  let state: SaveState = settings.documentId ? 'saved' : 'fresh';
  let isKept = true;
  let draftTimer: number | undefined;
  let retryTimer: number | undefined;
  let isSaving = false;
  let running: Promise<void> = Promise.resolve();
  /** Whether the text began as one that was sent and refused; then it is not known what it was made of. */
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

  /** Nothing came back of a first save: made once more, it might be there twice. */
  function unanswered(): void {
    show('failed');
    const text =
      'No sure answer came, so this may have been saved or not. What you wrote is kept on this ' +
      'computer. See whether it is there before you save again.';
    fault(text, [makeLinkInNewTab('/', 'Look among your newest')]);
    void keepDraft();
  }

  /** What can no longer be saved where it was is saved apart, where nobody sees it at first. */
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
    // Without a network nothing is sent, so that it can be tried again.
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
      // Until its address and its draft's place are those of the answer, no other save begins.
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

  /** Takes what the service has now as the state that the next save replaces. */
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
    moveTo(answer);
    const before = slot;
    if (wasNew) slot = await takeDraftSlot(settings.accountId, answer.id);
    await before.remove();
  }

  /** Goes on at the address that the document has now. */
  function moveTo(answer: Pick<SavedAnswer, 'path' | 'readPath' | 'name'>): void {
    history.replaceState(history.state, '', answer.path);
    form.action = answer.path;
    document.title = document.title.replace(/^.*?(?= — )/, `Edit ${answer.name}`);
    const done = form.querySelector<HTMLAnchorElement>('#done');
    if (done) done.href = answer.readPath;
  }

  /** Somebody wrote the document since. Only where both changed the same lines is there anything to decide. */
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

  /** Makes the latest version the one that the next save replaces. What the writer did not touch follows. */
  function followLatest(): void {
    if (visibility && visibility.value === saved.visibility) {
      visibility.value = latest.visibility ?? visibility.value;
    }
    if (name.value === saved.name) name.value = latest.name;
    saved = latest;
  }

  function takeMerged(text: string): void {
    const hadOwn = isDirty();
    followLatest();
    removeNotice(notices, 'newer');
    if (text === source.get()) return;
    source.take(text);
    const merged = hadOwn ? ' The changes are merged with yours.' : '';
    showToast(`${whoSaved(latest)}.${merged}`);
  }

  /** Somebody saved while the writer goes on. Nothing is asked before the writer wants to. */
  function takeNewer(current: CurrentVersion): void {
    moveTo(current);
    latest = { ...pick(current), content: current.content };
    const { text, conflicts } = source.merged(base(), latest.content);
    if (conflicts.length === 0) {
      takeMerged(text);
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

  /** What was written was made of this; '' where that is not known, so that every line is a conflict. */
  const base = () => (isSent ? '' : saved.content);

  /** Shows both versions; a save goes on being one of the older state until they are merged. */
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
          // What has been merged so far is what is compared the next time.
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
      fault('You are signed out. What you wrote is kept on this computer. Sign in, then save.', [
        link,
      ]);
    } else if (status >= 500 && status !== 500) {
      // Also 503, where the database went away at the commit.
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

  /** Returns a button that saves with a name that is free. */
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
    // A first save gives the link another address.
    if (!isDirty()) location.assign(link.href);
    // The dialog over the editor asks already.
    if (state === 'conflict' || !isDirty()) return;
    const where = isKept ? ' Your text stays in this browser as a draft.' : '';
    showNotice(notices, {
      id: 'leave',
      text: `Your changes aren’t saved.${where}`,
      actions: [makeButton('Leave without saving', () => location.assign(link.href))],
    });
  }

  /** The document is gone, or no longer the writer's to change: another attempt would end the same. */
  function notHere(message: string): void {
    const text =
      `${message} It may have been renamed or deleted, or shared with you no longer. What you wrote ` +
      'is kept on this computer.';
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
    // Earlier than `pagehide`, so that the browser has time to write.
    keepNow();
    // A draft that is kept needs no question.
    if (!isKept && isDirty()) event.preventDefault();
  });

  watchForNewer(() => {
    const isWaiting = isNew || isSaving || state === 'conflict' || state === 'signed-out';
    return isWaiting ? undefined : { path: form.action, etag: latest.etag };
  }, takeNewer);

  show(state);
  if (isSent) {
    show('unsaved');
    void keepDraft();
  }
  return { changed, save: () => save(), isDirty, leave, restored };

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
    // Begun from this version, whatever text it was.
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
      // Until both are compared, a save is one of the state that the draft was begun from.
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
