import { allow, PERMISSIONS } from '../../document/access-rules.ts';
import { requireDocument } from '../../document/authorize.ts';
import type { DocumentRef } from '../../document/document-ref.ts';
import type { DocumentKind } from '../../document/kind.ts';
import {
  inviteOrChangeCollaborator,
  leaveDocument,
  removeCollaborator,
} from '../../document/sharing/collaborator-service.ts';
import { inviteToDocumentByEmail } from '../../invitation/email-invitation-service.ts';
import { readForm, requireChoice } from '../form.ts';
import { LEVEL_LABELS } from '../pages/app/access-labels.ts';
import { leavePage } from '../pages/app/manage-pages.tsx';
import { sharePage } from '../pages/app/share-page.tsx';
import { pathOfRef } from './addresses.ts';
import type { AppParts, AppRequest } from './app-parts.ts';
import type { Flash } from './flash.ts';
import { inviteFaults, onDay } from './invitation-faults.ts';
import { loadSharePage, type ShareRoute } from './share-view.ts';

/** Adds the Share page's forms that invite people, change their access and remove them. */
export function addCollaboratorRoutes(
  parts: AppParts,
  { kind }: DocumentKind,
  address: string,
): void {
  const { context, post, act, show, goOn } = parts;
  type Asked = AppRequest<ShareRoute>;
  const refOf = ({ request: { params } }: Asked): DocumentRef => ({ kind, ...params });
  const pathTo = (ref: DocumentRef) => pathOfRef('share', ref);

  post<ShareRoute>(`${address}/people`, async (asked) => {
    const { actor, request } = asked;
    const ref = refOf(asked);
    const form = readForm(request.body, ['username', 'permission']);
    const username = form.username.trim();
    try {
      const permission = requireChoice(PERMISSIONS, form.permission, 'permission');
      if (context.sendsMail && username.includes('@')) {
        const address = { email: username, permission };
        const { id, ...sent } = await inviteToDocumentByEmail(context, actor, ref, address);
        return goOn(asked, pathTo(ref), {
          message: `Invited ${sent.email}. The invitation expires ${onDay(sent.expiresAt)}.`,
          undo: { action: `${pathTo(ref)}/addresses/cancel`, fields: { invitation: id } },
        });
      }
      const made = await inviteOrChangeCollaborator(context, actor, ref, username, permission);
      if (!made) {
        const level = LEVEL_LABELS[permission].toLowerCase();
        const message = `${username} already had access, which is now: ${level}.`;
        return goOn(asked, pathTo(ref), { message });
      }
      return goOn(asked, pathTo(ref), {
        message: `Invited ${made.targetUsername}. The invitation expires ${onDay(made.expiresAt)}.`,
        undo: { action: `${pathTo(ref)}/invitations/cancel`, fields: { invitation: made.id } },
      });
    } catch (error) {
      const invite = { ...form, faults: inviteFaults(error) };
      return show(asked, sharePage(await loadSharePage(context, actor, ref, { invite })), 422);
    }
  });

  post<ShareRoute>(`${address}/people/level`, async (asked) => {
    const ref = refOf(asked);
    const { username, ...form } = readForm(asked.request.body, ['username', 'permission', 'from']);
    return changeAccess(asked, ref, async () => {
      const permission = requireChoice(PERMISSIONS, form.permission, 'permission');
      const { actor } = asked;
      const made = await inviteOrChangeCollaborator(context, actor, ref, username, permission);
      if (made)
        return { message: `${username} no longer had access, so we sent a new invitation.` };
      return {
        message: `${username}: ${LEVEL_LABELS[permission].toLowerCase()}.`,
        undo: {
          action: `${pathTo(ref)}/people/level`,
          fields: { username, permission: form.from, from: permission },
        },
      };
    });
  });

  post<ShareRoute>(`${address}/people/remove`, async (asked) => {
    const ref = refOf(asked);
    const { username, permission } = readForm(asked.request.body, ['username', 'permission']);
    return changeAccess(asked, ref, async () => {
      await removeCollaborator(context, asked.actor, ref, username);
      return {
        message: `Removed ${username}.`,
        undo: { action: `${pathTo(ref)}/people`, fields: { username, permission } },
      };
    });
  });

  parts.get<ShareRoute>(`${address}/leave`, async (asked) => {
    const { document } = await requireDocument(context.sql.read, asked.actor, refOf(asked), 'read');
    return show(asked, leavePage(document));
  });

  post<ShareRoute>(`${address}/leave`, async (asked) =>
    act(asked, '/shared', async () => {
      const ref = refOf(asked);
      await leaveDocument(context, asked.actor, ref);
      return { message: `You left ${ref.owner}/${ref.name}.` };
    }),
  );

  /** Makes a change that can end the actor's own access. Redirects to a page the actor can see. */
  async function changeAccess(asked: Asked, ref: DocumentRef, work: () => Promise<Flash>) {
    const done = work();
    await done.catch(() => undefined);
    const { actor } = asked;
    const seen = await requireDocument(context.sql.read, actor, ref, 'read').catch(() => undefined);
    return act(asked, seen ? pathTo(ref) : '/', async () => {
      const { message, undo } = await done;
      return undo && seen && allow(actor, 'share', seen.document) ? { message, undo } : { message };
    });
  }
}
