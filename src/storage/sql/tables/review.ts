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
  document_id: string;
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
  two_people: Generated<0 | 1>;
  /** Readers who aren't insiders see threads and reviews from then on; `null` for all. */
  threads_since: string | null;
}

/**
 * A conversation about a passage of a document or about all of it. Positions count UTF-16 code
 * units of the stored text; all are `null` for the whole document.
 */
interface ThreadTable {
  id: string;
  document_id: string;
  /** `replacement` suggests another text for the passage, `proposal` one for the document. */
  kind: 'comment' | 'replacement' | 'proposal';
  state: 'open' | 'resolved' | 'accepted' | 'rejected';
  /** The version in whose text it was created. */
  made_version: number;
  made_start: number | null;
  made_end: number | null;
  /** The passage at that time, and the text around it. */
  quote: string | null;
  prefix: string | null;
  suffix: string | null;
  /** The element of a page that it is about, such as `div:2/p:1#id`. */
  element: string | null;
  /** The passage's current position, carried through every save up to this version. */
  at_version: number;
  at_start: number | null;
  at_end: number | null;
  /**
   * `unverified`: only a script of the page shows the passage, so its place is 0 and isn't carried.
   */
  at_state: AnchorState | 'unverified' | null;
  /**
   * A digest of what is around the passage of a suggestion; `null` until it has been read in that
   * version.
   */
  at_around: string | null;
  /** The position to show in that version. */
  shown_start: number | null;
  shown_end: number | null;
  shown_state: AnchorState | 'unverified' | null;
  replacement: string | null;
  /** The id of the first of the suggestions that were made together; `null` for one by itself. */
  set_id: string | null;
  /**
   * Who wrote and placed it in the web app, and has therefore seen it; `null` if a token, an
   * application or another person had a part in it.
   */
  seen_by: string | null;
  account_id: string | null;
  /** Who wrote the words of a suggestion that somebody else, `account_id`, moved. */
  words_by: string | null;
  via: 'web' | 'token' | 'application' | null;
  via_name: string | null;
  assignee_id: string | null;
  created_at: string;
  updated_at: string;
  closed_by: string | null;
  closed_version: number | null;
}

/** Someone whose words a proposal has beside its author's; `null` if the account is gone. */
interface ThreadWriterTable {
  thread_id: string;
  number: number;
  account_id: string | null;
}

/**
 * The text of a thread of kind `proposal`, compressed with zstd. There is no row if it was erased
 * or removed with age.
 */
interface ProposalTable {
  thread_id: string;
  /** The length of the text in bytes of UTF-8. */
  size_bytes: number;
  stored_bytes: number;
  storage_path: string | null;
  body: Uint8Array | null;
  /** How many lines it adds to its base text, and how many it removes. */
  added: number;
  removed: number;
}

interface CommentTable {
  id: string;
  thread_id: string;
  account_id: string | null;
  via: 'web' | 'token' | 'application' | null;
  via_name: string | null;
  /** Markdown. */
  body: string;
  created_at: string;
  edited_at: string | null;
}

/** Someone was asked to review a document. */
interface ReviewRequestTable {
  document_id: string;
  account_id: string;
  requested_by: string | null;
  /**
   * Who asked in the web app while they owned the document or administered its organization: only
   * then does an approval count for the protection.
   */
  appointed_by: string | null;
  /** The document's version at that time. */
  version: number;
  note: string | null;
  created_at: string;
}

/** A user's verdict on a version of a document. */
interface ReviewTable {
  id: string;
  document_id: string;
  account_id: string | null;
  version: number;
  verdict: 'approved' | 'changes_requested';
  body: string | null;
  via: 'web' | 'token' | 'application' | null;
  via_name: string | null;
  created_at: string;
}
