import type { Generated } from 'kysely';
import type { PictureType } from '../../account/profile.ts';
import type { EventType } from '../../document/feed/event.ts';
import type { Kind } from '../../document/kind.ts';
import type { MailKind, Topic } from '../../mail/mail.ts';
import type { AnchorState } from '../../text/anchor.ts';

/**
 * The tables, for the query builder. On every database, ids are UUIDv7 text, times are ISO 8601
 * text in UTC with milliseconds (so they sort as text), and flags are 0 or 1.
 */
export interface Tables {
  owner: OwnerTable;
  released_namespace: ReleasedNamespaceTable;
  account: AccountTable;
  access_token: AccessTokenTable;
  session: SessionTable;
  upstream_identity: UpstreamIdentityTable;
  organization: OrganizationTable;
  profile: ProfileTable;
  membership: MembershipTable;
  organization_invitation: OrganizationInvitationTable;
  document: DocumentTable;
  document_alias: DocumentAliasTable;
  document_block: DocumentBlockTable;
  document_label: DocumentLabelTable;
  pinned_document: PinnedDocumentTable;
  collaborator: CollaboratorTable;
  document_invitation: DocumentInvitationTable;
  email_invitation: EmailInvitationTable;
  document_link: DocumentLinkTable;
  upload_ticket: UploadTicketTable;
  trashed_document: TrashedDocumentTable;
  trashed_collaborator: CollaboratorTable;
  revision: RevisionTable;
  revision_text: RevisionTextTable;
  seen: SeenTable;
  editing: EditingTable;
  event: EventTable;
  feed: FeedTable;
  inbox: InboxTable;
  watch: WatchTable;
  review_setting: ReviewSettingTable;
  thread: ThreadTable;
  proposal: ProposalTable;
  comment: CommentTable;
  review_request: ReviewRequestTable;
  review: ReviewTable;
  mail: MailTable;
  unsubscribed_address: UnsubscribedAddressTable;
  mail_preference: MailPreferenceTable;
  webhook: WebhookTable;
  webhook_delivery: WebhookDeliveryTable;
  rendition: RenditionTable;
  search_pending: SearchPendingTable;
  file: FileTable;
  signing_key: SigningKeyTable;
  oauth_client: OAuthClientTable;
  oauth_grant: OAuthGrantTable;
  oauth_token: OAuthTokenTable;
  oauth_flow: OAuthFlowTable;
  oauth_key: OAuthKeyTable;
}

/** A user or an organization. Both share one set of namespaces. */
interface OwnerTable {
  id: string;
  type: 'user' | 'organization';
  namespace: string;
}

/** The namespace of a deleted user or organization, reserved for NAMESPACE_RESERVATION. */
interface ReleasedNamespaceTable {
  namespace: string;
  released_at: string;
}

/** A user; the username is the owner's namespace. */
interface AccountTable {
  id: string;
  type: 'user';
  email: string;
  /** The email in lowercase, for comparison. */
  email_key: string;
  /** When someone with access to the mailbox confirmed the address. */
  email_verified_at: string | null;
  disabled_at: string | null;
  created_at: string;
  /** Argon2id in PHC string format; `null` if there is no password. */
  password_hash: string | null;
}

interface AccessTokenTable {
  id: string;
  account_id: string;
  name: string;
  /** SHA-256 of the token in hexadecimal. The token itself is not stored. */
  token_hash: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  /** Separated by spaces; `null` means all. */
  scopes: string | null;
}

/** A user's sign-in on the web host, in one browser. */
interface SessionTable {
  id: string;
  account_id: string;
  /** SHA-256 of the cookie's value in hexadecimal. */
  token_hash: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  /** The User-Agent header, truncated. */
  user_agent: string;
}

/** A user's identity at an upstream OpenID provider. */
interface UpstreamIdentityTable {
  id: string;
  account_id: string;
  issuer: string;
  subject: string;
  created_at: string;
}

interface OrganizationTable {
  id: string;
  type: 'organization';
  name: string;
  members_can_create: 0 | 1;
  default_brief_permission: 'none' | 'read' | 'write';
  /** Whether its documents need an approval before they become public. */
  protected: Generated<0 | 1>;
  created_by: string | null;
  created_at: string;
  updated_at: string;
}

