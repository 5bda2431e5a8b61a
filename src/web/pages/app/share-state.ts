import type { Permission, Visibility } from '../../../document/access.ts';
import type { Kind } from '../../../document/kind.ts';
import type { Faults } from '../../form.ts';
import type { OwnerInWords } from './access-labels.ts';
import type { Listed } from './pager.tsx';

/** Somebody who may do something with a document by name. */
export interface Collaborator {
  username: string;
  permission: Permission;
}

/** An invitation that waits for an answer. */
export interface PendingInvitation {
  id: string;
  targetUsername: string;
  permission: Permission;
  /** ISO 8601. */
  expiresAt: string;
  isExpired: boolean;
}

/** Who may do what with a document, for whoever may read it. */
export interface SharePage {
  document: { kind: Kind; ownerNamespace: string; name: string; visibility: Visibility };
  owner: OwnerInWords;
  /** Where whoever may read the document finds it. */
  link: string;
  /** The username of whoever looks. */
  viewer: string;
  mayShare: boolean;
  collaborators: Listed<Collaborator>;
  /** Only for those who may share. */
  invitations: Listed<PendingInvitation>;
  /** What was sent to invite somebody, and what is wrong with it. */
  invite: { username: string; permission: string; faults: Faults };
}
