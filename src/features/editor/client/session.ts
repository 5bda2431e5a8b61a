import type { EditorView } from '@codemirror/view';
import { MOST_APART } from '../../../base/text/collaboration.ts';
import { merge3 } from '../../../base/text/merge.ts';
import { type Rebased, rebase } from '../../../base/text/rebase.ts';
import { readRefusal } from '../../../surfaces/web/client/app/refusal.ts';
import { showToast } from '../../../surfaces/web/client/app/toast.ts';
import { becomeExisting, showAddress } from './become-existing.ts';
import type { CoEditing, SentChange } from './co-editing.ts';
import {
  type Connection,
  connect,
  type DocumentState,
  type Joined,
  type Peer,
  type Writer,
} from './connection.ts';
import { createDraftKeeper } from './draft-keeper.ts';
import { type Asked, type Draft, type DraftSlot, takeDraftSlot, takeLeftSlot } from './drafts.ts';
import { refreshActs } from './header.ts';
import { showCarets } from './others.ts';
import { atFirstOf, dayOf, restoreFields } from './restore.ts';
import { type SavedAnswer, sendSave } from './save-request.ts';
import {
  makeButton,
  makeLinkInNewTab,
  removeNotice,
  type SaveState,
  showAsked,
  showNotice,
  showSaveState,
} from './save-state.ts';
import type { Saved, Session, Source } from './session-types.ts';
import type { Parts } from './settings.ts';
import { forgetHistory } from './source.ts';
import {
  askAboutUnsaved,
  clearReason,
  type Mode,
  type Sent,
  sendSuggestions,
  showClash,
  showMode,
  showSuggested,
} from './suggesting.ts';
import { countSuggestions, markAgainst } from './suggestion-marks.ts';

const RETRY_MS = 15_000;
/** How long to wait until changes are sent, at the end. */
const SEND_MS = 5_000;
const LOOK_MS = 40;
/** How long to wait after the service had too much to do. */
const LATER_MS = 2_000;
/** How long to wait before what was refused because of a newer revision is sent again. */
const AGAIN_MS = 500;
/** How often to look for what pages have left that are gone. */
const LEFT_MS = 1_000;
/** How long to gather keystrokes, and movements of the caret, before they are sent. */
const PUSH_MS = 50;
const CARET_MS = 200;

/** What a person sees first of each document, and what the service knows of it. */
interface Opened {
  view: EditorView;
  source: Source;
  co: CoEditing;
  slot: DraftSlot;
  saved: Saved;
}

