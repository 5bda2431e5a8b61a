import type { Draft } from './drafts.ts';
import type { SavedAnswer } from './save-request.ts';
import type { Saved, Source } from './session-types.ts';
import type { Parts } from './settings.ts';

/** The editor's knowledge of its document's versions, compared with the user's text. */
export interface Versions {
  /** The version that the next save replaces. */
  saved: Saved;
  /** The newest version on the service that the editor knows. `saved` is older until they are merged. */
  latest: Saved;
  /** Whether the text was sent and refused before, so that its base is unknown. */
  isSent: boolean;
  /** Whether the document has never been saved. */
  isNew: boolean;
  /** Whether others' words came into the text since the last save: the user may not have read them. */
  hasOthers: boolean;
  /** Whether there is anything to save. */
  isDirty(): boolean;
  /** Returns whether the next save makes the document public. */
  publishes(): boolean;
  /** Returns the text that both versions started from; '' if unknown: every line conflicts. */
  base(): string;
  /**
   * Makes `latest` the version that the next save replaces. Fields that the user did not touch get
   * its values.
   */
  followLatest(): void;
  draft(): Draft;
  /** Returns the form of the next save. */
  form(): FormData;
}

export function createVersions(parts: Parts, source: Source, savedAtFirst: Saved): Versions {
  const { form, name, visibility, owner, settings } = parts;
  const versions: Versions = {
    saved: savedAtFirst,
    latest: savedAtFirst,
    isSent: settings.isSent === true,
    isNew: settings.documentId === undefined,
    hasOthers: false,

    isDirty() {
      const { saved, isSent, isNew } = versions;
      return (
        isSent ||
        source.get() !== saved.content ||
        name.value !== saved.name ||
        (!isNew && visibility !== null && visibility.value !== saved.visibility)
      );
    },

    publishes: () => visibility?.value === 'public' && versions.saved.visibility !== 'public',

    base: () => (versions.isSent ? '' : versions.saved.content),

    followLatest() {
      const { saved, latest } = versions;
      if (visibility && visibility.value === saved.visibility) {
        visibility.value = latest.visibility ?? visibility.value;
      }
      if (name.value === saved.name) name.value = latest.name;
      if (latest.content !== saved.content) versions.hasOthers = true;
      versions.saved = latest;
    },

    draft() {
      const { saved, isSent } = versions;
      return {
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
      };
    },

    form() {
      const { saved, isNew, hasOthers } = versions;
      const data = new FormData();
      data.append('content', source.get());
      data.append('name', name.value);
      data.append('fromName', saved.name);
      data.append('fromVisibility', saved.visibility ?? '');
      data.append('etag', saved.etag);
      data.append('account', settings.accountId);
      if (hasOthers) data.append('merged', 'on');
      // A new document gets its field with the first save.
      const about = form.elements.namedItem('document') as HTMLInputElement | null;
      if (about) data.append('document', about.value);
      if (visibility) data.append('visibility', visibility.value);
      else if (isNew) data.append('visibility', 'private');
      if (owner) data.append('owner', owner.value);
      return data;
    },
  };
  return versions;
}

/** Returns the version in the service's response, without its text. */
export function versionOf(
  answer: Omit<SavedAnswer, 'id' | 'owner' | 'path' | 'readPath'>,
): Omit<Saved, 'content'> {
  const { etag, name, visibility, savedBy, savedAt } = answer;
  return { etag, name, visibility, by: savedBy, at: savedAt };
}
