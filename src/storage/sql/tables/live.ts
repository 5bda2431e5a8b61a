import type { Generated } from 'kysely';

/** Documents that are being edited, with their numbered changes. */
export interface LiveTables {
  live_document: LiveDocumentTable;
  live_change: LiveChangeTable;
  live_client: LiveClientTable;
}

/** The list of changes of a document. Its text is that of `textVersion`, then the changes after `textNumber`. */
interface LiveDocumentTable {
  documentId: string;
  /** Differs from the numbers of an earlier list of this document. */
  listId: string;
  /** The number of the last change; 0 if there is none. */
  lastNumber: number;
  /** The last change that is part of a revision, and that revision. */
  textNumber: number;
  textVersion: number;
  /** The last revision whose text is part of the list. */
  seenVersion: number;
  /** The sitting that is going on; `null` if there is none. */
  sittingId: string | null;
  /** Since when there are changes that no revision has; `null` if there are none. */
  unsavedSince: string | null;
  changedAt: string;
}

interface LiveChangeTable {
  documentId: string;
  /** Counts the changes of a list, from 1. */
  number: number;
  /** The open editor that it came from; '' for a revision that was written otherwise. */
  clientId: string;
  /** `null` if the account is gone. */
  accountId: string | null;
  via: 'web' | 'token' | 'application' | null;
  viaName: string | null;
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
  documentId: string;
  clientId: string;
  accountId: string;
  /** How many of its changes the document has taken, in all lists. */
  taken: number;
  at: string;
}