/** Starts to write drafts, to save new documents, and to exchange changes of others. */
export function beginSession(parts: Parts, opened: Opened): Session {
  const { form, name, visibility, owner, notices, settings } = parts;
  const { view, source, co } = opened;
  let { saved } = opened;
  let isNew = settings.documentId === undefined;
  /** Whether the text was sent and refused before, so that what it was based on is unknown. */
  let isSent = settings.isSent === true;
  /** Whether others' words came into the text that this user may not have read. */
  let hasOthers = false;
  let version = settings.version ?? 0;
  let failure: SaveState | undefined;
  let isOnline = true;
  let isSaving = false;
  let isPushing = false;
  /** Whether nothing more can be written to the document: it is gone, or protected. */
  let isDetached = false;
  /** What the user has to choose about, because others changed the same words. */
  let asked: Asked[] = [];
  /** What another page has left, until the editor can take it up. */
  let left: DraftSlot | undefined;
  /** Whether what is typed isn't sent, but kept to be suggested. */
  let isSuggesting = false;
  let list: string | undefined;
  let connection: Connection | undefined;
  let running: Promise<void> = Promise.resolve();
  let retryTimer = 0;
  let pushTimer = 0;
  let caretTimer = 0;
  const listeners: (() => void)[] = [];
  let answered = (_isNamed: boolean) => {};

  const isTextDirty = () => (isSuggesting ? source.get() !== co.synced() : isUnsent());
  const isUnsent = () =>
    isSent ||
    isDetached ||
    (co.isJoined()
      ? co.sendable().length > 0
      : source.get() !== (isNew ? saved.content : co.synced()));
  const areFieldsDirty = () =>
    name.value !== saved.name ||
    (!isNew && visibility !== null && visibility.value !== saved.visibility);
  const isDirty = () => isTextDirty() || areFieldsDirty();
  const drafts = createDraftKeeper(
    opened.slot,
    {
      draft,
      isDirty: () => isDirty() || asked.length > 0,
      length: () => view.state.doc.length,
    },
    showState,
  );

  function draft(): Draft {
    return {
      content: source.get(),
      name: name.value,
      visibility: visibility?.value,
      owner: owner?.value,
      etag: saved.etag,
      base: isSent ? undefined : isNew ? saved.content : co.synced(),
      baseName: saved.name,
      baseVisibility: saved.visibility,
      version,
      at: Date.now(),
      path: new URL(form.action).pathname,
      kind: settings.kind,
      unsent: unsent(),
      ...(asked.length > 0 && { asked }),
      ...(isSuggesting && { mode: 'suggesting' }),
    };
  }

  function unsent(): Draft['unsent'] {
    if (list === undefined || isSuggesting || !isUnsent()) return undefined;
    return { list, ...co.unsent(), isOffline: !isOnline };
  }

  function stateNow(): SaveState {
    if (failure) return failure;
    if (isSaving) return 'saving';
    if (!isDirty()) return isNew ? 'fresh' : 'saved';
    if (isNew || (!isTextDirty() && isOnline)) return 'unsaved';
    return isOnline ? 'saving' : 'offline';
  }

  function showState(): void {
    const isKept = drafts.isKept();
    // What saves itself needs no button.
    const isIdle = !isNew && !isSuggesting && !areFieldsDirty() && failure === undefined;
    parts.submit?.toggleAttribute('data-idle', isIdle);
    if (!isSuggesting || (failure && failure !== 'offline')) {
      showSaveState(parts.state, stateNow(), isKept);
    } else showSuggested(parts.state, view, { isDirty: isDirty(), isKept, isSaving });
  }

  function fault(text: string, actions: HTMLElement[] = []): void {
    showNotice(notices, { id: 'fault', text, isFault: true, actions });
  }

  function changed(): void {
    if (failure === 'failed' && !isDetached) failure = undefined;
    drafts.keepSoon();
    pushSoon();
    showState();
  }

  /* Exchanging changes */

  function pushSoon(): void {
    if (pushTimer !== 0) return;
    pushTimer = window.setTimeout(() => {
      pushTimer = 0;
      push();
    }, PUSH_MS);
  }

  function push(): void {
    if (!connection || !isOnline || isPushing || isDetached || isSuggesting) return;
    if (list === undefined) return;
    const changes = co.sendable().slice(0, MOST_APART);
    if (changes.length === 0) return;
    isPushing = true;
    connection.push({ list, seen: co.number(), changes });
  }

  function sendCaret(): void {
    if (!connection || !isOnline || !co.isJoined() || caretTimer) return;
    caretTimer = window.setTimeout(() => {
      caretTimer = 0;
      const { anchor, head } = view.state.selection.main;
      const at = (position: number) => co.sentPositionOf(position);
      connection?.caret({ number: co.number(), anchor: at(anchor), head: at(head) });
    }, CARET_MS);
  }

  function joined({ list: joinedList, number, changes, text, taken, document }: Joined): void {
    isPushing = false;
    if (list !== joinedList || text !== undefined) {
      const how = { isBased: isSent, keepsOwn: isSuggesting, taken };
      const rebased = co.join(text ?? saved.content, number, how);
      if (!isSuggesting) ask(rebased);
      else if (rebased.conflicts.length > 0) showClash(parts, rebased.conflicts);
      isSent = false;
      if (text === undefined && document.version === version) co.saved(number, document.etag);
      tellNews();
    }
    list = joinedList;
    take(changes, number, { isMissed: true });
    markSuggestions();
    follow(document);
    failure = undefined;
    drafts.keepSoon();
    showState();
    push();
  }

  function take(
    changes: readonly SentChange[],
    from: number,
    { isMissed } = { isMissed: false },
  ): void {
    if (list === undefined) return;
    isPushing = false;
    const isByProgram = changes.some((each) => each.clientId === '');
    if (!(isMissed || isByProgram) || isSuggesting) co.receive(changes, from);
    else ask(co.receiveMissed(changes, from));
    const others = changes.filter((each) => each.clientId !== co.clientId());
    if (others.length > 0) hasOthers = true;
    markSuggestions();
    const tool = others.findLast(({ via }) => via !== 'web');
    if (tool) showToast(`${writerOf(tool)} changed this text.`);
    const instead = others.findLast(({ replaces }) => replaces);
    if (instead) {
      showToast(`${writerOf(instead)} replaced a passage that others had changed meanwhile.`);
    }
    push();
    drafts.keepSoon();
    showState();
  }

  /** Takes what the document is called now, and who can read it, where the user hasn't changed it. */
  function follow(document: DocumentState): void {
    if (visibility && visibility.value === saved.visibility) visibility.value = document.visibility;
    if (name.value === saved.name) name.value = document.name;
    const { etag } = document;
    version = document.version;
    const known = visibility ? document.visibility : undefined;
    saved = { ...saved, etag, name: document.name, visibility: known };
    showAddress(form, document);
  }

  /** Shows where others write; the carets then move along with the text. */
  function showPeers(peers: readonly Peer[]): void {
    showCarets(
      view,
      peers.flatMap(({ clientId, username, caret }) => {
        if (!caret) return [];
        const { number, anchor, head } = caret;
        const at = (position: number) => co.positionOf(position, number);
        return [{ clientId, username, anchor: at(anchor), head: at(head) }];
      }),
    );
  }

  /** Shows what differs from the text that others have, while changes are suggested. */
  function markSuggestions(): void {
    if (isSuggesting) markAgainst(view, co.synced());
  }

  function tellNews(): void {
    for (const tell of listeners) tell();
  }

  /** Begins to exchange changes of a document that exists. */
  function goLive(documentId: string): void {
    const known = () =>
      list === undefined ? (isSent ? {} : { version }) : { list, number: co.number() };
    connection = connect(documentId, co.clientId, known, {
      joined,
      changes(from, of, changes) {
        if (of === list) take(changes, from);
      },
      document(document, number) {
        const isNews = document.etag !== saved.etag;
        co.saved(number, document.etag);
        follow(document);
        showState();
        if (isNews) tellNews();
      },
      peers: showPeers,
      happened(left) {
        if (left) showToast(`${writerOf(left)} left a comment or suggestion here.`);
        tellNews();
      },
      saved: (isNamed) => answered(isNamed),
      online(isNow) {
        isOnline = isNow;
        if (!isNow) isPushing = false;
        if (!isNow) void drafts.keep();
        showState();
      },
      refused(status, body) {
        isPushing = false;
        refuse(status, body);
      },
    });
    const look = async () => {
      if (document.visibilityState === 'visible') await takeUpLeft(documentId);
      setTimeout(() => void look(), LEFT_MS);
    };
    void look();
  }

  /** Keeps the user's passages until they choose what becomes of them. Nobody else sees them. */
  function ask(rebased: Rebased | undefined): void {
    if (!rebased || rebased.conflicts.length === 0) return;
    const { text: content, merged } = rebased;
    const places = merged.conflicts.map(({ current, yours }) => {
      return { theirs: current.join('\n'), yours: yours.join('\n') };
    });
    asked.push({ base: merged.text, content, places });
    showAllAsked();
    drafts.keepSoon();
  }

  function showAllAsked(): void {
    showAsked(notices, asked, {
      use(each) {
        co.replace(rebase(each.base, source.get(), each.content).text);
        settle(each);
      },
      async propose(each) {
        await savedNow();
        const { content } = co.revision();
        if (await proposeInstead(rebase(each.base, content, each.content).text)) settle(each);
      },
      discard: settle,
    });
  }

  function settle(settled: Asked): void {
    asked = asked.filter((each) => each !== settled);
    showAllAsked();
    void drafts.keep();
    source.focus();
  }

  /** Takes up what another page of this document has left in this browser, once that page is gone. */
  async function takeUpLeft(documentId: string): Promise<void> {
    left ??= await takeLeftSlot(settings.accountId, documentId);
    if (!left?.found) left = undefined;
    if (!left?.found || isDirty() || isDetached || isSuggesting || !co.isJoined()) return;
    const { found } = left;
    void drafts.remove(left);
    left = undefined;
    restored(found, restoreFields(parts, found));
  }

  /** Keeps what may not be written directly as a proposal. */
  async function proposeInstead(content: string): Promise<boolean> {
    const data = new FormData();
    data.append('content', content);
    data.append('document', aboutDocument());
    data.append('baseRevision', String(version));
    data.append('account', settings.accountId);
    data.append('message', '');
    const path = new URL(form.action).pathname.replace('/edit/', '/propose/');
    const headers = { accept: 'application/json' };
    try {
      const response = await fetch(path, { method: 'POST', body: data, headers });
      if (!response.ok) throw new Error(`${response.status}`);
      const link = makeLinkInNewTab(response.url, 'Open the proposal');
      showNotice(notices, {
        id: 'proposal',
        text: 'Your version is now a proposal. People who can edit can accept it.',
        actions: [link],
      });
      return true;
    } catch {
      const copy = makeButton('Copy it', () => void navigator.clipboard.writeText(content));
      const text = 'Your version couldn’t be proposed. Try again later.';
      showNotice(notices, { id: 'proposal', text, isFault: true, actions: [copy] });
      return false;
    }
  }

  function refuse(status: number, body: string): void {
    const { code } = errorOf(body);
    if (code === 'UNPROCESSABLE' && list !== undefined) {
      protect();
      return;
    }
    // The changes that have to be merged first come by themselves.
    if (code === 'CONFLICT' && !isNew) {
      setTimeout(push, AGAIN_MS);
      return;
    }
    if (status >= 500 || status === 429 || code === 'RATE_LIMITED' || code === 'UNAVAILABLE') {
      setTimeout(() => (list === undefined ? connection?.join() : push()), LATER_MS);
      return;
    }
    showRefusal(status, body);
    void drafts.keep();
  }

  /** Others protected the document, so changes must be proposed. */
  function protect(): void {
    isDetached = true;
    failure = 'failed';
    fault('This document is protected now. Your changes can be proposed.', [
      makeButton('Propose them', () => void proposeInstead(source.get())),
    ]);
    showState();
  }

  /** Shows why the service refused, and what the user can do about it. */
  function showRefusal(status: number, body: string): void {
    if (status === 401) {
      failure = 'signed-out';
      showState();
      const link = makeLinkInNewTab('/sign-in', 'Sign in in another tab');
      const text = 'You’re signed out. Your text is safe on this computer. Sign in, then save.';
      fault(text, [link]);
      return;
    }
    failure = 'failed';
    showState();
    const { field, sentence, freeName } = readRefusal(body);
    const isForSomeoneElse = field === 'account';
    const isGone = !isNew && (status === 403 || status === 404) && !isForSomeoneElse;
    if (isGone) showGone(sentence);
    else fault(sentence, freeName === undefined ? [] : [freeNameButton(freeName)]);
    if (field === 'name') {
      name.setAttribute('aria-invalid', 'true');
      name.setAttribute('aria-describedby', 'notice-fault');
      name.focus();
    }
  }

  /** Offers a new document if this one is gone or no longer editable: retries would fail too. */
  function showGone(message: string): void {
    isDetached = true;
    const text =
      `${message} It may have been deleted, or is no longer shared with you. Your text is safe on ` +
      'this computer.';
    const saveApart = async () => {
      if (visibility) visibility.value = 'private';
      isNew = true;
      form.action = settings.newPath;
      await save();
    };
    fault(text, [makeButton(`Save as a new private ${settings.kind}`, () => void saveApart())]);
  }

  function freeNameButton(freeName: string): HTMLElement {
    return makeButton(`Use ${freeName}`, () => {
      name.value = freeName;
      void save();
      source.focus();
    });
  }

  /* Saving */

  function save(): Promise<void> {
    if (!isSaving) running = saveNow();
    return running;
  }

  async function saveNow(): Promise<void> {
    if (isSuggesting) return saveSuggestions();
    if (isDetached && !isNew) return;
    clearTimeout(retryTimer);
    removeNotice(notices, 'fault');
    removeNotice(notices, 'leave');
    name.removeAttribute('aria-invalid');
    if (isNew && source.get().trim() === '') {
      showState();
      fault('Write something first.');
      source.focus();
      return;
    }
    failure = undefined;
    isSaving = true;
    showState();
    try {
      if (isNew) await saveFirst();
      else await saveExisting();
    } finally {
      isSaving = false;
      showState();
    }
  }

  async function saveSuggestions(): Promise<void> {
    for (const id of ['fault', 'clash']) removeNotice(notices, id);
    if (countSuggestions(view) === 0) {
      fault('Change the text first: what you change becomes a suggestion.');
      source.focus();
      return;
    }
    failure = undefined;
    isSaving = true;
    showState();
    let sent = await sendSuggested();
    if (sent === 'behind' || (sent.kind === 'refused' && sent.status === 412)) {
      // Somebody is writing; the editor learns of it at the same time.
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      sent = await sendSuggested();
    }
    isSaving = false;
    if (sent === 'behind') {
      fault('Others are writing in the same lines. Save again in a moment.');
    } else if (sent.kind === 'saved') {
      dropSuggestions();
      clearReason(parts);
      const link = makeLinkInNewTab(sent.path, 'See them');
      showNotice(notices, { id: 'suggested', text: sent.message, actions: [link] });
      tellNews();
    } else if (sent.kind === 'refused') {
      fault(readRefusal(sent.body).sentence);
    } else {
      fault('No connection. What you suggest is kept on this computer. Save again later.');
    }
    await drafts.keep();
    showState();
  }

  /** Sends what is suggested, as changes to the newest revision. */
  async function sendSuggested(): Promise<Sent | 'behind'> {
    if (!isOnline) return { kind: 'unanswered' };
    // What others have just written becomes a revision first.
    await savedNow();
    const { etag, content } = co.revision();
    const { text, conflicts } = merge3(co.synced(), content, source.get());
    if (etag === '' || conflicts.length > 0) return 'behind';
    return sendSuggestions(parts, { content: text, etag });
  }

  function dropSuggestions(): void {
    co.drop();
    forgetHistory(view);
    for (const id of ['draft', 'clash']) removeNotice(notices, id);
    markSuggestions();
  }

  function showSuggesting(isOn: boolean): void {
    isSuggesting = isOn;
    showMode(parts, isOn ? 'suggesting' : 'editing');
    forgetHistory(view);
    markAgainst(view, isOn ? co.synced() : undefined);
    showState();
  }

  /** Asks what to do with unsaved suggestions. @returns whether there are none any more */
  async function settled(): Promise<boolean> {
    if (!isTextDirty()) return true;
    const answer = await askAboutUnsaved();
    if (answer === 'save') await save();
    if (answer === 'discard') dropSuggestions();
    void drafts.keep();
    return !isTextDirty();
  }

  async function setMode(mode: Mode): Promise<void> {
    if (isNew || (mode === 'suggesting') === isSuggesting) return;
    if (mode === 'editing') {
      if (await settled()) {
        co.drop();
        removeNotice(notices, 'suggested');
        showSuggesting(false);
      }
    } else {
      await save();
      if (!isDirty() && !isDetached && co.isJoined()) showSuggesting(true);
      else fault('Your changes aren’t saved yet, so you can’t suggest others.');
    }
    source.focus();
  }

  async function saveExisting(): Promise<void> {
    if (!(await sentAll())) {
      // A session that ended may work again.
      if (!isOnline) connection?.join();
      return;
    }
    await savedNow();
    if (!areFieldsDirty()) return;
    const publishes = visibility?.value === 'public' && saved.visibility !== 'public';
    if (publishes && hasOthers) {
      // Doesn't make others' words public with the user's before the user has seen them.
      hasOthers = false;
      fault('Others have changed this text, and it would become public. Read it, then save.');
      return;
    }
    let outcome = await sendSave(form.action, detailsForm());
    if (outcome.kind === 'refused' && outcome.status === 412) {
      // Someone has written since; the editor learns it at the same time.
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      outcome = await sendSave(form.action, detailsForm());
    }
    if (outcome.kind === 'saved') {
      hasOthers = false;
      follow({ ...outcome.answer, version });
      showAnswer(outcome.answer);
    } else if (outcome.kind === 'refused') {
      showRefusal(outcome.status, outcome.body);
    } else {
      fault('No connection. The name and who can read this aren’t saved yet.');
    }
    await drafts.keep();
  }

  /** Waits until the service has what was written. */
  async function sentAll(): Promise<boolean> {
    const until = performance.now() + SEND_MS;
    push();
    while (isTextDirty() && failure === undefined && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return !isTextDirty();
  }

  /** Makes what was written a revision now. */
  async function savedNow(message?: string): Promise<boolean> {
    if (!connection || !isOnline) return false;
    return new Promise((resolve) => {
      answered = resolve;
      setTimeout(() => resolve(false), SEND_MS);
      connection?.save(message);
    });
  }

  function detailsForm(): FormData {
    const data = new FormData();
    data.append('only', 'details');
    data.append('name', name.value);
    data.append('fromName', saved.name);
    data.append('fromVisibility', saved.visibility ?? '');
    data.append('etag', saved.etag);
    data.append('account', settings.accountId);
    data.append('document', aboutDocument());
    if (visibility) data.append('visibility', visibility.value);
    return data;
  }

  // A new document gets its field with the first save.
  const aboutDocument = () =>
    (form.elements.namedItem('document') as HTMLInputElement | null)?.value ?? '';

  async function saveFirst(): Promise<void> {
    const sent = { content: source.get(), name: name.value };
    const data = new FormData();
    data.append('content', sent.content);
    data.append('name', sent.name);
    data.append('account', settings.accountId);
    data.append('visibility', visibility?.value ?? 'private');
    if (owner) data.append('owner', owner.value);
    // While the browser is offline, it sends nothing, so a retry can't create a second document.
    const isRepeatable = !navigator.onLine;
    const outcome = await sendSave(form.action, data);
    if (outcome.kind === 'saved') return adoptFirst(outcome.answer, sent);
    if (outcome.kind === 'refused' && outcome.status <= 500) {
      showRefusal(outcome.status, outcome.body);
    } else if (isRepeatable) {
      failure = 'offline';
      retryTimer = window.setTimeout(() => void save(), RETRY_MS);
    } else {
      failure = 'failed';
      const text =
        'The connection broke, so this may or may not have been saved. Your text is safe on this ' +
        'computer. Check your documents before you save again.';
      fault(text, [makeLinkInNewTab('/', 'Check my documents')]);
    }
    await drafts.keep();
  }

  async function adoptFirst(
    answer: SavedAnswer,
    sent: Pick<Saved, 'content' | 'name'>,
  ): Promise<void> {
    drafts.cancel();
    // This document was another one before, which is gone.
    if (isDetached) {
      await drafts.remove();
      location.assign(answer.path);
      return;
    }
    const { etag, visibility: isVisible } = answer;
    saved = { content: sent.content, name: answer.name, visibility: isVisible, etag };
    [isNew, isSent, version] = [false, false, 1];
    co.begin(sent.content);
    if (name.value === sent.name) name.value = answer.name;
    removeNotice(notices, 'draft');
    becomeExisting(parts, answer);
    if (answer.message !== undefined) showToast(answer.message);
    showAnswer(answer);
    await drafts.remove(await takeDraftSlot(settings.accountId, answer.id));
    goLive(answer.id);
    void refreshActs(form);
  }

  function showAnswer(answer: SavedAnswer): void {
    if (answer.warning === undefined) removeNotice(notices, 'warning');
    else showNotice(notices, { id: 'warning', text: answer.warning });
    removeNotice(notices, 'hidden');
    if (answer.hidden) {
      const { text, path } = answer.hidden;
      const share = makeLinkInNewTab(path, 'Share page');
      showNotice(notices, { id: 'hidden', text, actions: [share] });
    }
    showAddress(form, answer);
  }

  async function leave(link: HTMLAnchorElement): Promise<void> {
    if (isSuggesting) {
      if (await settled()) location.assign(link.href);
      return;
    }
    await save();
    // A first save changes the link's address.
    if (!isDirty()) return location.assign(link.href);
    const where = drafts.isKept() ? ' Your text stays in this browser as a draft.' : '';
    showNotice(notices, {
      id: 'leave',
      text: `Your changes aren’t saved.${where}`,
      actions: [makeButton('Leave without saving', () => location.assign(link.href))],
    });
  }

  /** Goes on suggesting what a draft does. */
  function restoreSuggestions(found: Draft): void {
    showSuggesting(true);
    const now = source.get();
    const { text, conflicts } = rebase(found.base ?? now, now, found.content);
    source.set(text);
    const discardIt = makeButton('Discard', () => {
      dropSuggestions();
      // Without the switch, the user can no longer suggest.
      if (!form.querySelector('#editing-mode')) showSuggesting(false);
      void drafts.keep();
      showState();
      source.focus();
    });
    const words = `What you suggested on ${dayOf(found)} is restored.`;
    showNotice(notices, { id: 'draft', text: words, actions: [discardIt] });
    if (conflicts.length > 0) showClash(parts, conflicts);
    void drafts.keep();
    showState();
  }

  /** Puts the latest version back into the editor, without a draft that was merged into it. */
  function discard(before: string, after: string): void {
    const { text, conflicts } = merge3(after, source.get(), before);
    if (conflicts.length === 0) source.set(text);
    name.value = saved.name;
    if (visibility && saved.visibility !== undefined) visibility.value = saved.visibility;
    if (owner) owner.value = atFirstOf(owner) ?? owner.value;
    for (const field of [owner, visibility]) field?.dispatchEvent(new Event('input'));
    removeNotice(notices, 'draft');
    removeNotice(notices, 'fault');
    isSent = false;
    void drafts.keep();
    showState();
    source.focus();
  }

  function restored(found: Draft, remark: string): void {
    if (found.mode === 'suggesting') {
      restoreSuggestions(found);
      return;
    }
    asked.push(...(found.asked ?? []));
    showAllAsked();
    const before = source.get();
    const isAsSaved = before === saved.content;
    const base = found.base ?? (isAsSaved && isNew ? before : '');
    const isContinued = found.unsent !== undefined && !isTextDirty();
    let text = found.content;
    let without = isNew ? saved.content : base;
    if (found.unsent && isContinued) {
      // The service may have more than this page, also of what was written there.
      co.resume(base, found.unsent);
      list = found.unsent.list;
      connection?.join();
    } else if (!isNew && list === undefined && isAsSaved && found.base !== undefined) {
      co.begin(base);
    } else if (!isNew) {
      const rebased = rebase(base, before, text);
      ask(rebased);
      ({ text } = rebased.merged);
      without = before;
    }
    source.set(text);
    // Who leaves and comes back finds the text as it was; only what was away for longer is news.
    const isNews = found.content !== base && found.unsent?.isOffline !== false;
    if (isNews || areFieldsDirty()) {
      const also =
        found.base !== undefined && base !== before && version > (found.version ?? 0) && !isNew
          ? ' Others’ newer changes are merged with it.'
          : '';
      showNotice(notices, {
        id: 'draft',
        text: `Draft from ${dayOf(found)} restored.${remark}${also}`,
        actions: [makeButton('Discard', () => discard(without, text))],
      });
    }
    showState();
    drafts.keepSoon();
  }

  addEventListener('online', () => {
    if (isNew && failure === 'offline') void save();
  });

  addEventListener('pagehide', () => {
    const changes = co.sendable().slice(0, MOST_APART);
    if (list === undefined || isSuggesting || isDetached || changes.length === 0) return;
    connection?.leave({ list, seen: co.number(), changes });
  });

  if (settings.documentId !== undefined) goLive(settings.documentId);
  if (isSent) void drafts.keep();
  showState();
  return {
    changed,
    moved: sendCaret,
    save: () => save(),
    setMode,
    async name(message) {
      if (!(await sentAll())) return;
      const isNamed = await savedNow(message);
      const refusal = 'Only a version that you have just written, and that has no name, gets one.';
      showToast(isNamed ? `This version is named “${message}”.` : refusal, { isFault: !isNamed });
    },
    async flush() {
      if (await sentAll()) await savedNow();
    },
    isDirty,
    latest: () => (isNew ? { etag: '', content: saved.content } : co.revision()),
    leave,
    async catchUp(etag) {
      const until = performance.now() + SEND_MS;
      while (co.revision().etag !== etag && performance.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    },
    onNews(tell) {
      listeners.push(tell);
    },
    restored,
  };
}

function errorOf(body: string): { code?: string } {
  try {
    return JSON.parse(body).error;
  } catch {
    return {};
  }
}

function writerOf({ author, viaName }: Writer): string {
  return `${author ?? 'Someone'}${viaName === null ? '' : ` with ${viaName}`}`;
}
