/** A mail whose text is ready when it is queued. No preference turns it off. */
export interface PlainNotice {
  /** Whom the mail is for; '' for somebody without an account. */
  username: string;
  address: string;
  subject: string;
  /** What happened, in paragraphs of one line each. */
  says: readonly string[];
  /** What somebody wrote, such as a reason. */
  quote?: string;
  link?: { label: string; path: string };
  /** Why the recipient gets it. */
  reason: string;
}
