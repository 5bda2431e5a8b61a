import type { DocumentKind } from '../../base/schema/kind.ts';
import { PERMISSIONS } from '../../core/document/access-rules.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { readForm, requireChoice } from '../../surfaces/web/form.ts';
import { LEVEL_LABELS } from '../../surfaces/web/pages/access-labels.ts';
import { sayAnswered } from '../invitations/invitation-faults.ts';
import { cancelInvitation, changeInvitation } from '../invitations/invitation-service.ts';
import { isExpired } from '../invitations/invitation-state.ts';
import type { ShareRoute } from './share-view.ts';

/** Adds the Share page's forms that change and cancel pending invitations. */
export function addDocumentInvitationRoutes(
  parts: AppParts,
  { kind }: DocumentKind,
  address: string,
): void {
  const { context, post, act } = parts;
  const pathTo = (params: ShareRoute['Params']) => pathOfRef('share', { kind, ...params });

  post<ShareRoute>(`${address}/invitations/level`, async (asked) => {
    const { params, body } = asked.request;
    const names = ['invitation', 'username', 'permission', 'from'] as const;
    const { invitation, username, ...form } = readForm(body, names);
    return act(asked, pathTo(params), async () => {
      const permission = requireChoice(PERMISSIONS, form.permission, 'permission');
      const ref = { kind, ...params };
      await changeInvitation(asked.call, ref, invitation, permission).catch(sayAnswered);
      return {
        message: `Invitation for ${username} changed to: ${LEVEL_LABELS[permission].toLowerCase()}.`,
        undo: {
          action: `${pathTo(params)}/invitations/level`,
          fields: { invitation, username, permission: form.from, from: permission },
        },
      };
    });
  });

  post<ShareRoute>(`${address}/addresses/cancel`, async (asked) => {
    const { params, body } = asked.request;
    const { invitation } = readForm(body, ['invitation']);
    return act(asked, pathTo(params), async () => {
      const ref = { kind, ...params };
      const { email } = await cancelInvitation(asked.call, ref, 'addresses', invitation).catch(
        sayAnswered,
      );
      return { message: `Invitation for ${email} cancelled.` };
    });
  });

  post<ShareRoute>(`${address}/invitations/cancel`, async (asked) => {
    const { params, body } = asked.request;
    const { invitation } = readForm(body, ['invitation']);
    return act(asked, pathTo(params), async () => {
      const ref = { kind, ...params };
      const cancelled = await cancelInvitation(asked.call, ref, 'users', invitation).catch(
        sayAnswered,
      );
      const { recipientUsername: username, level: permission } = cancelled;
      const message = `Invitation for ${username} cancelled.`;
      if (isExpired(cancelled, context.now())) return { message };
      const undo = { action: `${pathTo(params)}/people`, fields: { username, permission } };
      return { message, undo };
    });
  });
}