/** What a user or an organization says about itself, to anyone. */
interface ProfileTable {
  owner_id: string;
  /** Only of users: organizations have a name. */
  display_name: string | null;
  summary: string | null;
  picture_type: PictureType | null;
  /** SHA-256 in hexadecimal. */
  picture_hash: string | null;
  picture_bytes: Generated<number>;
  picture: Uint8Array | null;
}

interface MembershipTable {
  id: string;
  organization_id: string;
  account_id: string;
  role: 'admin' | 'member';
  joined_at: string;
}

/** A row exists only while the invitation is pending, so the unique index allows one at a time. */
interface OrganizationInvitationTable {
  id: string;
  organization_id: string;
  target_id: string;
  role: 'admin' | 'member';
  invited_by: string | null;
  created_at: string;
  expires_at: string;
}

interface DocumentTable {
  id: string;
  kind: Kind;
  owner_id: string;
  owner_type: 'user' | 'organization';
  name: string;
  visibility: 'public' | 'private' | 'internal';
  /** Counts writes. Part of the ETag. */
  version: number;
  size_bytes: number;
  created_by: string | null;
  updated_by: string | null;
  created_at: string;
  updated_at: string;
  /** A page's `<title>` or a brief's first heading, if there is one. */
  title: string | null;
  /** The blob key of a page's HTML. */
  storage_path: string | null;
  /** A brief's Markdown. The last column, so SQLite can read lists without skipping over it. */
  content: string | null;
}

/**
 * The number of documents of one kind and visibility in a block. A block is a range of ids of one
 * owner's documents, from `first_id` (inclusive) to the next block's. The oldest block has
 * `first_id` '', so every id is in a block.
 */
interface DocumentBlockTable {
  owner_id: string;
  first_id: string;
  kind: Kind;
  visibility: 'public' | 'private' | 'internal';
  documents: number;
}

interface CollaboratorTable {
  id: string;
  document_id: string;
  account_id: string;
  permission: 'read' | 'write' | 'admin';
  added_at: string;
}

/** A row exists only while the invitation is pending, so the unique index allows one at a time. */
interface DocumentInvitationTable {
  id: string;
  document_id: string;
  target_id: string;
  permission: 'read' | 'write' | 'admin';
  invited_by: string | null;
  created_at: string;
  expires_at: string;
}

/**
 * An invitation that was mailed to an address. A row exists only while it is pending, so the unique indexes
 * allow one at a time.
 */
interface EmailInvitationTable {
  id: string;
  /** SHA-256 of what the link in the mail has in it. */
  token_hash: string;
  email: string;
  /** The address in lower case. */
  email_key: string;
  /** The document or the organization, and the permission or the role there. */
  document_id: string | null;
  permission: 'read' | 'write' | 'admin' | null;
  organization_id: string | null;
  role: 'admin' | 'member' | null;
  invited_by: string | null;
  created_at: string;
  expires_at: string;
}

/** A deleted document, which can be restored for a while. */
interface TrashedDocumentTable extends DocumentTable {
  /** Who deleted it; `null` if the account is gone. */
  deleted_by: string | null;
  deleted_at: string;
}

/**
 * A write of a document, which created this version. There is no foreign key, because a document in
 * the trash keeps its revisions.
 */
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
  /** The version whose text this one restored. */
  restored_from: number | null;
  /** Whether the text is never removed, and readable at its own address. */
  pinned: 0 | 1;
  at: string;
  /** SHA-256 of the `Idempotency-Key` that the request had, and of the request. */
  request_key: string | null;
  request_hash: string | null;
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
   * `raw`: as it was saved, until it is packed. `zst`: compressed whole. `zst+dict`: compressed with
   * the text of `dict_version` as the dictionary. `gone`: erased, or removed to save space.
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

/** A document to add to the search index, to update there, or to remove because it was deleted. */
interface SearchPendingTable {
  document_id: string;
  /** A new random value with each change. */
  stamp: string;
  /** When the claim of a process ends or ended; '' if unclaimed. */
  claimed_until: string;
}

/** The version of a document that a user last saw in the web app. */
interface SeenTable {
  document_id: string;
  account_id: string;
  version: number;
}

