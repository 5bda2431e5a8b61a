import type { Draft } from './drafts.ts';
import type { Mode } from './suggesting.ts';

/** The text of the editor, in whichever view it is edited. */
export interface Source {
  get(): string;
  set(text: string): void;
  focus(): void;
}

/** A document that is open in the editor. */
export interface Session {
  /** Call when the text or a field has changed. */
  changed(): void;
  /** Call when the caret or the selection has moved. */
  moved(): void;
  save(): Promise<void>;
  /** Switches between editing and suggesting. Asks what to do with unsaved suggestions. */
  setMode(mode: Mode): Promise<void>;
  /** Saves, and notes what the user says about this version. */
  name(message: string): Promise<void>;
  /** Makes what was written a revision now, so that others can speak of it. */
  flush(): Promise<void>;
  /** Whether there is anything that the service doesn't have. */
  isDirty(): boolean;
  /** Returns the newest revision whose text the editor knows. */
  latest(): { etag: string; content: string };
  /** Call when the user has changed the document by other means, such as accepting a suggestion. */
  catchUp(etag: string): Promise<void>;
  /** Calls back when there is a new revision, comment or other news of the document. */
  onNews(tell: () => void): void;
  /** Saves, then follows a link. If saving fails, asks the user what to do. */
  leave(link: HTMLAnchorElement): Promise<void>;
  /** Call when a draft has been put into the text and the fields. */
  restored(draft: Draft, remark: string): void;
}

/** A version of the document that the service has. */
export interface Saved {
  content: string;
  name: string;
  visibility: string | undefined;
  etag: string;
}
