import type { Via } from './account/means.ts';
import type { Scope } from './account/scope.ts';
import type { RateLimiter } from './limits/rate-limit.ts';
import type { MarkdownRenderer } from './markdown/renderer.ts';
import type { FeedWaiters } from './runtime/feed-waiters.ts';
import type { SearchThreads } from './runtime/search-threads.ts';
import type { BlobStore } from './storage/blob/blob.ts';
import type { Sql } from './storage/sql/sql.ts';
import type { TextThreads } from './text/text-threads.ts';

/** What the services work with. Made once, by `createApp` or by a command. */
export interface Context {
  sql: Sql;
  blobs: BlobStore;
  markdown: MarkdownRenderer;
  /** Merges, compares and edits texts. */
  texts: TextThreads;
  searchThreads: SearchThreads;
  /** The time, as ISO 8601 in UTC with milliseconds. */
  now(): string;
  /** A new UUIDv7, later than every one before it in this process. */
  newId(): string;
  /** `{web_url}`, for the web addresses of documents. */
  webUrl: string;
  /** `{base_url}`, the API's address, which tokens of applications are for. */
  baseUrl: string;
  /** `{render_url}`, for the raw addresses of pages and files. */
  renderUrl: string;
  invitationLifetimeMs: number;
  /** How long the namespace of a deleted owner stays reserved; 0 for not at all. */
  namespaceReservedMs: number;
  /** Replaced texts of one document above this are removed, the oldest first. */
  revisionBytesPerDocument: number;
  /** How long a deleted document can be restored; 0 for not at all. */
  trashMs: number;
  /** Whether webhooks can lead to private networks, and use http. */
  webhookPrivateAddresses: 'refuse' | 'allow';
  /** Counts what an account may do only so often, on whichever surface. */
  limiter: RateLimiter;
  /** Told after a commit that there is something to index for searches. */
  wakeIndexer(): void;
  feedWaiters: FeedWaiters;
  /** Told after a commit that there are new events. */
  wakeFeed(): void;
  /** Whether an SMTP server is set. Without one, nothing is queued or promised. */
  sendsMail: boolean;
  /** Told after a commit that there is something to send to webhooks. */
  wakeWebhooks(): void;
  /** Told after a commit that wrote a document: wakes indexer and feed. */
  documentChanged(): void;
  /** First path segments that the configuration uses on the web host; no one can have them as namespace. */
  reservedSegments: readonly string[];
}

/** Who makes a request. */
export interface Actor {
  id: string;
  username: string;
  /** What may be done on the actor's behalf. */
  scopes: readonly Scope[];
  /** What the request is made with. */
  via: Via;
  /** The secret link with which the request was made, if any; it works at the request's time. */
  linkId?: string;
}

/** Whom a token speaks for. */
export interface Credential {
  actor: Actor;
  /** What the requests made with it are counted by. */
  tokenId: string;
}

/** `time` (ISO 8601) and a span after it. */
export function later(time: string, spanMs: number): string {
  return new Date(Date.parse(time) + spanMs).toISOString();
}
