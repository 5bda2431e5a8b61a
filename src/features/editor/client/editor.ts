import { asInTextArea } from '../../../base/text/text-area.ts';
import { makeDialog } from '../../../surfaces/web/client/app/dialog.ts';
import { takeDraftSlot } from './drafts.ts';
import { connectFold, refreshActs } from './header.ts';
import { onDemand } from './on-demand.ts';
import { isAhead, offerDraft, restoreFields } from './restore.ts';
import type { Session } from './session-types.ts';
import { one, type Parts, readParts } from './settings.ts';

const OPENERS = {
  brief: async () => (await import('./brief-editor.ts')).openBriefEditor,
  page: async () => (await import('./page-editor.ts')).openPageEditor,
};

const NO_EDITOR =
  'The editor didn’t load, so your text has no local backup until you save it. ' +
  'Try reloading the page.';

const parts = readParts();
connectFold(parts);
const { isProposal, isSent: wasSent, kind: editedKind } = parts.settings;
// Of a text that was sent and refused, nobody knows what it was based on.
const isForSuggestions = isProposal && editedKind === 'brief' && !wasSent;
void (isForSuggestions ? startSuggesting(parts) : isProposal ? startProposal(parts) : start(parts));

/** Opens the editor for people who can only suggest. */
async function startSuggesting(parts: Parts): Promise<void> {
  const { form, textarea, settings } = parts;
  const { accountId, documentId = '', kind } = settings;
  const slot = await takeDraftSlot(accountId, documentId);
  const code = await onDemand(
    Promise.all([OPENERS[kind](), import('./suggest-only.ts'), import('./suggestion-marks.ts')]),
    NO_EDITOR,
  );
  if (!code) return;
  const [open, { beginSuggesting }, { suggestionMarks }] = code;
  let session: ReturnType<typeof beginSuggesting> | undefined;
  const onChange = () => session?.changed();
  const typed = asInTextArea(textarea.value);
  const opened = open(parts, typed, onChange, suggestionMarks);
  session = beginSuggesting(parts, opened, slot);
  opened.connect();
  connectSaving(form, session.save);
  session.changed();
  form.dataset.ready = '';
  opened.view.focus();
}

/** Saves by the button and by Ctrl S. */
function connectSaving(form: HTMLFormElement, save: () => Promise<void>): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void save();
  });
  document.addEventListener('keydown', (event) => {
    const isSave = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!isSave || event.key.toLowerCase() !== 's') return;
    event.preventDefault();
    if (!document.querySelector('dialog[open]')) void save();
  });
}

/** Opens the editor for a proposal. The browser submits the form. */
async function startProposal(parts: Parts): Promise<void> {
  const { form, textarea, settings } = parts;
  const open = await onDemand(OPENERS[settings.kind](), NO_EDITOR);
  if (!open) return;
  let isChanged = settings.isSent === true || textarea.value !== textarea.defaultValue;
  const onChange = () => {
    isChanged = true;
  };
  const { view, source, connect } = open(parts, asInTextArea(textarea.value), onChange);
  connect();
  form.addEventListener('submit', () => {
    textarea.value = source.get();
    isChanged = false;
  });
  window.addEventListener('beforeunload', (event) => {
    if (isChanged) event.preventDefault();
  });
  form.dataset.ready = '';
  view.focus();
}

