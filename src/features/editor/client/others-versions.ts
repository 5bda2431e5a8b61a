import { asInTextArea } from '../../../base/text/text-area.ts';
import { showToast } from '../../../surfaces/web/client/app/toast.ts';
import { showAddress } from './become-existing.ts';
import { whoSaved } from './conflict.ts';
import type { CurrentVersion } from './newer.ts';
import type { SavedAnswer } from './save-request.ts';
import { makeButton, removeNotice, showNotice } from './save-state.ts';
import type { Reconcile } from './session-types.ts';
import { versionOf } from './versions.ts';
import type { Writing } from './writing.ts';

/** How many times a save is merged with others' versions and retried before the user compares. */
const MAX_ADOPTIONS = 10;

/** Merges others' versions into the text. The user decides about lines that both changed. */
export interface OthersVersions {
  /** Call when a save was refused because someone saved a newer version. */
  resolve(current: SavedAnswer & { content: string }, adoptions: number): Promise<void>;
  /**
   * Merges a newer version into the user's text, or offers to compare.
   *
   * @param isTold whether to say that someone saved it
   */
  takeNewer(current: CurrentVersion, isTold?: boolean): void;
  /**
   * Shows both versions. Until they are merged, saves are still based on the older version.
   *
   * @param follow called before the merged text is saved
   */
  oppose(follow: () => void): void;
}

export function createOthersVersions(writing: Writing, reconcile: Reconcile): OthersVersions {
  const { parts, source, versions, show, fault, keepDraft, changed, save, showDirty } = writing;
  const { form, notices } = parts;

  const mergedWithLatest = () => source.merged(versions.base(), versions.latest.content);

  function takeMerged(text: string, isTold = true): void {
    const hadOwn = versions.isDirty();
    versions.followLatest();
    removeNotice(notices, 'newer');
    if (text === source.get()) return;
    source.take(text);
    if (!isTold) return;
    const merged = hadOwn ? ' The changes are merged with yours.' : '';
    showToast(`${whoSaved(versions.latest)}.${merged}`);
  }

  /** Doesn't make others' words public with the user's before the user has seen them. */
  function askToRead(): void {
    showDirty();
    void keepDraft();
    fault('Others have changed this text, and it would become public. Read it, then save.');
  }

  function oppose(follow: () => void): void {
    show('conflict');
    void keepDraft();
    const put = (merged: string) => {
      if (merged !== source.get()) source.set(merged);
    };
    const compare = () =>
      reconcile(
        { base: versions.base(), latest: versions.latest, mine: source.get },
        {
          save(merged) {
            follow();
            put(merged);
            if (versions.publishes()) askToRead();
            else void save();
          },
          // The next comparison starts from the text merged so far.
          close: put,
        },
      );
    fault(`${whoSaved(versions.latest)}. Your text is safe here. Compare, then save.`, [
      makeButton('Compare', compare),
    ]);
    compare();
  }

  return {
    async resolve(current, adoptions) {
      removeNotice(notices, 'newer');
      versions.latest = { ...versionOf(current), content: asInTextArea(current.content) };
      const { text, conflicts } = mergedWithLatest();
      if (conflicts.length > 0 || adoptions >= MAX_ADOPTIONS) {
        oppose(versions.followLatest);
        return;
      }
      const isUnread = versions.publishes() && text !== source.get();
      takeMerged(text);
      if (isUnread) askToRead();
      else await save(adoptions + 1);
    },

    takeNewer(current, isTold = true) {
      showAddress(form, current);
      versions.latest = { ...versionOf(current), content: current.content };
      const { text, conflicts } = mergedWithLatest();
      if (conflicts.length === 0) {
        takeMerged(text, isTold);
        void keepDraft();
        changed();
        return;
      }
      const compare = makeButton('Compare', () => {
        removeNotice(notices, 'newer');
        oppose(versions.followLatest);
      });
      showNotice(notices, {
        id: 'newer',
        text: `${whoSaved(versions.latest)}, with changes where you are writing. Your text is safe here.`,
        actions: [compare],
      });
    },

    oppose,
  };
}
