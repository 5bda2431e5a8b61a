import type { Call, Context } from '../../core/context.ts';
import { allow, PERMISSIONS } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { LINK_LIMITS } from '../../core/document/link.ts';
import {
  accessOf,
  canCreateLink,
  type DocumentAccess,
} from '../../core/document/shown-link-service.ts';
import { getOrganization } from '../../core/owner/organization-service.ts';
import { mayPublish } from '../../core/owner/policy-service.ts';
import { findHiddenThreads } from '../../core/review/opening-service.ts';
import { getProtection } from '../../core/review/protection-service.ts';
import type { Flash } from '../../surfaces/web/flash.ts';
import { pageNumberOf } from '../../surfaces/web/form.ts';
import type { OwnerInWords } from '../../surfaces/web/pages/access-labels.ts';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import { hiddenInWords, showThreadsForm } from '../discussion/hidden-threads.tsx';
import { MAX_INVITED_ADDRESSES } from '../invitations/invitation-link.ts';
import { listInvitations } from '../invitations/invitation-service.ts';
import { isExpired } from '../invitations/invitation-state.ts';
import { listLinks } from '../links/link-service.ts';
import { displayNamesOf } from '../profiles/own-profile-service.ts';
import { getReviewSettings } from '../reviews/review-setting-service.ts';
import { revisionSeen } from '../revisions/changed-since.ts';
import { listDocumentCollaborators } from './collaborator-service.ts';
import type { SharePage } from './share-state.ts';

/** The parameters of the Share page's addresses. */
export interface ShareRoute {
  Params: { owner: string; name: string };
  Querystring: Omit<Shown, 'invite'>;
}

/** The result pages to show, and the values of the invite form. */
interface Shown {
  /** The revision that is on the screen behind the dialog. */
  revision?: unknown;
  document?: unknown;
  people?: unknown;
  invited?: unknown;
  /** The level of the invitation that was just sent, for the next one. */
  level?: unknown;
  invite?: SharePage['invite'] | undefined;
}

const ALL_ADDRESSES = { number: 1, size: MAX_INVITED_ADDRESSES };

const ALL_LINKS = { number: 1, size: LINK_LIMITS.links };

const NOTHING_SENT = { username: '', faults: {} };

/** Loads everything that the Share page shows. @throws DocumentMoved, NOT_FOUND */
export async function loadSharePage(
  call: Call,
  asked: DocumentRef,
  shown: Shown,
): Promise<SharePage> {
  const { actor } = call;
  const { document } = await requireDocument(call.sql.read, actor, asked, 'read');
  const ref = refOf(document);
  const mayShare = allow(actor, 'share', document);
  const people = { number: pageNumberOf(shown.people), size: LIST_SIZE };
  const invited = { number: pageNumberOf(shown.invited), size: LIST_SIZE };
  const [owner, collaborators, invitations, addresses, settings, links, hidden] = await Promise.all(
    [
      ownerInWords(call, document),
      listDocumentCollaborators(call, ref, people),
      mayShare ? listInvitations(call, ref, 'users', invited) : { items: [], total: 0 },
      mayShare ? listInvitations(call, ref, 'addresses', ALL_ADDRESSES) : { items: [] },
      mayShare ? getReviewSettings(call, ref) : undefined,
      mayShare ? listLinks(call, ref, ALL_LINKS) : undefined,
      mayShare ? findHiddenThreads(call, document) : undefined,
    ],
  );
  const now = call.now();
  const { isOwn, isInherited } = await getProtection(call, document);
  const shownPeople = [
    ...collaborators.items.map(({ username }) => username),
    ...invitations.items.map(({ recipientUsername }) => recipientUsername),
    document.ownerNamespace,
  ];
  return {
    document,
    names: await displayNamesOf(call, shownPeople),
    owner,
    mayPublish: await mayPublish(call.sql.read, document.ownerId, 'public'),
    mayLink: await canCreateLink(call.sql.read, actor, document),
    access: (await accessOf(call, [document])).get(document.id) as DocumentAccess,
    viewer: actor.username,
    shown: (await revisionSeen(call, document, shown)) || document.version,
    isProtected: isOwn || isInherited,
    mayShare,
    comments: settings?.comments,
    links: links?.items,
    hiddenThreads: hidden,
    collaborators: { ...collaborators, page: people.number },
    invitations: {
      total: invitations.total,
      page: invited.number,
      items: invitations.items.map((row) => ({ ...row, isExpired: isExpired(row, now) })),
    },
    addresses: addresses.items.map((row) => ({ ...row, isExpired: isExpired(row, now) })),
    invite: shown.invite ?? {
      ...NOTHING_SENT,
      permission: PERMISSIONS.find((each) => each === shown.level) ?? 'read',
    },
  };
}

/** A sentence to add to a message, empty or beginning with a space, and a button. */
export type HiddenThreadsNote = Pick<Flash, 'next'> & { sentence: string };

/**
 * Returns what to tell someone who has just opened a document to more readers: how many threads they
 * don't see, with a button that shows them.
 */
export async function hiddenThreadsNote(
  context: Context,
  document: SharePage['document'] & { id: string },
): Promise<HiddenThreadsNote> {
  const hidden = await findHiddenThreads(context, document);
  if (!hidden) return { sentence: '' };
  return {
    sentence: ` ${hiddenInWords(hidden)}`,
    next: {
      ...showThreadsForm(document, hidden),
      label: hidden.count === 1 ? 'Show it' : 'Show them',
    },
  };
}

/** Loads a document owner's name and what its members can do. */
export async function ownerInWords(
  call: Call,
  document: { ownerNamespace: string; ownerType: 'user' | 'organization' },
): Promise<OwnerInWords> {
  const { ownerNamespace: namespace, ownerType } = document;
  if (ownerType === 'user') return { namespace };
  const organization = await getOrganization(call, namespace, { evenShutOut: true });
  return { namespace, organization };
}

function refOf({ kind, ownerNamespace: owner, name }: SharePage['document']): DocumentRef {
  return { kind, owner, name };
}
