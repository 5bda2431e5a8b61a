import type { Generated } from 'kysely';

/** The people who can open a document besides its owner, and invitations. */
export interface SharingTables {
  collaborator: CollaboratorTable;
  invitation: InvitationTable;
  document_link: DocumentLinkTable;
}

interface CollaboratorTable {
  id: string;
  documentId: string;
  accountId: string;
  permission: 'read' | 'write' | 'admin';
  addedAt: string;
}

/**
 * An invitation of an account or an email address to a document or an organization. A row exists
 * only while it is pending, so the unique constraints allow one at a time.
 */
interface InvitationTable {
  id: string;
  /** One of the two. */
  documentId: string | null;
  organizationId: string | null;
  /** The permission on the document, or the role in the organization. */
  level: 'read' | 'write' | 'admin' | 'member';
  /** The invited account; `null` for an address. */
  recipientId: string | null;
  /** The invited address; `null` for an account, like the next two. */
  email: string | null;
  /** The address in the form used for comparisons. */
  emailKey: string | null;
  /** SHA-256 of the token in the link. */
  tokenHash: string | null;
  /** The sealed token of a link that the inviter passes on; `null` if the link was mailed. */
  sealedToken: string | null;
  invitedBy: string | null;
  /** Whether they gave the level in the web app. */
  byPerson: Generated<0 | 1>;
  createdAt: string;
  expiresAt: string;
}

/** A secret link, which opens a document for anyone who has it. */
interface DocumentLinkTable {
  id: string;
  documentId: string;
  /** SHA-256 of the secret in the link's address, in hexadecimal. */
  secretHash: string;
  /** The sealed secret; `null` for a link that was made before secrets were kept. */
  sealedSecret: string | null;
  /** Argon2id of the password that the link asks for; `null` if it asks for none. */
  passwordHash: string | null;
  access: 'read' | 'comment';
  /** What the link is for, as its creator wrote it. May be empty. */
  note: string;
  createdBy: string | null;
  createdAt: string;
  /** `null` if it never expires. */
  expiresAt: string | null;
}
