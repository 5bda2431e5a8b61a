import type { Draft, DraftSlot } from './drafts.ts';
import { makeButton, removeNotice, showNotice } from './save-state.ts';
import type { Saved } from './session-types.ts';
import type { Parts } from './settings.ts';

/** Returns a select's initial value, before any choice or restored draft. */
export function atFirstOf(select: HTMLSelectElement | null): string | undefined {
  const { options } = select ?? {};
  return [...(options ?? [])].find((each) => each.defaultSelected)?.value ?? options?.[0]?.value;
}

/** Tells whether a draft has unsaved changes. */
export function isAhead(draft: Draft, saved: Saved, isNew: boolean): boolean {
  const { name, visibility, content, base, unsent, asked } = draft;
  return (
    asked !== undefined ||
    (content !== base && (unsent !== undefined || content !== saved.content)) ||
    (name !== draft.baseName && name !== saved.name) ||
    (!isNew && visibility !== draft.baseVisibility && visibility !== saved.visibility)
  );
}

/**
 * Restores the fields that the draft had changed. The others keep their saved values.
 *
 * @param isForced whether to overwrite fields that were changed since the page opened
 * @returns a sentence about what could not be restored, or ''
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
    // A new document must never become more public than intended.
    if (!isChosen && settings.documentId === undefined) choose(visibility, 'private');
  }
  if (isOwnerKept) return '';
  return ` You can no longer create documents in ${draft.owner}, so the owner is now ${owner.value}.`;
}

/** Offers to replace the newly typed text with a draft. Keeps the draft until the user decides. */
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
    text: `You also have a draft from ${dayOf(found)}.`,
    actions: [
      makeButton('Restore', () => void restore(found).then(done)),
      makeButton('Discard', () => void done()),
    ],
  });
}

/** Formats when a draft was written. */
export function dayOf({ at }: Draft): string {
  return new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
}

function choose(select: HTMLSelectElement, value: string | undefined): boolean {
  if (value === undefined) return true;
  const option = [...select.options].find((each) => each.value === value);
  if (option) select.value = value;
  return option !== undefined;
}
