import type { FastifyReply } from 'fastify';
import { FieldError } from '../../base/errors.ts';
import { SIGN_UP_INVITATIONS_PATH } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { faultsOf, isCorrectable, pageNumberOf, readForm } from '../../surfaces/web/form.ts';
import { requireAdminScreen } from '../moderation/takedown-service.ts';
import {
  EMPTY_FORM,
  type InvitationForm,
  signUpInvitationsPage,
} from './sign-up-invitation-pages.tsx';
import {
  createSignUpInvitation,
  listSignUpInvitations,
  revokeSignUpInvitation,
} from './sign-up-invitation-service.ts';

const LIST_SIZE = 50;

/** Adds `/admin/invitations`, where administrators of the instance invite people to sign up. */
export function addSignUpInvitationRoutes(parts: AppParts): void {
  const { context, get, post, show, goOn, act, upstreamName } = parts;

  async function showList(
    asked: AppRequest,
    page: number,
    form: InvitationForm = EMPTY_FORM,
  ): Promise<FastifyReply> {
    const size = LIST_SIZE;
    const found = await listSignUpInvitations(context, asked.actor, { number: page, size });
    const provider = context.signIn.passwords === 'off' ? upstreamName : undefined;
    const list = { ...found, page, size, form, sendsMail: context.sendsMail, provider };
    return show(asked, signUpInvitationsPage(list), form === EMPTY_FORM ? 200 : 422);
  }

  get<{ Querystring: { page?: unknown } }>(SIGN_UP_INVITATIONS_PATH, async (asked) => {
    await requireAdminScreen(context.sql.read, asked.actor);
    return showList(asked, pageNumberOf(asked.request.query.page));
  });

  post(SIGN_UP_INVITATIONS_PATH, async (asked) => {
    await requireAdminScreen(context.sql.read, asked.actor);
    const form = readForm(asked.request.body, ['email', 'uses', 'expiresIn', 'note']);
    try {
      const made = await createSignUpInvitation(context, asked.actor, {
        email: form.email.trim() === '' ? undefined : form.email,
        uses: numberOf('uses', form.uses),
        expiresIn: numberOf('expiresIn', form.expiresIn),
        note: form.note,
      });
      const message =
        made.url === null
          ? `The invitation is on its way to ${made.email}.`
          : 'Copy the link below.';
      return goOn(asked, SIGN_UP_INVITATIONS_PATH, { message });
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      return showList(asked, 1, { ...form, faults: faultsOf(error) });
    }
  });

  post<{ Params: { id: string } }>(`${SIGN_UP_INVITATIONS_PATH}/:id/revoke`, async (asked) => {
    await requireAdminScreen(context.sql.read, asked.actor);
    return act(asked, SIGN_UP_INVITATIONS_PATH, async () => {
      await revokeSignUpInvitation(context, asked.actor, asked.request.params.id);
      return { message: 'The invitation no longer works.' };
    });
  });
}

/** @throws BAD_REQUEST naming the field */
function numberOf(field: string, text: string): number {
  if (/^\d{1,6}$/.test(text.trim())) return Number(text);
  throw new FieldError('BAD_REQUEST', field, 'must be a whole number.');
}
