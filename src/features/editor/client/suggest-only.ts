import { rebase } from '../../../base/text/rebase.ts';
import { asInTextArea } from '../../../base/text/text-area.ts';
import { readRefusal } from '../../../surfaces/web/client/app/refusal.ts';
import type { OpenedEditor } from './brief-editor.ts';
import { createDraftKeeper } from './draft-keeper.ts';
import type { Draft, DraftSlot } from './drafts.ts';
import { dayOf } from './restore.ts';
import { makeButton, removeNotice, showNotice } from './save-state.ts';
import type { Parts } from './settings.ts';
import { sendSuggestions, showClash, showSuggested } from './suggesting.ts';
import { countSuggestions, markAgainst } from './suggestion-marks.ts';

/** The text that others have, as far as this editor knows it. */
interface Base {
  content: string;
  revision: number;
}

/** Lets people who can't edit a document suggest changes to it. */
export function beginSuggesting(
  parts: Parts,
  { view, source }: OpenedEditor,
  slot: DraftSlot,
): { changed(): void; save(): Promise<void> } {
  const { form, textarea, notices, settings, name } = parts;
  let base: Base = {
    content: asInTextArea(textarea.defaultValue),
    revision: settings.version ?? 0,
  };
  let isSaving = false;
  const isDirty = () => source.get() !== base.content;
  const length = () => view.state.doc.length;
  const draft = (): Draft => ({
    content: source.get(),
    name: name.value,
    visibility: undefined,
    owner: undefined,
    etag: '',
    base: base.content,
    baseName: name.value,
    baseVisibility: undefined,
    version: base.revision,
    mode: 'suggesting',
    at: Date.now(),
    path: new URL(form.action).pathname,
    kind: settings.kind,
  });
  const drafts = createDraftKeeper(slot, { draft, isDirty, length }, showState);

  function showState(): void {
    const state = { isDirty: isDirty(), isKept: drafts.isKept(), isSaving };
    showSuggested(parts.state, view, state);
  }

  /** Goes on from a newer text. */
  function follow(newer: Base): boolean {
    const { text, conflicts } = rebase(base.content, newer.content, source.get());
    base = newer;
    source.set(text);
    markAgainst(view, base.content);
    if (conflicts.length > 0) showClash(parts, conflicts);
    return conflicts.length === 0;
  }

  async function save(): Promise<void> {
    if (isSaving) return;
    for (const id of ['fault', 'clash']) removeNotice(notices, id);
    if (countSuggestions(view) === 0) {
      fault('Change the text first: what you change becomes a suggestion.');
      source.focus();
      return;
    }
    isSaving = true;
    showState();
    await send(2);
    isSaving = false;
    showState();
  }

  async function send(tries: number): Promise<void> {
    const sent = await sendSuggestions(parts, {
      content: source.get(),
      baseRevision: base.revision,
    });
    if (sent.kind === 'saved') {
      drafts.cancel();
      source.set(base.content);
      await drafts.remove();
      location.assign(sent.path);
      return;
    }
    await drafts.keep();
    if (sent.kind === 'unanswered') {
      fault('No connection. What you suggest is kept on this computer. Save again later.');
      return;
    }
    const newer = newerIn(sent.body);
    if (!newer) fault(readRefusal(sent.body).sentence);
    else if (follow(newer) && tries > 1) await send(tries - 1);
  }

  function fault(text: string): void {
    showNotice(notices, { id: 'fault', text, isFault: true });
  }

  function restore(found: Draft): void {
    const { content } = base;
    const { text, conflicts } = rebase(found.base ?? content, source.get(), found.content);
    source.set(text);
    if (text === content) return;
    showNotice(notices, {
      id: 'draft',
      text: `What you suggested on ${dayOf(found)} is restored.`,
      actions: [
        makeButton('Discard', () => {
          source.set(base.content);
          removeNotice(notices, 'draft');
          source.focus();
        }),
      ],
    });
    if (conflicts.length > 0) showClash(parts, conflicts);
  }

  markAgainst(view, base.content);
  if (slot.found) restore(slot.found);
  showState();
  return {
    changed() {
      drafts.keepSoon();
      showState();
    },
    save,
  };
}

/** Returns the newer text that a refusal comes with, if that is why it was refused. */
function newerIn(body: string): Base | undefined {
  try {
    return JSON.parse(body).current;
  } catch {
    return undefined;
  }
}
