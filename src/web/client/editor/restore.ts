import type { Draft, DraftSlot } from './drafts.ts';
import { makeButton, removeNotice, showNotice } from './save-state.ts';
import type { Saved } from './session-types.ts';
import type { Parts } from './settings.ts';

/** What the page came with, before anybody chose or script restored something. */
export function atFirstOf(select: HTMLSelectElement | null): string | undefined {
  const { options } = select ?? {};
  return [...(options ?? [])].find((each) => each.defaultSelected)?.value ?? options?.[0]?.value;
}

/** The text that a draft stands for: where it has only another name, the text is the service's. */
export function textOf(draft: Draft, saved: Saved): string {
  return draft.content === draft.base ? saved.content : draft.content;
}

/** Whether a draft says anything that the service does not have. */
export function isAhead(draft: Draft, saved: Saved, isNew: boolean): boolean {
  const { name, visibility } = draft;
  return (
    textOf(draft, saved) !== saved.content ||
    (name !== draft.baseName && name !== saved.name) ||
    (!isNew && visibility !== draft.baseVisibility && visibility !== saved.visibility)
  );
}

/**
 * Puts into the fields what was changed in them when the draft was written; the others stay as the
 * service has them.
 *
 * @param isForced whether that holds for fields too that have been changed since the page came
 * @returns what could not be restored, as a sentence; '' if all could
 */
export function restoreFields(
  { name, visibility, owner, settings }: Parts,
  draft: Draft,
  isForced = false,
): string {
  const isFree = (select: HTMLSelectElement) => isForced || select.value === atFirstOf(select);
  const isNameFree = isForced || name.value === name.defaultValue;
  if (isNameFree && draft.name !== draft.baseName) name.value = draft.name;
  const isOwnerKept = !owner || !isFree(owner) || choose(owner, draft.owner);
  if (visibility && isFree(visibility) && draft.visibility !== draft.baseVisibility) {
    const isChosen = choose(visibility, draft.visibility);
    // Nothing new becomes more public than was meant.
    if (!isChosen && settings.documentId === undefined) choose(visibility, 'private');
  }
  if (isOwnerKept) return '';
  return ` You can no longer write in ${draft.owner}, so the owner is ${owner.value} now.`;
}

/** Lets the writer take a draft in place of what was typed since; it stays until that is decided. */
export function offerDraft(
  { notices }: Parts,
  { found, remove }: DraftSlot,
  restore: (draft: Draft) => Promise<void>,
): void {
  if (!found) return;
  const done = () => {
    removeNotice(notices, 'offer');
    return remove();
  };
  showNotice(notices, {
    id: 'offer',
    text: `There is a draft from ${dayOf(found)}, too.`,
    actions: [
      makeButton('Restore', () => void restore(found).then(done)),
      makeButton('Discard', () => void done()),
    ],
  });
}

/** When a draft was written, in words. */
export function dayOf({ at }: Draft): string {
  return new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

/** A time, in words that follow a verb: `at 14:03` today, `on 3 Jan 2026, 14:03` before. */
export function timeOf(timestamp: string): string {
  const time = new Date(timestamp);
  return time.toDateString() === new Date().toDateString()
    ? `at ${time.toLocaleTimeString('en-GB', { timeStyle: 'short' })}`
    : `on ${time.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}`;
}

function choose(select: HTMLSelectElement, value: string | undefined): boolean {
  if (value === undefined) return true;
  const option = [...select.options].find((each) => each.value === value);
  if (option) select.value = value;
  return option !== undefined;
}
