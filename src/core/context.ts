import type { RateLimiter } from '../base/limits/rate-limit.ts';
import type { MarkdownRenderer } from '../base/markdown/renderer.ts';
import type { NameLookups } from '../base/net/name-lookups.ts';
import type { Via } from '../base/schema/means.ts';
import type { FormerAddress } from '../base/text/former-address.ts';
import type { TextThreads } from '../base/text/text-threads.ts';
import type { BlobStore } from '../storage/blob/blob.ts';
import type { Reach } from '../storage/sql/narrowed.ts';
import type { Sql } from '../storage/sql/sql.ts';
import type { SearchThreads } from '../storage/word-index/search-threads.ts';
import type { ReleaseCheck } from './config/newest-release.ts';
import type { DocumentAction } from './document/access-rules.ts';
import type { FeedWaiters } from './event/feed-waiters.ts';
import type { BreachCheck } from './identity/breached-passwords.ts';
import type { Scope } from './identity/scope.ts';
import type { CarryQueue } from './outbox/carry-queue.ts';
import type { ClosedOwner } from './owner/program-rule.ts';
import type { Presence } from './presence.ts';
import type { Limit, Quotas } from './quota/quota.ts';
import type { ReviewAction } from './review/review-access.ts';

/** How people can sign in. */
export interface SignInRules {
  /** Whether passwords are accepted. `off` leaves the upstream provider and passkeys. */
  passwords: 'on' | 'off';
  /** Whether everybody needs a second factor to use the web app. */
  secondFactor: 'optional' | 'required';
}

/** Who can create an account, and what an account can do before its address is verified. */
export interface SignUpRules {
  /**
   * `open`: anyone. `domains`: anyone with an address of {@link domains}. `invited` and `closed`: only
   * who was invited; the screens say whom to ask.
   */
  mode: 'open' | 'closed' | 'invited' | 'domains';
  domains: readonly string[];
  blockedDomains: readonly string[];
  /** Whether publishing, inviting and commenting need a verified address. */
  needVerification: boolean;
}

/** Everything that services need. `createApp` or a command creates one. */
export interface Context {
  sql: Sql;
  blobs: BlobStore;
  markdown: MarkdownRenderer;
  /** Merges, compares and edits texts. */
  texts: TextThreads;
  searchThreads: SearchThreads;
  /** Returns the time, as ISO 8601 in UTC with milliseconds. */
  now(): string;
  /** Returns a new UUIDv7, greater than every one before it in this process. */
  newId(): string;
  /** `{web_url}`, for the web addresses of documents. */
  webUrl: string;
  /** `{base_url}`, the API's address, which tokens of applications are for. */
  baseUrl: string;
  /** `{render_url}`, for the raw addresses of pages and files. */
  renderUrl: string;
  /** Addresses that the service had, which texts can still name. */
  formerAddresses: readonly FormerAddress[];
  invitationLifetimeMs: number;
  /** How long personal access tokens work at most; `undefined` for as long as they say. */
  tokenLifetimeMs: number | undefined;
  /** How long the namespace of a deleted or renamed owner stays reserved. */
  namespaceReservedMs: number;
  /** How many bytes of old texts, as stored, a document can have. Then the oldest are deleted. */
  revisionBytesPerDocument: number;
  /** How long a deleted document can be restored; 0 for not at all. */
  trashMs: number;
  /** What each owner may have, unless it has limits of its own. */
  quotas: Quotas;
  /** Called when a limit of an owner refuses something. */
  quotaRefused(limit: Limit): void;
  /** How long entries of the audit trail stay; `undefined` for as long as the instance. */
  auditRetentionMs: number | undefined;
  /** Whether webhooks can lead to private networks, and use http. */
  webhookPrivateAddresses: 'refuse' | 'allow';
  /** What HTML pages can load scripts, styles, fonts and images from: `https://cdn.example.com`. */
  pageSources: readonly string[];
  /** Looks up the hosts of addresses that users chose. */
  lookups: NameLookups;
  /** Counts requests and attempts, on all surfaces. */
  limiter: RateLimiter;
  /** Wakes the search indexer. Call it after a commit that changed what it indexes. */
  wakeIndexer(): void;
  /** Documents whose threads are being carried to the current text. */
  carryQueue: CarryQueue;
  feedWaiters: FeedWaiters;
  /** Who is at which document. */
  presence: Presence;
  /** Wakes the feed. Call it after a commit that wrote events. */
  wakeFeed(): void;
  signIn: SignInRules;
  /** Tells whether a password is known from a breach; always `false` without a server to ask. */
  isBreached: BreachCheck;
  /** The name of the instance, such as “Briefs”. */
  instanceName: string;
  /** Whether an SMTP server is set. Without one, no mail is queued or promised. */
  sendsMail: boolean;
  /** Who can create an account, and what needs a verified address. */
  signUps: SignUpRules;
  /** Whether anyone can report a public document. */
  takesReports: boolean;
  /**
   * Sends a test mail to an address at once, past the queue. Absent without a mailer.
   *
   * @returns what the mail server answered
   * @throws the server's or the network's error
   */
  sendTestMail?: (to: { name: string; address: string }) => Promise<string>;
  /**
   * Checks that the provider answers and accepts the settings. Absent without one.
   *
   * @returns what is wrong, if anything
   */
  testProvider?: () => Promise<string | undefined>;
  newestRelease: ReleaseCheck;
  /**
   * Returns where an account is signed out at the provider, and its name. Absent unless signing out
   * here is to sign out there; `undefined` if the provider can't.
   */
  signOutAtProvider?: (accountId: string) => Promise<{ url: string; name: string } | undefined>;
  /** Whether the first account of the instance administers it. */
  firstAccountIsAdmin: boolean;
  /** Wakes the sender of webhooks. Call it after a commit that queued deliveries. */
  wakeWebhooks(): void;
  /** Wakes indexer and feed. Call it after a commit that wrote a document. */
  documentChanged(): void;
  /** First path segments that the configuration uses on the web host. They can't be namespaces. */
  reservedSegments: readonly string[];
}

/** Who makes a request. */
export interface Actor {
  id: string;
  username: string;
  /** What the token or session may do. */
  scopes: readonly Scope[];
  /** Those that the user has refused to the application. */
  refusedScopes?: readonly Scope[];
  /** How the request was authenticated. */
  via: Via;
  /** The id of the token, or of the application's grant, which all its tokens share. */
  credentialId?: string;
  /** The organizations that shut the actor's program out (`contextFor`). Never of a session. */
  closedOwners?: readonly ClosedOwner[];
  /** What the actor's program is limited to (`contextFor`). Never of a session. */
  reach?: Reach | undefined;
  /** The secret link that the request came with, if any. It was valid when the request began. */
  linkId?: string;
  /**
   * The id of the document that the request's form was about, as it says; '' if it doesn't say. Only
   * for forms at a document's address, which may lead to another document by now.
   */
  documentId?: string;
  /** Called when a document was found that the actor can do `action` with. Only for programs. */
  found?(documentId: string, action: DocumentAction | ReviewAction): void;
}

/** What somebody does: the back ends, and who it is. Surfaces make one for each request. */
export interface Call extends Context {
  actor: Actor;
}

export function callOf(context: Context, actor: Actor): Call {
  return { ...context, actor };
}

/** Adds a span to a time. @returns ISO 8601 in UTC */
export function later(time: string, spanMs: number): string {
  return new Date(Date.parse(time) + spanMs).toISOString();
}
