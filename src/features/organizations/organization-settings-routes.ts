import { parseNamespace } from '../../core/owner/namespace.ts';
import { DEFAULT_BRIEF_PERMISSIONS, roleAllows } from '../../core/owner/organization-access.ts';
import {
  deleteOrganization,
  getOrganization,
  setSecondFactorRequired,
  updateOrganization,
} from '../../core/owner/organization-service.ts';
import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { type Faults, readForm, requireChoice } from '../../surfaces/web/form.ts';
import { listOrganizationDocuments } from '../library/document-listing.ts';
import { getPolicies, listProgramsOfMembers } from '../policies/policy-change-service.ts';
import {
  getOrganizationProfile,
  saveOrganizationProfile,
} from '../profiles/organization-profile-service.ts';
import type { ProfileFields } from '../profiles/profile-fields.tsx';
import { type ProfileInput, profileFaults, readProfileForm } from '../profiles/profile-form.ts';
import { organizationUsage } from '../quotas/usage-service.ts';
import {
  changeOrganizationProtection,
  getOrganizationProtection,
} from '../reviews/review-setting-service.ts';
import { listOrganizationMembers, listWithoutSecondFactor } from './member-service.ts';
import type { OwnOrganization } from './organization-frame.tsx';
import { organizationSettingsPage } from './organization-settings-page.tsx';
import {
  type AskedOfOrganization,
  type OrganizationRoute,
  showToMembers,
} from './organization-view.ts';

const ADDRESS = '/organizations/:org';

/** The shortest result page, for when only the total is needed. */
const SHORTEST = { number: 1, size: 1 };

export function addOrganizationSettingsRoutes(parts: AppParts): void {
  const { context, get, post, act, goOn, show, proven } = parts;

  const showSettings = (
    asked: AskedOfOrganization,
    faults?: Faults,
    sent?: { profile?: ProfileFields; profileFaults: Faults },
  ) =>
    showToMembers(parts, asked, async (organization) => {
      const contents = await contentsOf(asked, organization);
      const profile =
        contents &&
        (sent?.profile ?? (await getOrganizationProfile(asked.call, organization.namespace)));
      const page = organizationSettingsPage({
        organization,
        contents,
        protection:
          contents && (await getOrganizationProtection(asked.call, organization.namespace)),
        withoutSecondFactor:
          contents && (await listWithoutSecondFactor(asked.call, organization.namespace)),
        policies: contents && (await policiesOf(asked, organization)),
        usage: contents && (await organizationUsage(asked.call, organization.namespace)),
        profile: profile && { summary: profile.summary, hasPicture: profile.hasPicture },
        profileFaults: sent?.profileFaults,
        faults: faults ?? {},
      });
      return show(asked, page, faults || sent ? 422 : 200);
    });

  async function contentsOf({ call }: AskedOfOrganization, organization: OwnOrganization) {
    const { namespace, role } = organization;
    if (!roleAllows(role, 'changeSettings')) return undefined;
    const [briefs, pages, members] = await Promise.all([
      listOrganizationDocuments(call, 'brief', namespace, SHORTEST),
      listOrganizationDocuments(call, 'page', namespace, SHORTEST),
      listOrganizationMembers(call, namespace, SHORTEST),
    ]);
    return {
      briefs: briefs.total,
      pages: pages.total,
      members: members.total,
    };
  }

  async function policiesOf({ call }: AskedOfOrganization, { namespace }: OwnOrganization) {
    const [policies, programs] = await Promise.all([
      getPolicies(call, namespace),
      listProgramsOfMembers(call, namespace),
    ]);
    return { ...policies, programs };
  }

  get<OrganizationRoute>(`${ADDRESS}/settings`, async (asked) => showSettings(asked));

  post<OrganizationRoute>(`${ADDRESS}/settings`, async (asked) => {
    const { org } = asked.request.params;
    const path = organizationPath(org, 'settings');
    const names = ['creation', 'default', 'fromCreation', 'fromDefault'] as const;
    const form = readForm(asked.request.body, names);
    return act(asked, path, async () => {
      const membersCanCreate = requireChoice(['yes', 'no'], form.creation, 'creation') === 'yes';
      const { default: chosen, fromCreation, fromDefault } = form;
      const defaultBriefPermission = requireChoice(DEFAULT_BRIEF_PERMISSIONS, chosen, 'default');
      const settings = { membersCanCreate, defaultBriefPermission };
      await updateOrganization(asked.call, org, settings);
      const fields = { creation: fromCreation, default: fromDefault };
      return {
        message: 'Settings saved.',
        undo: {
          action: path,
          fields: { ...fields, fromCreation: form.creation, fromDefault: chosen },
        },
      };
    });
  });

  post<OrganizationRoute>(
    `${ADDRESS}/protection`,
    proven(async (asked) => {
      const { org } = asked.request.params;
      const form = readForm(asked.request.body, ['protected', 'twoPeople']);
      return act(asked, organizationPath(org, 'settings'), async () => {
        const change = {
          protected: requireChoice(['on', 'off'], form.protected, 'protected') === 'on',
          twoPeople: form.twoPeople === 'on',
        };
        await changeOrganizationProtection(asked.call, org, change);
        return { message: change.protected ? 'Documents are protected.' : 'Protection is off.' };
      });
    }),
  );

  post<OrganizationRoute>(
    `${ADDRESS}/second-factor`,
    proven(async (asked) => {
      const { org } = asked.request.params;
      const { required } = readForm(asked.request.body, ['required']);
      return act(asked, organizationPath(org, 'settings'), async () => {
        const isRequired = requireChoice(['on', 'off'], required, 'required') === 'on';
        await setSecondFactorRequired(asked.call, org, isRequired);
        return { message: isRequired ? 'A second factor is required.' : 'It is optional.' };
      });
    }),
  );

  post<OrganizationRoute>(`${ADDRESS}/profile`, async (asked) => {
    const { call, request } = asked;
    let sent: ProfileInput | undefined;
    try {
      sent = await readProfileForm(request);
      await saveOrganizationProfile(call, request.params.org, sent);
    } catch (error) {
      const faults = profileFaults(error);
      const { hasPicture, summary } = await getOrganizationProfile(call, request.params.org);
      const profile = { summary: sent?.summary ?? summary, hasPicture };
      return showSettings(asked, undefined, { profile, profileFaults: faults });
    }
    return goOn(asked, organizationPath(request.params.org, 'settings'), {
      message: 'Profile saved.',
    });
  });

  post<OrganizationRoute>(`${ADDRESS}/delete`, async (asked) => {
    const { call, request } = asked;
    const { namespace, name } = await getOrganization(call, request.params.org);
    const { confirm } = readForm(request.body, ['confirm']);
    if (parseNamespace(confirm.trim()) !== namespace) {
      return showSettings(asked, { confirm: `Type ${namespace} to confirm. Nothing was deleted.` });
    }
    await deleteOrganization(context, call.actor, namespace);
    return goOn(asked, '/organizations', { message: `${name} was deleted.` });
  });
}
