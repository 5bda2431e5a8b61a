import type { ColumnType } from 'kysely';
import type { Kind } from '../../../base/schema/kind.ts';
import type { Means } from '../../../base/schema/means.ts';

/** Documents, with their names, labels, pins, renditions and search updates. */
export interface DocumentTables {
  document: View<DocumentTable>;
  stored_document: StoredDocumentTable;
  withdrawn_document: WithdrawnDocumentTable;
  document_alias: DocumentAliasTable;
  protected_address: ProtectedAddressTable;
  document_label: DocumentLabelTable;
  pinned_document: PinnedDocumentTable;
  rendition: RenditionTable;
  search_pending: SearchPendingTable;
  document_reference: DocumentReferenceTable;
  presence: PresenceTable;
  signing_key: SigningKeyTable;
}

/** A table that only queries can name. */
type View<Row> = { [Column in keyof Row]: ColumnType<Row[Column], never, never> };

/** The documents that are neither deleted nor taken down, a view of `stored_document`. */
interface DocumentTable {
  id: string;
  kind: Kind;
  ownerId: string;
  ownerType: 'user' | 'organization';
  name: string;
  visibility: 'public' | 'private' | 'internal';
  /** Counts writes. Part of the ETag. */
  version: number;
  sizeBytes: number;
  createdBy: string | null;
  updatedBy: string | null;
  createdAt: string;
  updatedAt: string;
  /** A page's `<title>` or a brief's first heading, if there is one. */
  title: string | null;
  /** The blob key of a page's HTML. */
  storagePath: string | null;
  /** When an administrator of the instance took it down; `null` in the view. */
  takenDownAt: string | null;
  /** Why; `null` if it isn't taken down. */
  takenDownReason: string | null;
  /** A brief's Markdown. The last column, so SQLite can read lists without skipping over it. */
  content: string | null;
}

/**
 * All documents. Deleted ones can be restored for a while; only the trash may show them. Those that are
 * taken down are there only for those who manage them, and keep their names.
 */
interface StoredDocumentTable extends DocumentTable {
  /** Who deleted it; `null` also if the account is gone. */
  deletedBy: string | null;
  /** `null` if it isn't deleted. */
  deletedAt: string | null;
}

/** A document of a disabled account that is private as long as the account is disabled. */
interface WithdrawnDocumentTable {
  documentId: string;
  /** The visibility that it has again afterwards. */
  visibility: 'public' | 'internal';
}

/** A former name of a document, until another document takes it. */
interface DocumentAliasTable {
  ownerId: string;
  kind: Kind;
  name: string;
  /** May be deleted. */
  documentId: string;
  /** The document's visibility when it gave this name up. */
  visibility: 'public' | 'private' | 'internal';
}

/**
 * An address at which a protected document was public, once for each such document. Any document that
 * comes to this address is protected, too.
 */
interface ProtectedAddressTable {
  ownerId: string;
  kind: Kind;
  name: string;
  /** The document that was public there. */
  documentId: string;
  /** Whether its writers couldn't approve their words alone. */
  twoPeople: 0 | 1;
}

/** A label of a document, which can be in the trash. */
interface DocumentLabelTable {
  documentId: string;
  /** The label in lower case. */
  key: string;
  /** The document's owner. */
  ownerId: string;
  label: string;
  /** Copies of the document's columns, so that lists can be ordered by an index. */
  kind: Kind | null;
  /** `null` if the document is in the trash. */
  visibility: 'public' | 'private' | 'internal' | null;
  updatedAt: string | null;
  /** Its title, or its name if it has none, in lower case. */
  titleKey: string | null;
}

/** A document that is pinned to the top of its owner's lists. It can be in the trash. */
interface PinnedDocumentTable {
  documentId: string;
  ownerId: string;
  pinnedAt: string;
}

/** A document's rendered web page. The latest one by each revision of the code is stored. */
interface RenditionTable {
  documentId: string;
  /** Identifies the code and the settings that rendered it. */
  revision: string;
  version: number;
  createdAt: string;
  html: Uint8Array;
}

/** A document to add to the search index, update or remove there. */
interface SearchPendingTable {
  documentId: string;
  /** A new random value with each change. */
  stamp: string;
  /** When the claim of a process ends or ended; '' if unclaimed. */
  claimedUntil: string;
}

/** A link from a document to another, which may not exist. Written when the text is indexed. */
interface DocumentReferenceTable {
  documentId: string;
  /** The owner, kind and name of the other document. */
  ownerId: string;
  kind: Kind;
  name: string;
}

/** Who is at a document now. Rows count for a minute, and nothing depends on them. */
interface PresenceTable {
  documentId: string;
  /** The connection of a page, or the credential of a program. */
  key: string;
  accountId: string;
  sessionId: string | null;
  via: Means;
  viaName: string | null;
  doing: 'waits' | 'reads' | 'comments' | 'edits';
  line: number | null;
  at: string;
}

/** A key that signs page addresses. The newest signs; older ones still verify. */
interface SigningKeyTable {
  id: string;
  /** 32 random bytes in base64. */
  secret: string;
  createdAt: string;
}
