import type { MailKind, Topic } from '../../../base/schema/mail.ts';

/** The mail queue, and the topics that users want mailed. */
export interface MailTables {
  mail: MailTable;
  unsubscribed_address: UnsubscribedAddressTable;
  mail_preference: MailPreferenceTable;
}

/** A mail that waits to be sent. A digest stays: it is due again a day later. */
interface MailTable {
  id: string;
  /** `null` for mails to an address, and for those about the security of an account. */
  accountId: string | null;
  kind: MailKind;
  /** Only for mails about events. */
  documentId: string | null;
  /** The event's position; for a digest, the position of the last event that it reported. */
  position: number | null;
  /** The invitation to a document, an organization or an address, by the mail's kind. */
  invitationId: string | null;
  /** For an invitation to an address, the sealed token of its link. */
  sealedToken: string | null;
  /** For a mail about the security of an account, a `SecurityNotice` as JSON. */
  notice: string | null;
  createdAt: string;
  dueAt: string;
  /** When the claim of the process that sends it ends. */
  claimedUntil: string | null;
  /** Failed attempts. */
  attempts: number;
  /** Why the last attempt failed. */
  fault: string | null;
}

/** An address that has unsubscribed from invitations. */
interface UnsubscribedAddressTable {
  /** SHA-256, so that the list contains no addresses. */
  addressHash: string;
  createdAt: string;
}

/** Whether a user wants mails about a topic. A row exists only if the user chose. */
interface MailPreferenceTable {
  accountId: string;
  topic: Topic;
  isOn: 0 | 1;
}