/** A document that is open in the editor of one browser. */
interface EditingTable {
  document_id: string;
  session_id: string;
  at: string;
}

/** Something that happened to a document. Written in the transaction of what happened. */
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
  thread_id: string | null;
  /** The account that it was done to: who was asked for a review, say. */
  target_id: string | null;
  /** The ids of the accounts that a comment mentions, separated by spaces. */
  mentions: string | null;
  at: string;
  /** Its number in the feed, in the order of commits; `null` until it is placed. */
  position: number | null;
}

/** Its only row says how far the feed is. Missing until the first event. */
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
}

/** A mail that waits to be sent. A digest stays: it is due again a day later. */
interface MailTable {
  id: string;
  /** `null` for mails to an address. */
  account_id: string | null;
  kind: MailKind;
  /** Of mails about events. */
  document_id: string | null;
  /** The event's position; of a digest, that of the last event that it reported. */
  position: number | null;
  /** The invitation to a document, an organization or an address, by the mail's kind. */
  invitation_id: string | null;
  /** Of an invitation to an address: what its link has in it, sealed until the mail is sent. */
  sealed_token: string | null;
  created_at: string;
  due_at: string;
  /** When the claim of the process that sends it ends. */
  claimed_until: string | null;
  /** Failed attempts. */
  attempts: number;
}

/** An address that wants no invitations. */
interface UnsubscribedAddressTable {
  /** SHA-256, so that the list contains no addresses. */
  address_hash: string;
  created_at: string;
}

/** Whether a user wants mails about a topic. A row exists only if the user chose. */
interface MailPreferenceTable {
  account_id: string;
  topic: Topic;
  is_on: 0 | 1;
}

/** An address that an owner's events are posted to. */
interface WebhookTable {
  id: string;
  owner_id: string;
  /** Who created it; `null` if the account is gone. */
  account_id: string | null;
  url: string;
  /** The event types it wants, separated by spaces. */
  types: string;
  /** `whsec_` and base64, as its owner sees it. */
  secret: string;
  /** The previous secret, which also signs until `previous_until`. */
  previous_secret: string | null;
  previous_until: string | null;
  /** When the first attempt failed after the last success. */
  failing_since: string | null;
  disabled_at: string | null;
  disabled_because: 'request' | 'gone' | 'failing' | null;
  created_at: string;
}

/** An event on its way to a webhook. */
interface WebhookDeliveryTable {
  /** Sent as `webhook-id`, the same at every attempt. */
  id: string;
  webhook_id: string;
  /** `null` for a test. */
  event_id: string | null;
  status: 'pending' | 'delivered' | 'failed';
  /** How many attempts have ended. */
  attempt: number;
  /** When to send it next; while it is being sent, when the sender's claim expires. */
  next_at: string | null;
  /** The HTTP status of the last response. */
  code: number | null;
  /** Why the last attempt failed. */
  fault: 'address' | 'connection' | 'timeout' | 'status' | 'disabled' | null;
  created_at: string;
  attempted_at: string | null;
}

/** A former name of a document, until another document takes it. */
interface DocumentAliasTable {
  owner_id: string;
  kind: Kind;
  name: string;
  /** May be in the trash. */
  document_id: string;
  /** The document's when it gave this name up. */
  visibility: 'public' | 'private' | 'internal';
}

/** A label of a document, also of one in the trash. */
interface DocumentLabelTable {
  document_id: string;
  /** The label in lower case. */
  key: string;
  /** The document's owner. */
  owner_id: string;
  label: string;
}

/** A document, also one in the trash, that stands first in its owner's lists. */
interface PinnedDocumentTable {
  document_id: string;
  owner_id: string;
  pinned_at: string;
}

/** A secret link, which opens a document for whoever has it. */
interface DocumentLinkTable {
  id: string;
  document_id: string;
  /** SHA-256 of the secret in the link's address, in hexadecimal. */
  secret_hash: string;
  access: 'read' | 'comment';
  /** What the link is for, as its creator wrote it. May be empty. */
  note: string;
  created_by: string | null;
  created_at: string;
  /** `null` if it never expires. */
  expires_at: string | null;
}

