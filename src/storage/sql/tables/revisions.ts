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
  document_id: string;
  /** 1 for the write that created the document. */
  version: number;
  /** Who wrote; `null` if the account is gone. */
  account_id: string | null;
  /** `null` if written before this was recorded. */
  via: 'web' | 'token' | 'application' | null;
  /** The token's or application's name at that time. */
  via_name: string | null;
  /** Some of `content`, `name` and `visibility`, separated by spaces. */
  changed: string;
  /** The writer's description of the change. */
  message: string | null;
  /** The version that the writer edited, if the request named it. */
  base_version: number | null;
  /** Whether others' changes since `base_version` were merged in. */
  merged: 0 | 1;
  /** The lines in which the writer and others changed words, separated by spaces. */
  word_lines: string | null;
  /** The version whose text this one restored. */
  restored_from: number | null;
  /** Whether the text is never removed, and readable at its own address. */
  pinned: 0 | 1;
  /** Whose approvals stay valid, because they have seen in the web app all that it changes. */
  seen_by: string | null;
  /** What the revisions of one sitting in the editor have in common; `null` for other writes. */
  sitting_id: string | null;
  at: string;
}

/** Someone who wrote a revision beside the account that it has. */
interface CoWriterTable {
  document_id: string;
  version: number;
  account_id: string;
}

/** A part of a revision's text that someone else than its author wrote. */
interface WrittenSpanTable {
  document_id: string;
  version: number;
  /** Where it starts and how long it is, in UTF-16 code units; every line break counts as one. */
  start: number;
  length: number;
  /** `null` if the account is gone. */
  account_id: string | null;
  via: 'web' | 'token' | 'application' | null;
  via_name: string | null;
}

/** Who wrote each part of a version's text, computed from the versions before it. */
interface AuthorshipTable {
  document_id: string;
  version: number;
  /** JSON: pairs of a length in UTF-16 code units and an origin (`features/authorship/authorship-store.ts`). */
  spans: string;
}

/**
 * A text that a later write replaced. The text of version v is the row with the smallest
 * `last_version` that is at least v; if there is none, the document has it.
 */
interface RevisionTextTable {
  document_id: string;
  /** The last version that had this text. */
  last_version: number;
  /**
   * `raw`: as it was saved, until it is packed. `zst`: compressed whole. `zst+dict`: compressed
   * with the text of `dict_version` as the dictionary. `gone`: erased, or removed to save space.
   */
  coding: 'raw' | 'zst' | 'zst+dict' | 'gone';
  /** The `last_version` of the row that is the dictionary; that row is coded `zst`. */
  dict_version: number | null;
  /** The length of the text in bytes of UTF-8. */
  size_bytes: number;
  /** Its stored size in bytes, in the database or the blob store. */
  stored_bytes: number;
  /** The blob key, if the text is not in `body`. */
  storage_path: string | null;
  body: Uint8Array | null;
}

/** The version of a document that a user last saw in the web app. */
interface SeenTable {
  document_id: string;
  account_id: string;
  version: number;
}
