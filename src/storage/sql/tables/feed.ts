import type { EventType } from '../../../base/schema/event.ts';

/** Events of documents, and the users whom they concern. */
export interface FeedTables {
  event: EventTable;
  feed: FeedTable;
  inbox: InboxTable;
  watch: WatchTable;
  mcp_subscription: McpSubscriptionTable;
}

/** Something that happened to a document. Written in the transaction that does it. */
interface EventTable {
  id: string;
  document_id: string;
  owner_id: string;
  type: EventType;
  /** Who did it; `null` if the account is gone. */
  account_id: string | null;
  via: 'web' | 'token' | 'application' | null;
  via_name: string | null;
  /** The document's version that it is about. */
  version: number | null;
  /** The first version of the sitting in the editor that `version` ends. */
  first_version: number | null;
  thread_id: string | null;
  /** The account that it was done to, such as a requested reviewer. */
  target_id: string | null;
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
  removed_until: number;
}

/** An event that concerns a user. */
interface InboxTable {
  account_id: string;
  /** The event's. */
  position: number;
  reason: 'mention' | 'review' | 'watching' | 'own';
  read_at: string | null;
  /** Until when it is put off; also in the past. */
  later_until: string | null;
}

/** A document that a host has subscribed to, in a session of an MCP version before 2026-07-28. */
interface McpSubscriptionTable {
  account_id: string;
  session_id: string;
  /** The document's resource URI. */
  uri: string;
  /** The position of the feed when the host subscribed. */
  position: number;
  expires_at: string;
}

/** Which events of a document a user wants in the inbox. */
interface WatchTable {
  document_id: string;
  account_id: string;
  level: 'all' | 'mentions' | 'none';
}