/** A ticket to upload one document or file, until it is used. */
interface UploadTicketTable {
  id: string;
  /** SHA-256 of the secret in the ticket's address, in hexadecimal. */
  secret_hash: string;
  account_id: string;
  /** The token or the grant that it was given to; the other is `null`. */
  token_id: string | null;
  grant_id: string | null;
  /** The document whose text it replaces, if it is to replace one. */
  document_id: string | null;
  /** What becomes of the upload, as JSON. */
  task: string;
  expires_at: string;
}

/** How much of a document's events a user wants to know. */
interface WatchTable {
  document_id: string;
  account_id: string;
  level: 'all' | 'mentions' | 'none';
}

/**
 * Who can comment on a document, and whether it is protected. A row exists only if that differs
 * from the default.
 */
interface ReviewSettingTable {
  document_id: string;
  /** `insiders`: owner, collaborators, members who can read. `readers`: everyone signed in who can read. */
  comments: 'insiders' | 'readers' | 'off';
  /** Whether it needs an approval before it becomes public. */
  protected: 0 | 1;
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
  /** `unverified`: only a script of the page shows the passage, so its place is 0 and isn't carried. */
  at_state: AnchorState | 'unverified' | null;
  /** The position to show in that version. */
  shown_start: number | null;
  shown_end: number | null;
  shown_state: AnchorState | 'unverified' | null;
  replacement: string | null;
  account_id: string | null;
  via: 'web' | 'token' | 'application' | null;
  via_name: string | null;
  assignee_id: string | null;
  created_at: string;
  updated_at: string;
  closed_by: string | null;
  closed_version: number | null;
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

/** A document's rendered web page, cached per version and per revision of the code. */
interface RenditionTable {
  document_id: string;
  /** Identifies the code and the settings that rendered it. */
  revision: string;
  version: number;
  created_at: string;
  html: Uint8Array;
}

/** An uploaded file; its bytes are in the blob store. */
interface FileTable {
  id: string;
  account_id: string;
  /** The unguessable part of its web address. */
  address: string;
  name: string;
  content_type: string;
  size_bytes: number;
  storage_path: string;
  created_at: string;
}

/** A key that signs page addresses. The newest signs; older ones still verify. */
interface SigningKeyTable {
  id: string;
  /** 32 random bytes in base64. */
  secret: string;
  created_at: string;
}

/** An application that registered itself. Those with a metadata document have no row. */
interface OAuthClientTable {
  id: string;
  /** SHA-256 in hexadecimal; `null` for a client without a secret. */
  secret_hash: string | null;
  /** JSON, as registered (RFC 7591, section 2), without the secret. */
  metadata: string;
  created_at: string;
  /** When a user last granted it access. */
  last_authorized_at: string | null;
}

/** A user's consent to an application. Its tokens refer here and are deleted with the row. */
interface OAuthGrantTable {
  id: string;
  account_id: string;
  client_id: string;
  /** The application's name and redirect host at the time of consent. */
  client_name: string;
  client_host: string;
  /** Our resource addresses as the application requested them, separated by spaces. */
  resources: string;
  /** Separated by spaces. */
  scopes: string;
  /** Requested but not granted. Separated by spaces. */
  refused_scopes: string;
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
}

interface OAuthTokenTable {
  /** SHA-256 in hexadecimal. The code or token itself is not stored. */
  token_hash: string;
  kind: 'code' | 'access' | 'refresh';
  grant_id: string;
  /** Separated by spaces. */
  scopes: string;
  /** The resource addresses that an access token is for, separated by spaces. */
  audience: string | null;
  /** The authorization server's other fields, as JSON. */
  payload: string;
  created_at: string;
  expires_at: string;
  consumed_at: string | null;
}

/** A step towards a grant: a request that waits for the user, or the user's decision. */
interface OAuthFlowTable {
  /** SHA-256 in hexadecimal. */
  id_hash: string;
  kind: 'interaction' | 'decision';
  account_id: string | null;
  /** JSON. */
  payload: string;
  expires_at: string;
}

/** Keys of the authorization server. The newest generation of each purpose is used first. */
interface OAuthKeyTable {
  purpose: 'signing' | 'cookie';
  generation: number;
  /** A private JWK (RFC 7517) as JSON, or 32 random bytes in base64. */
  secret: string;
  created_at: string;
}
