import type { Generated } from 'kysely';

/** Documents that are being edited, with their numbered changes. */
export interface LiveTables {
  live_document: LiveDocumentTable;
  live_change: LiveChangeTable;
  live_client: LiveClientTable;
}

/** The list of changes of a document. Its text is that of `text_version`, then the changes after `text_number`. */
interface LiveDocumentTable {
  document_id: string;
  /** Differs from the numbers of an earlier list of this document. */
  list_id: string;
  /** The number of the last change; 0 if there is none. */
  last_number: number;
  /** The last change that is part of a revision, and that revision. */
  text_number: number;
  text_version: number;
  /** The last revision whose text is part of the list. */
  seen_version: number;
  /** The sitting that is going on; `null` if there is none. */
  sitting_id: string | null;
  /** Since when there are changes that no revision has; `null` if there are none. */
  unsaved_since: string | null;
  changed_at: string;
}

interface LiveChangeTable {
  document_id: string;
  /** Counts the changes of a list, from 1. */
  number: number;
  /** The open editor that it came from; '' for a revision that was written otherwise. */
  client_id: string;
  /** `null` if the account is gone. */
  account_id: string | null;
  via: 'web' | 'token' | 'application' | null;
  via_name: string | null;
  /** A change set of CodeMirror, as JSON. */
  changes: string;
  /** The revision that has the text after this change, if there is one. */
  version: number | null;
  /** 1 if it put a version of a passage in place of a newer one, else 0. */
  replaces: Generated<number>;
  at: string;
}

/** An open editor whose changes a document has taken, kept longer than the list of changes. */
interface LiveClientTable {
  document_id: string;
  client_id: string;
  account_id: string;
  /** How many of its changes the document has taken, in all lists. */
  taken: number;
  at: string;
}
