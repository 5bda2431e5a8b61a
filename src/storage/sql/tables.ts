import type { Kind } from '../../document/kind.ts';

/**
 * The tables, as the query builder sees them. Ids are UUIDv7 text, timestamps ISO 8601 text in UTC
 * with milliseconds (text compares in time's order), flags 0 or 1: the same on every database.
 */
export interface Tables {
  owner: OwnerTable;
  account: AccountTable;
  access_token: AccessTokenTable;
  organization: OrganizationTable;
  membership: MembershipTable;
  organization_invitation: OrganizationInvitationTable;
  document: DocumentTable;
  collaborator: CollaboratorTable;
  document_invitation: DocumentInvitationTable;
  rendition: RenditionTable;
  file: FileTable;
  signing_key: SigningKeyTable;
}

/** Whoever has a namespace: the one set of names that users and organizations share. */
interface OwnerTable {
  id: string;
  type: 'user' | 'organization';
  namespace: string;
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

/** A document's web page as it is sent, made once per version and revision of the code. */
interface RenditionTable {
  document_id: string;
  version: number;
  /** Identifies the code and the settings that made it. */
  revision: string;
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
