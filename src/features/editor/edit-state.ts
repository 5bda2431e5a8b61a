import type { Kind } from '../../base/schema/kind.ts';
import type { SeenBy, Visibility } from '../../base/schema/visibility.ts';
import type { ReviewState } from '../../core/review/review.ts';
import type { Titled } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { Template } from '../templates/template-service.ts';

/** What else one can do with the document in the editor. */
export interface EditActs {
  /** `undefined` if the writer can't see reviews. */
  state: ReviewState | undefined;
  /** What “Copy link” copies, and whom that works for. */
  link: string;
  linkHint: string;
}

/** The data of the editor's form. */
export interface EditPage {
  kind: Kind;
  /** The current document; undefined for a new one. */
  document:
    | (Titled & {
        id: string;
        version: number;
        ownerType: 'user' | 'organization';
        updatedAt: string;
      })
    | undefined;
  /** The possible owners of a new document, the user first. */
  owners: readonly {
    namespace: string;
    name: string;
    /** The suggested visibility for a new document of this owner. */
    visibility: Visibility;
    /** Whether its documents can become public. */
    publicDocuments: boolean;
  }[];
  /** The templates for a new brief. */
  templates?: readonly Template[];
  /** Whether the user can change who reads the document, make it public, and suggest changes to it. */
  rights: { visibility: boolean; publish?: boolean; suggest?: boolean };
  /** Who can see the document; undefined for a new one. */
  seenBy?: SeenBy;
  fields: { content: string; name: string; visibility: string; owner: string };
  /** The values when the editor was opened. A save changes only what differs from them. */
  from: { name: string; visibility: string };
  /** Whether the fields were submitted but not saved, or come from a template. */
  isSent: boolean;
  /** The etag of the state that a save replaces; '' for a new document. */
  etag: string;
  faults: Faults;
  /** “You” or the name of the last writer, to begin a sentence with. */
  savedBy?: string | undefined;
  /** The version that another writer saved in the meantime. */
  theirs?: { content: string };
  /** Absent for a new document. */
  acts?: EditActs;
  /** The address of the saved page in its sandbox. */
  saved?: string;
  /** The address that previews unsaved HTML. */
  previewUrl: string;
  /**
   * Set if the text will be proposed instead of saved: the base revision, the reason, and why it can't be
   * saved, if it can't.
   */
  proposal?: {
    baseRevision: string;
    message: string;
    because?: 'protected' | 'reader' | undefined;
  };
  /** The account whose drafts can be shown. */
  accountId: string;
  /** Allows the editor's styles in the content security policy. */
  nonce: string;
}
