import type { Merged } from '../../../base/text/merge.ts';
import type { Draft } from './drafts.ts';

/** The text of the editor, in whichever view it is edited. */
export interface Source {
  get(): string;
  set(text: string): void;
  /** Sets a text with other users' changes, which undo does not revert. */
  take(text: string): void;
  /** Merges the text with the current version; both were edited from `base`. */
  merged(base: string, current: string): Merged;
  focus(): void;
}

/** A document that is open in the editor. */
export interface Session {
  /** Call when the text or a field has changed. */
  changed(): void;
  save(): Promise<void>;
  /** Whether there is anything to save. */
  isDirty(): boolean;
  /** Returns the latest version known to be on the service. */
  latest(): Pick<Saved, 'etag' | 'content'>;
  /** Call when the user has changed the document by other means, such as accepting a suggestion. */
  catchUp(): Promise<void>;
  /** Saves, then follows a link. If saving fails, asks the user what to do. */
  leave(link: HTMLAnchorElement): Promise<void>;
  /** Call when a draft has been put into the text and the fields. */
  restored(draft: Draft, remark: string): Promise<void>;
}

/** A version of the document that the service has. */
export interface Saved {
  content: string;
  name: string;
  visibility: string | undefined;
  etag: string;
  /** Who saved it, and when (ISO 8601), if known. */
  by?: string | undefined;
  at?: string | undefined;
}

/** Asks the user to decide about the lines that two versions both changed. */
export type Reconcile = (
  versions: { base: string; latest: Saved; mine: () => string },
  on: { save(merged: string): void; close(merged: string): void },
) => void;
