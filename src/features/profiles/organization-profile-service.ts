import type { Call } from '../../core/context.ts';
import { requireAllowed } from '../../core/owner/organization-service.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import {
  describeProfile,
  type ProfileChange,
  parseProfile,
  writeProfile,
} from './own-profile-service.ts';

/** Returns an organization's profile, for its admins. @throws NOT_FOUND, FORBIDDEN */
export async function getOrganizationProfile(call: Call, org: string) {
  const { namespace } = await requireAllowed(call.sql.read, call.actor, 'changeSettings', org);
  return describeProfile(call, namespace);
}

/**
 * Changes an organization's summary and picture. Omitted fields stay as they are.
 *
 * @throws NOT_FOUND, FORBIDDEN; errors of {@link parseProfile}
 */
export async function saveOrganizationProfile(
  call: Call,
  org: string,
  { summary, picture }: Omit<ProfileChange, 'displayName'>,
): Promise<void> {
  await requireAllowed(call.sql.read, call.actor, 'changeSettings', org);
  const parsed = await parseProfile({ summary, picture });
  await changeOwned(call, org, async (tx) => {
    const { id } = await requireAllowed(tx, call.actor, 'changeSettings', org);
    await writeProfile(tx, id, parsed);
  });
}
