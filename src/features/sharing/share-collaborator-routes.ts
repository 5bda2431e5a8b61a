import type { DocumentKind } from '../../base/schema/kind.ts';
import { allow, PERMISSIONS, type Permission } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import type { Flash } from '../../surfaces/web/flash.ts';
import { readForm, requireChoice } from '../../surfaces/web/form.ts';
import { LEVEL_LABELS } from '../../surfaces/web/pages/access-labels.ts';
import type { AppPage } from '../../surfaces/web/pages/app-page.tsx';
import { endingPage } from '../invitations/ending-offers.tsx';
import { inviteFaults, noOffers, onDay } from '../invitations/invitation-faults.ts';
import { inviteAddress } from '../invitations/invitation-service.ts';
import {
  inviteOrChangeCollaborator,
  listEndingOnDocument,
  removeCollaborator,
} from './collaborator-service.ts';
import { leavePage } from './leave-page.tsx';
import { sharePage } from './share-page.tsx';
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

  /**
   * Returns a page that asks for confirmation if another permission, or none, ends what the collaborator invited others
   * to; `undefined` if it ends nothing, or the form was confirmed.
   */
  async function askAboutPermission(
    asked: Asked,
    { username, permission }: { username: string; permission: Permission | null },
    form: { action: string; fields: Record<string, string> },
  ): Promise<AppPage | undefined> {
    const { call, request } = asked;
    if (readForm(request.body, ['confirmed']).confirmed !== '') return undefined;
    const ref = refOf(asked);
    const offers = await listEndingOnDocument(call, ref, username, permission).catch(noOffers);
    if (offers.length === 0) return undefined;
    const maker = username === call.actor.username ? undefined : username;
    const [who, whose] = maker === undefined ? ['You', 'your'] : [maker, `${maker}’s`];
    return endingPage({
      title: permission === null ? `Remove ${maker ?? 'yourself'}?` : `Change ${whose} level?`,
      change:
        permission === null
          ? `${who} will lose the access to this ${kind} that an invitation gave.`
          : `${who} will have the level “${LEVEL_LABELS[permission]}”, and can no longer share this ${kind}.`,
      maker,
      offers,
      form: {
        action: form.action,
        fields: { ...form.fields, document: call.actor.documentId ?? '' },
        label: permission === null ? 'Remove' : 'Change level',
      },
      back: pathTo(ref),
    });
  }

  post<ShareRoute>(`${address}/people`, async (asked) => {
    const { call, request } = asked;
    const ref = refOf(asked);
    const form = readForm(request.body, ['username', 'permission']);
    const username = form.username.trim();
    try {
      const permission = requireChoice(PERMISSIONS, form.permission, 'permission');
      if (username.includes('@')) {
        const address = { email: username, level: permission };
        const { id, ...sent } = await inviteAddress(call, ref, address);
        return goOn(asked, `${pathTo(ref)}?level=${permission}`, {
          message:
            sent.url === null
              ? `Invited ${sent.email}. The invitation expires ${onDay(sent.expiresAt)}.`
              : `Copy the link for ${sent.email} under Invited, and send it. It expires ${onDay(sent.expiresAt)}.`,
          undo: { action: `${pathTo(ref)}/addresses/cancel`, fields: { invitation: id } },
        });
      }
      const sent = { action: `${pathTo(ref)}/people`, fields: { username, permission } };
      const question = await askAboutPermission(asked, { username, permission }, sent);
      if (question) return show(asked, question);
      const made = await inviteOrChangeCollaborator(call, ref, username, permission);
      if (!made) {
        const level = LEVEL_LABELS[permission].toLowerCase();
        const message = `${username} already had access, which is now: ${level}.`;
        return goOn(asked, pathTo(ref), { message });
      }
      // People who are invited one after the other often get the same level.
      return goOn(asked, `${pathTo(ref)}?level=${permission}`, {
        message: `Invited ${made.recipientUsername}. The invitation expires ${onDay(made.expiresAt)}.`,
        undo: { action: `${pathTo(ref)}/invitations/cancel`, fields: { invitation: made.id } },
      });
    } catch (error) {
      const invite = { ...form, faults: inviteFaults(error) };
      return show(asked, sharePage(await loadSharePage(call, ref, { invite })), 422);
    }
  });

  post<ShareRoute>(`${address}/people/level`, async (asked) => {
    const ref = refOf(asked);
    const { username, ...form } = readForm(asked.request.body, ['username', 'permission', 'from']);
    const permission = requireChoice(PERMISSIONS, form.permission, 'permission');
    const sent = {
      action: `${pathTo(ref)}/people/level`,
      fields: { username, permission, from: form.from },
    };
    const question = await askAboutPermission(asked, { username, permission }, sent);
    if (question) return show(asked, question);
    return changeAccess(asked, ref, async () => {
      const { call } = asked;
      const made = await inviteOrChangeCollaborator(call, ref, username, permission);
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
    const sent = { action: `${pathTo(ref)}/people/remove`, fields: { username, permission } };
    const question = await askAboutPermission(asked, { username, permission: null }, sent);
    if (question) return show(asked, question);
    return changeAccess(asked, ref, async () => {
      await removeCollaborator(asked.call, ref, username);
      return {
        message: `Removed ${username}.`,
        undo: { action: `${pathTo(ref)}/people`, fields: { username, permission } },
      };
    });
  });

  parts.get<ShareRoute>(`${address}/leave`, async (asked) => {
    const { call } = asked;
    const ref = refOf(asked);
    const { document } = await requireDocument(context.sql.read, call.actor, ref, 'read');
    const ending = await listEndingOnDocument(call, ref, call.actor.username, null);
    return show(asked, leavePage(document, ending));
  });

  post<ShareRoute>(`${address}/leave`, async (asked) =>
    act(asked, '/shared', async () => {
      const ref = refOf(asked);
      await removeCollaborator(asked.call, ref, asked.call.actor.username);
      return { message: `You left ${ref.owner}/${ref.name}.` };
    }),
  );

  /** Makes a change that can end the actor's own access. Redirects to a page the actor can see. */
  async function changeAccess(asked: Asked, ref: DocumentRef, work: () => Promise<Flash>) {
    const done = work();
    await done.catch(() => undefined);
    const { call } = asked;
    const seen = await requireDocument(context.sql.read, call.actor, ref, 'read').catch(
      () => undefined,
    );
    return act(asked, seen ? pathTo(ref) : '/', async () => {
      const { message, undo } = await done;
      return undo && seen && allow(call.actor, 'share', seen.document)
        ? { message, undo }
        : { message };
    });
  }
}
