import type { Generated } from 'kysely';
import type { AnchorState } from '../../../base/text/anchor.ts';

/** Comments, proposals and reviews. */
export interface ReviewTables {
  review_setting: ReviewSettingTable;
  thread: ThreadTable;
  thread_writer: ThreadWriterTable;
  proposal: ProposalTable;
  comment: CommentTable;
  review_request: ReviewRequestTable;
  review: ReviewTable;
}

/**
 * Who can comment on a document, and whether it is protected. A row exists only if that differs
 * from the default.
 */
interface ReviewSettingTable {
  documentId: string;
  /**
   * `insiders`: owner, collaborators, members who can read. `readers`: everyone signed in who can
   * read.
   */
  comments: 'insiders' | 'readers' | 'off';
  /** Whether it needs an approval before it becomes public. */
  protected: Generated<0 | 1>;
  /**
   * Whether who wrote unapproved words can't approve them alone. In an organization, its own
   * setting decides instead.
   */
  twoPeople: Generated<0 | 1>;
  /** Readers who aren't insiders see threads and reviews from then on; `null` for all. */
  threadsSince: string | null;
}

/**
 * A conversation about a passage of a document or about all of it. Positions count UTF-16 code
 * units of the stored text; all are `null` for the whole document.
 */
interface ThreadTable {
  id: string;
  documentId: string;
  /** `replacement` suggests another text for the passage, `proposal` one for the document. */
  kind: 'comment' | 'replacement' | 'proposal';
  state: 'open' | 'resolved' | 'accepted' | 'rejected';
  /** The version in whose text it was created. */
  madeVersion: number;
  madeStart: number | null;
  madeEnd: number | null;
  /** The passage at that time, and the text around it. */
  quote: string | null;
  prefix: string | null;
  suffix: string | null;
  /** The element of a page that it is about, such as `div:2/p:1#id`. */
  element: string | null;
  /** The passage's current position, carried through every save up to this version. */
  atVersion: number;
  atStart: number | null;
  atEnd: number | null;
  /**
   * `unverified`: only a script of the page shows the passage, so its place is 0 and isn't carried.
   */
  atState: AnchorState | 'unverified' | null;
  /**
   * A digest of what is around the passage of a suggestion; `null` until it has been read in that
   * version.
   */
  atAround: string | null;
  /** The position to show in that version. */
  shownStart: number | null;
  shownEnd: number | null;
  shownState: AnchorState | 'unverified' | null;
  replacement: string | null;
  /** The id of the first of the suggestions that were made together; `null` for one by itself. */
  setId: string | null;
  /**
   * Who wrote and placed it in the web app, and has therefore seen it; `null` if a token, an
   * application or another person had a part in it.
   */
  seenBy: string | null;
  accountId: string | null;
  /** Who wrote the words of a suggestion that somebody else, `accountId`, moved. */
  wordsBy: string | null;
  via: 'web' | 'token' | 'application' | null;
  viaName: string | null;
  assigneeId: string | null;
  createdAt: string;
  updatedAt: string;
  closedBy: string | null;
  closedVersion: number | null;
}

/** Someone whose words a proposal has beside its author's; `null` if the account is gone. */
interface ThreadWriterTable {
  threadId: string;
  number: number;
  accountId: string | null;
}

/**
 * The text of a thread of kind `proposal`, compressed with zstd. There is no row if it was erased
 * or removed with age.
 */
interface ProposalTable {
  threadId: string;
  /** The length of the text in bytes of UTF-8. */
  sizeBytes: number;
  storedBytes: number;
  storagePath: string | null;
  body: Uint8Array | null;
  /** How many lines it adds to its base text, and how many it removes. */
  added: number;
  removed: number;
}

interface CommentTable {
  id: string;
  threadId: string;
  accountId: string | null;
  via: 'web' | 'token' | 'application' | null;
  viaName: string | null;
  /** Markdown. */
  body: string;
  createdAt: string;
  editedAt: string | null;
}

/** Someone was asked to review a document. */
interface ReviewRequestTable {
  documentId: string;
  accountId: string;
  requestedBy: string | null;
  /**
   * Who asked in the web app while they owned the document or administered its organization: only
   * then does an approval count for the protection.
   */
  appointedBy: string | null;
  /** The document's version at that time. */
  version: number;
  note: string | null;
  createdAt: string;
}

/** A user's verdict on a version of a document. */
interface ReviewTable {
  id: string;
  documentId: string;
  accountId: string | null;
  version: number;
  verdict: 'approved' | 'changes_requested';
  body: string | null;
  via: 'web' | 'token' | 'application' | null;
  viaName: string | null;
  createdAt: string;
}
