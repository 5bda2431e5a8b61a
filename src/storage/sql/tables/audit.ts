import type { Means } from '../../../base/schema/means.ts';

/** The audit trail. */
export interface AuditTables {
  audit_entry: AuditEntryTable;
}

/** Something that somebody did which concerns security. Refers to nothing, to outlive it. */
interface AuditEntryTable {
  id: string;
  at: string;
  action: string;
  /** Who did it; `null` for the service itself, an operator's command, or someone unknown. */
  actor_id: string | null;
  /** The username at the time. */
  actor_name: string | null;
  means: Means | 'command' | 'service';
  /** The name of the token or application, or of the operator's account on the machine. */
  means_name: string | null;
  /** The IP address that the request came from. */
  address: string | null;
  /** The browser or program, as in “Firefox on Linux”. */
  device: string | null;
  /** Whose account it concerns. */
  account_id: string | null;
  /** Whose document, token or membership it concerns: a user or an organization. */
  owner_id: string | null;
  document_id: string | null;
  /** The name of what it was done to, at the time: `ada/plan`, a username, a token's name. */
  subject: string | null;
  /** JSON. */
  detail: string | null;
}
