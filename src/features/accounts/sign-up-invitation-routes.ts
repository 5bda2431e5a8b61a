import type { FastifyReply } from 'fastify';
import { SIGN_UP_INVITATIONS_PATH } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import {
  type Faults,
  faultsOf,
  isCorrectable,
  pageNumberOf,
  readForm,
} from '../../surfaces/web/form.ts';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import { requireAdminScreen } from '../moderation/takedown-service.ts';
import { signUpInvitationsPage } from './sign-up-invitation-pages.tsx';
import {
  createSignUpInvitation,
  listSignUpInvitations,
  revokeSignUpInvitation,
} from './sign-up-invitation-service.ts';

/** Adds `/admin/invitations`, where administrators of the instance invite people to sign up. */
export function addSignUpInvitationRoutes(parts: AppParts): void {
  const { context, get, post, show, goOn, act, upstreamName } = parts;

  async function showList(
    asked: AppRequest,
    page: number,
    refused?: { email: string; faults: Faults },
  ): Promise<FastifyReply> {
    const size = LIST_SIZE;
    const found = await listSignUpInvitations(context, asked.call.actor, { number: page, size });
    const provider = context.signIn.passwords === 'off' ? upstreamName : undefined;
    const form = refused ?? { email: '', faults: {} };
    const list = { ...found, page, size, form, sendsMail: context.sendsMail, provider };
    return show(asked, signUpInvitationsPage(list), refused ? 422 : 200);
  }

  get<{ Querystring: { page?: unknown } }>(SIGN_UP_INVITATIONS_PATH, async (asked) => {
    await requireAdminScreen(context.sql.read, asked.call.actor);
    return showList(asked, pageNumberOf(asked.request.query.page));
  });

  post(SIGN_UP_INVITATIONS_PATH, async (asked) => {
    await requireAdminScreen(context.sql.read, asked.call.actor);
    const { email } = readForm(asked.request.body, ['email']);
    try {
      const made = await createSignUpInvitation(context, asked.call.actor, email);
      const message =
        made.url === null
          ? `The invitation is on its way to ${made.email}.`
          : 'Copy the link below.';
      return goOn(asked, SIGN_UP_INVITATIONS_PATH, { message });
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return showList(asked, 1, { email, faults: faultsOf(error) });
    }
  });

  post<{ Params: { id: string } }>(`${SIGN_UP_INVITATIONS_PATH}/:id/revoke`, async (asked) => {
    await requireAdminScreen(context.sql.read, asked.call.actor);
    return act(asked, SIGN_UP_INVITATIONS_PATH, async () => {
      await revokeSignUpInvitation(context, asked.call.actor, asked.request.params.id);
      return { message: 'The invitation no longer works.' };
    });
  });
}
