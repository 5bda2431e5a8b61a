import type { Call } from '../../core/context.ts';
import { ROLES, type Role, roleAllows } from '../../core/owner/organization-access.ts';

import { organizationPath } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { pageNumberOf, readForm, requireChoice } from '../../surfaces/web/form.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import { endingPage } from '../invitations/ending-offers.tsx';
import { inviteFaults, noOffers, sayAnswered } from '../invitations/invitation-faults.ts';
import { MAX_INVITED_ADDRESSES } from '../invitations/invitation-link.ts';
import {
  cancelInvitation,
  inviteAddress,
  listInvitations,
} from '../invitations/invitation-service.ts';
import { isExpired } from '../invitations/invitation-state.ts';
import { displayNamesOf } from '../profiles/own-profile-service.ts';
import {
  countOrganizationAdmins,
  describeLeaving,
  describeRemoval,
  inviteOrChangeMember,
  listEndingWithRole,
  listOrganizationMembers,
  removeMember,
} from './member-service.ts';
import { leaveOrganization } from './membership-service.ts';
import { closedTab } from './organization-frame.tsx';
import { organizationInvitationsPage } from './organization-invitations-page.tsx';
import {
  type MembersPage,
  organizationMembersPage,
  removeMemberPage,
} from './organization-members-page.tsx';
import {
  type AskedOfOrganization,
  type OrganizationRoute,
  showToMembers,
} from './organization-view.ts';

const ROLE_WORDS = { admin: 'an admin', member: 'a member' } as const satisfies Record<
  Role,
  string
>;

interface RemovalRoute extends OrganizationRoute {
  Querystring: OrganizationRoute['Querystring'] & { username?: unknown };
}

const ADDRESS = '/organizations/:org';
const NOTHING_SENT = { username: '', role: 'member', faults: {} };

