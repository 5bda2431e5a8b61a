import { readRefusal } from '../../../surfaces/web/client/app/refusal.ts';
import { becomeExisting, showAddress } from './become-existing.ts';
import { whoSaved } from './conflict.ts';
import { createDraftKeeper } from './draft-keeper.ts';
import { type Draft, type DraftSlot, takeDraftSlot } from './drafts.ts';
import { fetchNewer, type Known, watchForNewer } from './newer.ts';
import { createOthersVersions, type OthersVersions } from './others-versions.ts';
import { atFirstOf, dayOf } from './restore.ts';
import { type SavedAnswer, type SaveOutcome, sendSave } from './save-request.ts';
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
import { createVersions, versionOf } from './versions.ts';
import type { Writing } from './writing.ts';

const RETRY_MS = 15_000;

/** Starts to write drafts and to save. */
export function beginSession(
  parts: Parts,
  source: Source,
  slotAtFirst: DraftSlot,
  savedAtFirst: Saved,
  reconcile: Reconcile,
): Session {
  const { form, name, notices, settings } = parts;
  const versions = createVersions(parts, source, savedAtFirst);
  const { isDirty } = versions;
  let state: SaveState = versions.isNew ? 'fresh' : 'saved';
  let retryTimer: number | undefined;
  let isSaving = false;
  let running: Promise<void> = Promise.resolve();

  const showState = () => showSaveState(parts.state, state, drafts.isKept());
  const drafts = createDraftKeeper(slotAtFirst, versions, showState);
  const writing: Writing = {
    parts,
    source,
    versions,
    show,
    fault,
    changed,
    save,
    showDirty: () => show(isDirty() ? 'unsaved' : versions.isNew ? 'fresh' : 'saved'),
    keepDraft: drafts.keep,
  };
  const others = createOthersVersions(writing, reconcile);

  function show(next: SaveState): void {
    state = next;
    showState();
  }

  function changed(): void {
    drafts.keepSoon();
    if (isSaving || state === 'offline' || state === 'conflict' || state === 'signed-out') return;
    writing.showDirty();
  }

  function fault(text: string, actions: HTMLElement[] = []): void {
    showNotice(notices, { id: 'fault', text, isFault: true, actions });
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
    if (versions.isNew && source.get().trim() === '') {
      writing.showDirty();
      fault('Write something first.');
      source.focus();
      return;
    }
    isSaving = true;
    show('saving');
    const sent = { content: source.get(), name: name.value };
    // While the browser is offline, it sends nothing, so a retry can't create a second document.
    const isRepeatable = !(versions.isNew && navigator.onLine);
    let outcome: SaveOutcome;
    try {
      outcome = await sendSave(form.action, versions.form());
      // No other save may start until the form and the draft use the response's address.
      if (outcome.kind === 'saved') {
        versions.hasOthers = false;
        await adopt(outcome.answer, sent);
      }
    } finally {
      isSaving = false;
    }
    switch (outcome.kind) {
      case 'saved':
        show('saved');
        if (isDirty()) changed();
        return;
      case 'outdated':
        return others.resolve(outcome.current, adoptions);
      case 'unanswered':
        return retryLater(isRepeatable);
      case 'refused':
        // Includes 503, which the service sends if the database fails during the commit.
        if (outcome.status > 500) return retryLater(!versions.isNew);
        showSaveRefusal(writing, outcome.status, outcome.body);
        void drafts.keep();
    }
  }

  /** @param isRepeatable whether a repeated save can't create a second document */
  function retryLater(isRepeatable: boolean): void {
    if (isRepeatable) {
      show('offline');
      retryTimer = window.setTimeout(() => void save(), RETRY_MS);
    } else {
      showUnanswered(writing);
    }
    void drafts.keep();
  }

  /** Makes the service's current state the one that the next save replaces. */
  async function adopt(answer: SavedAnswer, sent: Pick<Saved, 'content' | 'name'>): Promise<void> {
    const wasNew = versions.isNew;
    versions.saved = { ...versionOf(answer), content: sent.content };
    versions.latest = versions.saved;
    versions.isSent = false;
    versions.isNew = false;
    if (name.value === sent.name) name.value = answer.name;
    removeNotice(notices, 'draft');
    drafts.cancel();
    if (wasNew) becomeExisting(parts, answer);
    removeNotice(notices, 'first');
    if (wasNew) showFirstSaved(notices, answer);
    if (answer.warning === undefined) removeNotice(notices, 'warning');
    else showNotice(notices, { id: 'warning', text: answer.warning });
    removeNotice(notices, 'hidden');
    if (answer.hidden) {
      const { text, path } = answer.hidden;
      const share = makeLinkInNewTab(path, 'Share page');
      showNotice(notices, { id: 'hidden', text, actions: [share] });
    }
    showAddress(form, answer);
    await drafts.remove(wasNew ? await takeDraftSlot(settings.accountId, answer.id) : undefined);
  }

  async function leave(link: HTMLAnchorElement): Promise<void> {
    await save();
    // A first save changes the link's address.
    if (!isDirty()) location.assign(link.href);
    // The dialog over the editor already asks.
    if (state === 'conflict' || !isDirty()) return;
    const where = drafts.isKept() ? ' Your text stays in this browser as a draft.' : '';
    showNotice(notices, {
      id: 'leave',
      text: `Your changes aren’t saved.${where}`,
      actions: [makeButton('Leave without saving', () => location.assign(link.href))],
    });
  }

  addEventListener('online', () => {
    if (state === 'offline') void save();
  });

  const known: Known = () => {
    const isWaiting = versions.isNew || isSaving || state === 'conflict' || state === 'signed-out';
    return isWaiting ? undefined : { path: form.action, etag: versions.latest.etag };
  };
  watchForNewer(known, others.takeNewer);

  show(state);
  if (versions.isSent) {
    show('unsaved');
    void drafts.keep();
  }
  return {
    changed,
    save: () => save(),
    isDirty,
    latest: () => versions.latest,
    leave,
    async catchUp() {
      await running;
      const current = await fetchNewer(known);
      if (current) others.takeNewer(current, false);
    },
    restored: (draft, remark) => takeRestored(writing, others, draft, remark),
  };
}

