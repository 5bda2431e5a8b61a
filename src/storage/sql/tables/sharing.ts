import type { Generated } from 'kysely';

/** The people who can open a document besides its owner, and invitations. */
export interface SharingTables {
  collaborator: CollaboratorTable;
  invitation: InvitationTable;
  document_link: DocumentLinkTable;
}

interface CollaboratorTable {
  id: string;
  document_id: string;
  account_id: string;
  permission: 'read' | 'write' | 'admin';
  added_at: string;
}

/**
 * An invitation of an account or an email address to a document or an organization. A row exists
 * only while it is pending, so the unique constraints allow one at a time.
 */
interface InvitationTable {
  id: string;
  /** One of the two. */
  document_id: string | null;
  organization_id: string | null;
  /** The permission on the document, or the role in the organization. */
  level: 'read' | 'write' | 'admin' | 'member';
  /** The invited account; `null` for an address. */
  recipient_id: string | null;
  /** The invited address; `null` for an account, like the next two. */
  email: string | null;
  /** The address in the form used for comparisons. */
  email_key: string | null;
  /** SHA-256 of the token in the link. */
  token_hash: string | null;
  /** The sealed token of a link that the inviter passes on; `null` if the link was mailed. */
  sealed_token: string | null;
  invited_by: string | null;
  /** Whether they gave the level in the web app. */
  by_person: Generated<0 | 1>;
  created_at: string;
  expires_at: string;
}

/** A secret link, which opens a document for anyone who has it. */
interface DocumentLinkTable {
  id: string;
  document_id: string;
  /** SHA-256 of the secret in the link's address, in hexadecimal. */
  secret_hash: string;
  /** The sealed secret; `null` for a link that was made before secrets were kept. */
  sealed_secret: string | null;
  /** Argon2id of the password that the link asks for; `null` if it asks for none. */
  password_hash: string | null;
  access: 'read' | 'comment';
  /** What the link is for, as its creator wrote it. May be empty. */
  note: string;
  created_by: string | null;
  created_at: string;
  /** `null` if it never expires. */
  expires_at: string | null;
}
