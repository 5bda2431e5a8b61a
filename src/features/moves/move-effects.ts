import {
  levelOfMembers,
  type OwnerType,
  type Visibility,
} from '../../core/document/access-rules.ts';
import type { OwnerInWords } from '../../surfaces/web/pages/access-labels.ts';

/** Describes in sentences what people at the new owner gain by a move. */
export function gainsBy(visibility: Visibility, to: OwnerInWords): string {
  const { organization } = to;
  if (!organization) return 'It belongs to you alone.';
  const { name, defaultBriefPermission } = organization;
  const members = levelOfMembers(visibility, defaultBriefPermission);
  const admins = `Admins of ${name} can manage it.`;
  if (visibility === 'public') {
    return members === 'write' ? `${admins} Its members can edit it.` : admins;
  }
  if (members === 'none') return `${admins} Its members can’t see it.`;
  return `${admins} Its members can ${members === 'write' ? 'read and edit' : 'read'} it.`;
}

/** Describes in sentences who loses access when a document leaves its owner. */
export function lossesBy(visibility: Visibility, from: OwnerInWords, ownerType: OwnerType): string {
  const { organization, namespace } = from;
  if (ownerType === 'user') return 'You no longer own it, but you can still manage it.';
  const name = organization?.name ?? namespace;
  const members = levelOfMembers(visibility, organization?.defaultBriefPermission ?? null);
  const admins = `Admins of ${name} can no longer manage it`;
  if (visibility === 'internal') return `${admins}, and its members lose access to it.`;
  if (members === 'write') return `${admins}, and its members can no longer edit it.`;
  return `${admins}.`;
}
