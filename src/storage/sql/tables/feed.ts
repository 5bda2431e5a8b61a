import type { EventType } from '../../../base/schema/event.ts';

/** Events of documents, and the users whom they concern. */
export interface FeedTables {
  event: EventTable;
  feed: FeedTable;
  inbox: InboxTable;
  watch: WatchTable;
}

/** Something that happened to a document. Written in the transaction that does it. */
interface EventTable {
  id: string;
  documentId: string;
  ownerId: string;
  type: EventType;
  /** Who did it; `null` if the account is gone. */
  accountId: string | null;
  via: 'web' | 'token' | 'application' | null;
  viaName: string | null;
  /** The document's version that it is about. */
  version: number | null;
  /** The first version of the sitting in the editor that `version` ends. */
  firstVersion: number | null;
  threadId: string | null;
  /** The account that it was done to, such as a requested reviewer. */
  targetId: string | null;
  /** The ids of the accounts that a comment mentions, separated by spaces. */
  mentions: string | null;
  at: string;
  /** Its number in the feed, in the order of commits; `null` until it is placed. */
  position: number | null;
}

/** The state of the feed, in its only row. Missing until the first event. */
interface FeedTable {
  id: 1;
  /** The position of the newest placed event. */
  position: number;
  /** Events up to this position are removed. */
  removedUntil: number;
}

/** An event that concerns a user. */
interface InboxTable {
  accountId: string;
  /** The event's. */
  position: number;
  reason: 'mention' | 'review' | 'watching' | 'own';
  readAt: string | null;
  /** Until when it is put off; also in the past. */
  laterUntil: string | null;
}

/** Which events of a document a user wants in the inbox. */
interface WatchTable {
  documentId: string;
  accountId: string;
  level: 'all' | 'mentions' | 'none';
}
