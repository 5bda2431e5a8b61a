/** Every version of a document, the replaced texts, and which version a user last saw. */
export interface RevisionTables {
  revision: RevisionTable;
  co_writer: CoWriterTable;
  written_span: WrittenSpanTable;
  authorship: AuthorshipTable;
  revision_text: RevisionTextTable;
  seen: SeenTable;
}

/** A write of a document, which created this version. */
interface RevisionTable {
  documentId: string;
  /** 1 for the write that created the document. */
  version: number;
  /** Who wrote; `null` if the account is gone. */
  accountId: string | null;
  /** `null` if written before this was recorded. */
  via: 'web' | 'token' | 'application' | null;
  /** The token's or application's name at that time. */
  viaName: string | null;
  /** Some of `content`, `name` and `visibility`, separated by spaces. */
  changed: string;
  /** The writer's description of the change. */
  message: string | null;
  /** The version that the writer edited, if the request named it. */
  baseVersion: number | null;
  /** Whether others' changes since `baseVersion` were merged in. */
  merged: 0 | 1;
  /** The lines in which the writer and others changed words, separated by spaces. */
  wordLines: string | null;
  /** The version whose text this one restored. */
  restoredFrom: number | null;
  /** Whether the text is never removed, and readable at its own address. */
  pinned: 0 | 1;
  /** Whose approvals stay valid, because they have seen in the web app all that it changes. */
  seenBy: string | null;
  /** What the revisions of one sitting in the editor have in common; `null` for other writes. */
  sittingId: string | null;
  at: string;
}

/** Someone who wrote a revision beside the account that it has. */
interface CoWriterTable {
  documentId: string;
  version: number;
  accountId: string;
}

/** A part of a revision's text that someone else than its author wrote. */
interface WrittenSpanTable {
  documentId: string;
  version: number;
  /** Where it starts and how long it is, in UTF-16 code units; every line break counts as one. */
  start: number;
  length: number;
  /** `null` if the account is gone. */
  accountId: string | null;
  via: 'web' | 'token' | 'application' | null;
  viaName: string | null;
}

/** Who wrote each part of a version's text, computed from the versions before it. */
interface AuthorshipTable {
  documentId: string;
  version: number;
  /** JSON: pairs of a length in UTF-16 code units and an origin (`features/authorship/authorship-store.ts`). */
  spans: string;
}

/**
 * A text that a later write replaced. The text of version v is the row with the smallest
 * `lastVersion` that is at least v; if there is none, the document has it.
 */
interface RevisionTextTable {
  documentId: string;
  /** The last version that had this text. */
  lastVersion: number;
  /**
   * `raw`: as it was saved, until it is packed. `zst`: compressed whole. `zst+dict`: compressed
   * with the text of `dictVersion` as the dictionary. `gone`: erased, or removed to save space.
   */
  coding: 'raw' | 'zst' | 'zst+dict' | 'gone';
  /** The `lastVersion` of the row that is the dictionary; that row is coded `zst`. */
  dictVersion: number | null;
  /** The length of the text in bytes of UTF-8. */
  sizeBytes: number;
  /** Its stored size in bytes, in the database or the blob store. */
  storedBytes: number;
  /** The blob key, if the text is not in `body`. */
  storagePath: string | null;
  body: Uint8Array | null;
}

/** The version of a document that a user last saw in the web app. */
interface SeenTable {
  documentId: string;
  accountId: string;
  version: number;
}
