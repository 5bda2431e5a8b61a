/** The people who can open a document besides its owner, and invitations. */
export interface SharingTables {
  collaborator: CollaboratorTable;
  document_invitation: DocumentInvitationTable;
  email_invitation: EmailInvitationTable;
  document_link: DocumentLinkTable;
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
 * An invitation that was mailed to an address. A row exists only while it is pending, so the unique
 * indexes allow one at a time.
 */
interface EmailInvitationTable {
  id: string;
  /** SHA-256 of the token in the mailed link. */
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

/** A secret link, which opens a document for anyone who has it. */
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
