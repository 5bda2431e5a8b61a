import type { Kind } from '../../document/kind.ts';

/**
 * The tables, as the query builder sees them. Ids are UUIDv7 text, timestamps ISO 8601 text in UTC
 * with milliseconds (text compares in time's order), flags 0 or 1: the same on every database.
 */
export interface Tables {
  owner: OwnerTable;
  released_namespace: ReleasedNamespaceTable;
  account: AccountTable;
  access_token: AccessTokenTable;
  session: SessionTable;
  upstream_identity: UpstreamIdentityTable;
  organization: OrganizationTable;
  membership: MembershipTable;
  organization_invitation: OrganizationInvitationTable;
  document: DocumentTable;
  document_block: DocumentBlockTable;
  collaborator: CollaboratorTable;
  document_invitation: DocumentInvitationTable;
  revision: RevisionTable;
  revision_text: RevisionTextTable;
  seen: SeenTable;
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

/** Whoever has a namespace: the one set of names that users and organizations share. */
interface OwnerTable {
  id: string;
  type: 'user' | 'organization';
  namespace: string;
}

/** The namespace of a deleted user or organization, which stays reserved for a while. */
interface ReleasedNamespaceTable {
  namespace: string;
  released_at: string;
}

/** A user; the username is the owner's namespace. */
interface AccountTable {
  id: string;
  type: 'user';
  email: string;
  /** The address as it is compared: lowercased. */
  email_key: string;
  disabled_at: string | null;
  created_at: string;
  /** Argon2id in PHC string format; `null` where nobody has set a password. */
  password_hash: string | null;
}

interface AccessTokenTable {
  id: string;
  account_id: string;
  name: string;
  /** SHA-256 of the token in hexadecimal; the token itself is nowhere. */
  token_hash: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  /** Separated by spaces; `null`: all there are. */
  scopes: string | null;
}

/** Somebody signed in on the web host, in one browser. */
interface SessionTable {
  id: string;
  account_id: string;
  /** SHA-256 of the cookie's value in hexadecimal. */
  token_hash: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  /** What the browser calls itself, cut short. */
  user_agent: string;
}

/** Whom an upstream OpenID provider knows a user as. */
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
  created_by: string | null;
  created_at: string;
  updated_at: string;
}

interface MembershipTable {
  id: string;
  organization_id: string;
  account_id: string;
  role: 'admin' | 'member';
  joined_at: string;
}

/** A row lives while the invitation is pending, so that the unique index is the rule. */
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
  /** Counts the writes; entity tags carry it. */
  version: number;
  size_bytes: number;
  created_by: string | null;
  updated_by: string | null;
  created_at: string;
  updated_at: string;
  /** What a page calls itself, where it does. */
  title: string | null;
  /** Where the blob store has a page's HTML. */
  storage_path: string | null;
  /** A brief's Markdown. Last, so that reading a list need not walk over it. */
  content: string | null;
}

/**
 * How many documents of one kind and visibility a block has. A block is a range of ids of one
 * owner's documents: from `first_id`, itself included, to the next block's. Every id has one: the
 * oldest block's `first_id` is ''.
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

/** A row lives while the invitation is pending, so that the unique index is the rule. */
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
 * A write of a document, which made this version of it. A deleted document in the trash keeps its
 * revisions, so there is no foreign key.
 */
interface RevisionTable {
  document_id: string;
  /** 1 for the write that created the document. */
  version: number;
  /** Who wrote; `null` if the account is gone. */
  account_id: string | null;
  /** By what means; `null` if written before this was recorded. */
  via: 'web' | 'token' | 'application' | null;
  /** What the token or the application was called then. */
  via_name: string | null;
  /** Of `content`, `name` and `visibility`, separated by spaces. */
  changed: string;
  /** What the writer said about it. */
  message: string | null;
  /** The version that the writer started from, if they said so. */
  base_version: number | null;
  /** Whether somebody else's changes since then were merged in. */
  merged: 0 | 1;
  /** The version whose text this one brought back. */
  restored_from: number | null;
  /** Whether the text is kept, and readable at its own address. */
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
  /** The text, in bytes of UTF-8. */
  size_bytes: number;
  /** What it takes in the database or the blob store. */
  stored_bytes: number;
  /** The blob that has it, if the row does not. */
  storage_path: string | null;
  body: Uint8Array | null;
}

/**
 * A document whose words are to be indexed, anew or for the first time, or are to be forgotten, since it is
 * deleted.
 */
interface SearchPendingTable {
  document_id: string;
  /** Another with each change. */
  stamp: string;
  /** Until when some process is at it, or was; '' while nobody is. */
  claimed_until: string;
}

/** Which version of a document somebody saw last in the web app. */
interface SeenTable {
  document_id: string;
  account_id: string;
  version: number;
}

/** A document's web page as it is sent, made once per version and revision of the code. */
interface RenditionTable {
  document_id: string;
  /** Identifies the code and the settings that made it. */
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

/** A key that signs addresses of pages. The newest signs; older ones still verify. */
interface SigningKeyTable {
  id: string;
  /** 32 random bytes in base64. */
  secret: string;
  created_at: string;
}

/** An application that registered itself. One that has a metadata document has no row. */
interface OAuthClientTable {
  id: string;
  /** SHA-256 in hexadecimal; `null` where the client has no secret. */
  secret_hash: string | null;
  /** JSON, as registered (RFC 7591, section 2), without the secret. */
  metadata: string;
  created_at: string;
  /** When somebody last let it in. */
  last_authorized_at: string | null;
}

/** Somebody let an application in. What it holds refers here, and ends with the row. */
interface OAuthGrantTable {
  id: string;
  account_id: string;
  client_id: string;
  /** What the application called itself, and where it took the person back, at the time. */
  client_name: string;
  client_host: string;
  /** Addresses of ours, separated by spaces, as the application wrote them. */
  resources: string;
  /** Separated by spaces. */
  scopes: string;
  /** Asked for, and not given. Separated by spaces. */
  refused_scopes: string;
  created_at: string;
  expires_at: string;
  last_used_at: string | null;
}

interface OAuthTokenTable {
  /** SHA-256 in hexadecimal; the code or token itself is nowhere. */
  token_hash: string;
  kind: 'code' | 'access' | 'refresh';
  grant_id: string;
  /** Separated by spaces. */
  scopes: string;
  /** Which addresses of ours an access token is for, separated by spaces. */
  audience: string | null;
  /** JSON: the rest of what the authorization server knows of it. */
  payload: string;
  created_at: string;
  expires_at: string;
  consumed_at: string | null;
}

/** A step on the way to a grant: a request that waits for its person, a decision on its way back. */
interface OAuthFlowTable {
  /** SHA-256 in hexadecimal. */
  id_hash: string;
  kind: 'interaction' | 'decision';
  account_id: string | null;
  /** JSON. */
  payload: string;
  expires_at: string;
}

/** Keys of the authorization server. Of each purpose the newest generation is used first. */
interface OAuthKeyTable {
  purpose: 'signing' | 'cookie';
  generation: number;
  /** A private JWK (RFC 7517) as JSON, or 32 random bytes in base64. */
  secret: string;
  created_at: string;
}
