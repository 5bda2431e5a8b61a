/** Reports of public documents, and invitations to sign up. */
export interface ModerationTables {
  document_report: DocumentReportTable;
  sign_up_invitation: SignUpInvitationTable;
}

/** What somebody says is wrong with a document. */
interface DocumentReportTable {
  id: string;
  /** May be deleted or taken down since. */
  documentId: string;
  kind: 'spam' | 'abuse' | 'illegal' | 'copyright' | 'personal_data' | 'other';
  words: string;
  /** `null` for somebody who wasn't signed in, and if the account is gone. */
  reporterId: string | null;
  /** Where somebody without an account wants to be answered. */
  email: string | null;
  /** Tells one reporter from another; no address of a network can be read from it. */
  reporterKey: string;
  createdAt: string;
  /** When administrators were mailed about it; `null` if they weren't. */
  mailedAt: string | null;
  /** `null` while it is open. */
  closedAt: string | null;
  outcome: 'taken_down' | 'dismissed' | 'closed' | null;
}

/** A link with which an address can sign up, once. */
interface SignUpInvitationTable {
  id: string;
  /** SHA-256 of the link's token. */
  tokenHash: string;
  /** The sealed token of a link that administrators pass on; `null` for a mailed one. */
  sealedToken: string | null;
  /** The only address that can sign up with it. */
  email: string;
  /** `null` for an operator's command. */
  createdBy: string | null;
  createdAt: string;
  expiresAt: string;
}
