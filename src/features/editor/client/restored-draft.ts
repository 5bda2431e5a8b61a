import { whoSaved } from './conflict.ts';
import type { Draft } from './drafts.ts';
import type { OthersVersions } from './others-versions.ts';
import { atFirstOf, dayOf } from './restore.ts';
import { makeButton, removeNotice, showNotice } from './save-state.ts';
import type { Writing } from './writing.ts';

/**
 * Merges a draft that was put into the editor with the latest version, says so, and offers to
 * discard the draft.
 */
export async function takeRestored(
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