async function start(parts: Parts): Promise<void> {
  const { form, textarea, name, visibility, owner, etag, settings } = parts;
  const { accountId, documentId, kind, isSent = false } = settings;
  const place = documentId ?? `new ${kind}`;
  const isNew = documentId === undefined;
  const wanted = new URLSearchParams(location.hash.slice(1)).get('draft') ?? undefined;
  let slot = await takeDraftSlot(accountId, place, { wanted });
  const code = await onDemand(
    Promise.all([
      OPENERS[kind](),
      import('./session.ts'),
      import('./co-editing.ts'),
      import('./others.ts'),
      import('@codemirror/view'),
      import('./suggestion-marks.ts'),
      import('./suggesting.ts'),
    ]),
    NO_EDITOR,
  );
  // The form works without the editor.
  if (!code) return;
  const [open, { beginSession }, { createCoEditing }, others, { EditorView }, marks, modes] = code;
  const { connectModes } = modes;
  const saved = {
    // Text typed before the script loaded is not part of the saved version.
    content: asInTextArea(textarea.defaultValue),
    name: parts.fromName.value,
    visibility: visibility ? parts.fromVisibility.value : undefined,
    etag: etag.value,
  };
  let { found } = slot;
  if (found && !isSent && !isAhead(found, saved, isNew)) {
    await slot.remove();
    found = undefined;
  }
  const isOwn = () =>
    found !== undefined &&
    (isSent || textarea.value !== textarea.defaultValue) &&
    asInTextArea(textarea.value) !== found.content;
  // The old draft keeps its slot. The newly typed text gets its own.
  const offered = isOwn() ? slot : undefined;
  if (offered) slot = await takeDraftSlot(accountId, place, { isEmpty: true });

  // No await from here on, so that no keystroke is lost.
  const hasTyped = isSent || textarea.value !== textarea.defaultValue;
  const draft = offered || isSent || hasTyped ? undefined : found;
  const text = asInTextArea(textarea.value);
  const remark = draft ? restoreFields(parts, draft) : '';
  const cursor = textarea.selectionEnd;
  let session: Session | undefined;
  const onChange = () => session?.changed();
  const co = createCoEditing(`${accountId}/${crypto.randomUUID()}`, saved);
  const { view, source, connect } = open(parts, text, onChange, [
    co.extension,
    others.othersExtension,
    marks.suggestionMarks,
    EditorView.updateListener.of(({ docChanged, selectionSet }) => {
      if (docChanged || selectionSet) session?.moved();
    }),
  ]);
  co.attach(view);
  if (hasTyped && !isSent) view.dispatch({ selection: { anchor: Math.min(cursor, text.length) } });
  session = beginSession(parts, { view, source, co, slot, saved });
  const { save, restored } = session;
  const beside = session;
  if (draft) restored(draft, remark);
  if (offered) {
    offerDraft(parts, offered, async (kept) => restored(kept, restoreFields(parts, kept, true)));
  }
  connect();

  connectSaving(form, save);
  connectModes(parts, (mode) => void beside.setMode(mode));
  form.addEventListener('click', (event) => {
    const done = (event.target as Element).closest<HTMLAnchorElement>('#done');
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!done || !isPlain || !session) return;
    event.preventDefault();
    void session.leave(done);
  });
  form.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('#name-version')) askForName(beside.name);
  });
  for (const field of [name, visibility, owner]) field?.addEventListener('input', onChange);
  connectVisibility(parts);
  document.addEventListener('dialogchanged', (event) => {
    // A refreshed page would lose what isn't saved. The editor follows the document by itself.
    event.preventDefault();
    void refreshActs(form);
  });
  form.dataset.ready = '';
  session.changed();
  // Comments load last, because writing works without them.
  void import('./threads.ts').then(
    ({ showThreads }) => showThreads(parts, view, beside),
    () => undefined,
  );
  // Doesn't take the focus from a field that the user has moved to.
  const { activeElement } = document;
  if (activeElement === null || [document.body, textarea].includes(activeElement as HTMLElement)) {
    source.focus();
  }
}

/** Asks what the user wants to say about this version. */
function askForName(name: (message: string) => Promise<void>): void {
  const dialog = makeDialog();
  const content = document.createElement('form');
  content.className = 'stack';
  content.innerHTML =
    '<label for="version-name">What this version is</label>' +
    '<input id="version-name" maxlength="200" required autocomplete="off">' +
    '<p class="hint">It stands out in the history.</p>' +
    '<button type="submit" class="primary">Name this version</button>';
  dialog.fill('Name this version', content);
  const input = one<HTMLInputElement>(content, 'input');
  content.addEventListener('submit', (event) => {
    event.preventDefault();
    event.stopPropagation();
    if (input.value.trim() !== '') void name(input.value.trim());
    dialog.element.close();
  });
  dialog.element.addEventListener('close', () => dialog.element.remove());
  dialog.element.showModal();
  input.focus();
}

/** Offers only what the owner allows, and labels the button by the effect of a first save. */
function connectVisibility({ form, visibility, owner, settings }: Parts): void {
  if (!visibility) return;
  const button = one<HTMLButtonElement>(form, 'button[type="submit"]');
  const inside = visibility.querySelector<HTMLOptionElement>('[value="internal"]');
  const open = visibility.querySelector<HTMLOptionElement>('[value="public"]');
  const follow = () => {
    if (!owner?.isConnected) return;
    const [chosen] = owner.selectedOptions;
    // Safari shows hidden options.
    if (inside) inside.disabled = chosen?.matches('[data-person]') ?? false;
    if (open) open.disabled = chosen?.matches('[data-never-public]') ?? false;
    if (visibility.selectedOptions[0]?.disabled) visibility.value = 'private';
    if (settings.documentId === undefined) {
      button.textContent = visibility.value === 'public' ? 'Publish' : 'Save';
    }
  };
  let isChosen = false;
  visibility.addEventListener('change', () => {
    isChosen = true;
  });
  // A restored draft has its own visibility and sends no `change`.
  owner?.addEventListener('change', () => {
    const usual = owner.selectedOptions[0]?.dataset.visibility;
    if (usual !== undefined && !isChosen) visibility.value = usual;
    follow();
  });
  visibility.addEventListener('input', follow);
  owner?.addEventListener('input', follow);
  follow();
}