/**
 * Merges a draft that was put into the editor with the latest version, says so, and offers to
 * discard the draft.
 */
async function takeRestored(
  writing: Writing,
  { oppose }: OthersVersions,
  draft: Draft,
  remark: string,
): Promise<void> {
  const { parts, source, versions, showDirty, keepDraft } = writing;
  versions.isSent ||= draft.base === undefined;
  const { text, conflicts } = source.merged(draft.base ?? '', versions.latest.content);
  // The draft started from this version.
  const isCurrent = draft.etag === versions.latest.etag;
  const isMerged = !isCurrent && conflicts.length === 0 && text !== source.get();
  if (isMerged) source.set(text);
  if (!isCurrent) versions.hasOthers = true;
  const merged = isMerged ? ` ${whoSaved(versions.latest)}; both are merged.` : '';
  showNotice(parts.notices, {
    id: 'draft',
    text: `Draft from ${dayOf(draft)} restored.${remark}${merged}`,
    actions: [makeButton('Discard', () => discard(writing))],
  });
  if (isCurrent || conflicts.length === 0) {
    showDirty();
  } else {
    // Until both are compared, saves are based on the version that the draft started from.
    versions.saved = { ...versions.latest, content: draft.base ?? '', etag: draft.etag };
    oppose(() => {
      versions.saved = versions.latest;
    });
  }
  await keepDraft();
}

/** Puts the latest version back into the editor. */
function discard({ parts, source, versions, showDirty, keepDraft }: Writing): void {
  const { name, visibility, owner, notices } = parts;
  versions.saved = versions.latest;
  versions.isSent = false;
  const { saved } = versions;
  source.set(saved.content);
  name.value = saved.name;
  if (visibility && saved.visibility !== undefined) visibility.value = saved.visibility;
  if (owner) owner.value = atFirstOf(owner) ?? owner.value;
  for (const field of [owner, visibility]) field?.dispatchEvent(new Event('input'));
  removeNotice(notices, 'draft');
  removeNotice(notices, 'fault');
  void keepDraft();
  showDirty();
  source.focus();
}

/** Shows why the service refused a save, and what the user can do about it. */
function showSaveRefusal(writing: Writing, status: number, body: string): void {
  if (status === 401) {
    writing.show('signed-out');
    const link = makeLinkInNewTab('/sign-in', 'Sign in in another tab');
    writing.fault('You’re signed out. Your text is safe on this computer. Sign in, then save.', [
      link,
    ]);
    return;
  }
  writing.show('failed');
  const { field, sentence, freeName } = readRefusal(body);
  const isForSomeoneElse = field === 'account';
  const isGone = !writing.versions.isNew && (status === 403 || status === 404) && !isForSomeoneElse;
  if (isGone) showGone(writing, sentence);
  else writing.fault(sentence, freeName === undefined ? [] : [freeNameButton(writing, freeName)]);
  if (field === 'name') {
    const { name } = writing.parts;
    name.setAttribute('aria-invalid', 'true');
    name.setAttribute('aria-describedby', 'notice-fault');
    name.focus();
  }
}

/** Reports a first save without a response. Repeating it could create the document twice. */
function showUnanswered({ show, fault }: Writing): void {
  show('failed');
  const text =
    'The connection broke, so this may or may not have been saved. Your text is safe on this ' +
    'computer. Check your documents before you save again.';
  fault(text, [makeLinkInNewTab('/', 'Check my documents')]);
}

/** Offers a new document if this one is gone or no longer editable: retries would fail too. */
function showGone({ parts, versions, fault, save }: Writing, message: string): void {
  const { form, visibility, settings } = parts;
  const text =
    `${message} It may have been deleted, or is no longer shared with you. Your text is safe on ` +
    'this computer.';
  const saveApart = () => {
    if (visibility) visibility.value = 'private';
    versions.isNew = true;
    form.action = settings.newPath;
    void save();
  };
  fault(text, [makeButton(`Save as a new private ${settings.kind}`, saveApart)]);
}

function freeNameButton({ parts, source, save }: Writing, freeName: string): HTMLElement {
  return makeButton(`Use ${freeName}`, () => {
    parts.name.value = freeName;
    void save();
    source.focus();
  });
}
