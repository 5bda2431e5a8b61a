import type { Visibility } from '../../base/schema/visibility.ts';
import type { Permission } from '../../core/document/access-rules.ts';
import type { DocumentAccess, ShownLink } from '../../core/document/shown-link-service.ts';
import type { HiddenThreads } from '../../core/review/opening-service.ts';
import type { CommentSetting } from '../../core/review/review-access.ts';
import type { Titled } from '../../surfaces/web/addresses.ts';
import type { Faults } from '../../surfaces/web/form.ts';
import type { OwnerInWords } from '../../surfaces/web/pages/access-labels.ts';
import type { Listed } from '../../surfaces/web/pages/pager.tsx';

/** A user with access to a document by name. */
export interface Collaborator {
  username: string;
  permission: Permission;
}

export interface PendingInvitation {
  id: string;
  recipientUsername: string;
  level: Permission;
  expiresAt: string;
  isExpired: boolean;
}

export interface InvitedAddress {
  id: string;
  /** The link to pass on; `null` if it was mailed. */
  url: string | null;
  email: string;
  level: Permission;
  expiresAt: string;
  isExpired: boolean;
}

/** Who can access a document, as its readers see it. */
export interface SharePage {
  /** The display names of the people listed, by username. */
  names: ReadonlyMap<string, string>;
  document: Titled & { id: string; visibility: Visibility };
  /** The revision that the viewer has seen. */
  shown: number;
  /** Whether it needs an approval before it becomes public. */
  isProtected: boolean;
  owner: OwnerInWords;
  /** Whether the owner's policies let it become public. */
  mayPublish: boolean;
  /** Whether the viewer can make secret links to it. */
  mayLink: boolean;
  /** Who can see it, and the address to pass on. */
  access: DocumentAccess;
  /** The viewer's username. */
  viewer: string;
  mayShare: boolean;
  /** Who can comment; only if the viewer can change it. */
  comments: CommentSetting | undefined;
  collaborators: Listed<Collaborator>;
  /** Empty unless the viewer can share the document. */
  invitations: Listed<PendingInvitation>;
  /** Invitations of addresses; empty unless the viewer can share the document. */
  addresses: readonly InvitedAddress[];
  /** The active secret links; only if the viewer can share the document. */
  links: readonly ShownLink[] | undefined;
  /** The threads that readers don't see, if there are any and the viewer can change that. */
  hiddenThreads: HiddenThreads | undefined;
  /** The values and errors of the form that invites someone. */
  invite: { username: string; permission: string; faults: Faults };
}
