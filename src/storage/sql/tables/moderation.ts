/** Reports of public documents, and invitations to sign up. */
export interface ModerationTables {
  document_report: DocumentReportTable;
  sign_up_invitation: SignUpInvitationTable;
}

/** What somebody says is wrong with a document. */
interface DocumentReportTable {
  id: string;
  /** May be deleted or taken down since. */
  document_id: string;
  kind: 'spam' | 'abuse' | 'illegal' | 'copyright' | 'personal_data' | 'other';
  words: string;
  /** `null` for somebody who wasn't signed in, and if the account is gone. */
  reporter_id: string | null;
  /** Where somebody without an account wants to be answered. */
  email: string | null;
  /** Tells one reporter from another; no address of a network can be read from it. */
  reporter_key: string;
  created_at: string;
  /** When administrators were mailed about it; `null` if they weren't. */
  mailed_at: string | null;
  /** `null` while it is open. */
  closed_at: string | null;
  outcome: 'taken_down' | 'dismissed' | 'closed' | null;
}

/** A link with which people can sign up. */
interface SignUpInvitationTable {
  id: string;
  /** SHA-256 of the link's token. */
  token_hash: string;
  /** The sealed token of a link that administrators pass on; `null` for a mailed one. */
  sealed_token: string | null;
  /** The only address that can sign up with it; `null` for any. */
  email: string | null;
  note: string;
  /** How many accounts can be created with it, and how many were. */
  uses: number;
  used: number;
  /** `null` for an operator's command. */
  created_by: string | null;
  created_at: string;
  expires_at: string;
}
