import type { Means } from '../../../base/schema/means.ts';

export interface AuditTables {
  audit_entry: AuditEntryTable;
}

/** Something that somebody did which concerns security. Refers to nothing, to outlive it. */
interface AuditEntryTable {
  id: string;
  at: string;
  action: string;
  /** Who did it; `null` for the service itself, an operator's command, or someone unknown. */
  actorId: string | null;
  /** The username at the time. */
  actorName: string | null;
  means: Means | 'command' | 'service';
  /** The name of the token or application, or of the operator's account on the machine. */
  meansName: string | null;
  /** The IP address that the request came from. */
  address: string | null;
  /** The browser or program, as in “Firefox on Linux”. */
  device: string | null;
  /** Whose account it concerns. */
  accountId: string | null;
  /** Whose document, token or membership it concerns: a user or an organization. */
  ownerId: string | null;
  documentId: string | null;
  /** The name of what it was done to, at the time: `ada/plan`, a username, a token's name. */
  subject: string | null;
  /** JSON. */
  detail: string | null;
}