/** Adds an organization's members and invitations, with the forms for its admins. */
export function addMemberRoutes(parts: AppParts): void {
  const { get, post, act, goOn, show } = parts;

  const membersPath = ({ request }: AskedOfOrganization) =>
    organizationPath(request.params.org, 'members');

  async function pendingOf(call: Call, namespace: string, number: number) {
    const page = { number, size: LIST_SIZE };
    const place = { org: namespace };
    const { items, total } = await listInvitations(call, place, 'users', page);
    const now = call.now();
    const all = { number: 1, size: MAX_INVITED_ADDRESSES };
    const mailed = await listInvitations(call, place, 'addresses', all);
    const judge = <Row extends { expiresAt: string }>(row: Row) => ({
      ...row,
      isExpired: isExpired(row, now),
    });
    return { items: items.map(judge), total, addresses: mailed.items.map(judge) };
  }

  const showMembers = (asked: AskedOfOrganization, invite?: MembersPage['invite']) =>
    showToMembers(parts, asked, async (organization) => {
      const { call, request } = asked;
      const page = pageNumberOf(request.query.page);
      const { namespace } = organization;
      const mayInvite = roleAllows(organization.role, 'invite');
      const [members, admins, leaving, invitations] = await Promise.all([
        listOrganizationMembers(call, namespace, { number: page, size: LIST_SIZE }),
        countOrganizationAdmins(call, namespace),
        describeLeaving(call, namespace),
        mayInvite ? pendingOf(call, namespace, 1) : undefined,
      ]);
      const content = organizationMembersPage({
        organization,
        viewer: call.actor.username,
        members: { ...members, page },
        admins,
        leaving,
        ...(invitations && { invitations }),
        invite: invite ?? NOTHING_SENT,
      });
      const invited = invitations?.items.map(({ recipientUsername }) => recipientUsername) ?? [];
      const people = [...members.items.map(({ username }) => username), ...invited];
      const names = await displayNamesOf(asked.call, people);
      return show(asked, { ...content, names }, invite ? 422 : 200);
    });

  /**
   * Returns a page that asks for confirmation if another role ends what the member invited others to;
   * `undefined` if it ends nothing, or the form was confirmed.
   */
  async function askAboutRole(
    asked: AskedOfOrganization,
    { username, role }: { username: string; role: Role },
    form: { action: string; fields: Record<string, string> },
  ): Promise<AppPage | undefined> {
    const { call, request } = asked;
    if (readForm(request.body, ['confirmed']).confirmed !== '') return undefined;
    const { org } = request.params;
    const offers = await listEndingWithRole(call, org, username, role).catch(noOffers);
    if (offers.length === 0) return undefined;
    const isViewer = username === call.actor.username;
    return endingPage({
      title: isViewer ? 'Give up your role?' : `Change the role of ${username}?`,
      change: isViewer
        ? `You’ll be ${ROLE_WORDS[role]}, and can no longer invite people.`
        : `${username} will be ${ROLE_WORDS[role]}, and can no longer invite people.`,
      maker: isViewer ? undefined : username,
      offers,
      form: { ...form, label: 'Change role' },
      back: membersPath(asked),
    });
  }

  get<OrganizationRoute>(`${ADDRESS}/members`, async (asked) => showMembers(asked));

  post<OrganizationRoute>(`${ADDRESS}/members`, async (asked) => {
    const { call, request } = asked;
    const form = readForm(request.body, ['username', 'role']);
    const username = form.username.trim();
    try {
      const role = requireChoice(ROLES, form.role, 'role');
      const { org } = request.params;
      if (username.includes('@')) {
        const address = { email: username, level: role };
        const { id, email, url } = await inviteAddress(call, { org }, address);
        return goOn(asked, membersPath(asked), {
          message:
            url === null
              ? `Invited ${email} as ${ROLE_WORDS[role]}.`
              : `Copy the link for ${email} below, and send it.`,
          undo: {
            action: `${organizationPath(org, 'invitations')}/addresses/cancel`,
            fields: { invitation: id },
          },
        });
      }
      const sent = { action: membersPath(asked), fields: { username, role } };
      const question = await askAboutRole(asked, { username, role }, sent);
      if (question) return show(asked, question);
      const made = await inviteOrChangeMember(call, org, username, role);
      if (!made) {
        const message = `${username} was already a member, and is now ${ROLE_WORDS[role]}.`;
        return goOn(asked, membersPath(asked), { message });
      }
      return goOn(asked, membersPath(asked), {
        message: `Invited ${username} as ${ROLE_WORDS[role]}.`,
        undo: {
          action: `${organizationPath(request.params.org, 'invitations')}/cancel`,
          fields: { invitation: made.id, username, role },
        },
      });
    } catch (error) {
      return showMembers(asked, { ...form, faults: inviteFaults(error) });
    }
  });

  post<OrganizationRoute>(`${ADDRESS}/members/role`, async (asked) => {
    const { call, request } = asked;
    const { username, ...form } = readForm(request.body, ['username', 'role', 'from']);
    const role = requireChoice(ROLES, form.role, 'role');
    const sent = {
      action: `${membersPath(asked)}/role`,
      fields: { username, role, from: form.from },
    };
    const question = await askAboutRole(asked, { username, role }, sent);
    if (question) return show(asked, question);
    return act(asked, membersPath(asked), async () => {
      const made = await inviteOrChangeMember(call, request.params.org, username, role);
      if (made)
        return { message: `${username} was no longer a member, so we sent a new invitation.` };
      const message = `${username} is now ${ROLE_WORDS[role]}.`;
      // If actors give up their own admin role, they can't undo it.
      if (username === call.actor.username) return { message };
      const fields = { username, role: form.from, from: role };
      return { message, undo: { action: `${membersPath(asked)}/role`, fields } };
    });
  });

  get<RemovalRoute>(`${ADDRESS}/members/remove`, async (asked) =>
    showToMembers(parts, asked, async (organization) => {
      const { namespace } = organization;
      const { username } = asked.request.query;
      const removal = await describeRemoval(asked.call, namespace, String(username));
      return show(asked, removeMemberPage({ organization, ...removal }));
    }),
  );

  post<OrganizationRoute>(`${ADDRESS}/members/remove`, async (asked) => {
    const { call, request } = asked;
    const { username, role } = readForm(request.body, ['username', 'role']);
    return act(asked, membersPath(asked), async () => {
      await removeMember(call, request.params.org, username);
      return {
        message: `Removed ${username}. Undo sends a new invitation.`,
        undo: { action: membersPath(asked), fields: { username, role } },
      };
    });
  });

  post<OrganizationRoute>(`${ADDRESS}/leave`, async (asked) => {
    const { org } = asked.request.params;
    return act(asked, '/organizations', async () => {
      await leaveOrganization(asked.call, org);
      return { message: `You left ${org}.` };
    });
  });

  get<OrganizationRoute>(`${ADDRESS}/invitations`, async (asked) =>
    showToMembers(parts, asked, async (organization) => {
      if (!roleAllows(organization.role, 'invite')) {
        return show(asked, closedTab(organization, 'invitations'), 403);
      }
      const page = pageNumberOf(asked.request.query.page);
      const pending = await pendingOf(asked.call, organization.namespace, page);
      const invitations = { ...pending, page };
      const { addresses } = pending;
      return show(asked, organizationInvitationsPage({ organization, invitations, addresses }));
    }),
  );

  post<OrganizationRoute>(`${ADDRESS}/invitations/cancel`, async (asked) => {
    const { call, request } = asked;
    const { org } = request.params;
    const form = readForm(request.body, ['invitation', 'username', 'role', 'expired']);
    const { invitation, username, role, expired } = form;
    return act(asked, organizationPath(org, 'invitations'), async () => {
      await cancelInvitation(call, { org }, 'users', invitation).catch(sayAnswered);
      const message = `Invitation for ${username} cancelled.`;
      if (expired !== '') return { message };
      return {
        message,
        undo: { action: organizationPath(org, 'members'), fields: { username, role } },
      };
    });
  });

  post<OrganizationRoute>(`${ADDRESS}/invitations/addresses/cancel`, async (asked) => {
    const { call, request } = asked;
    const { org } = request.params;
    const { invitation } = readForm(request.body, ['invitation']);
    return act(asked, organizationPath(org, 'invitations'), async () => {
      const { email } = await cancelInvitation(call, { org }, 'addresses', invitation).catch(
        sayAnswered,
      );
      return { message: `Invitation for ${email} cancelled.` };
    });
  });
}
