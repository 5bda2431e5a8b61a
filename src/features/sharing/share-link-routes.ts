import type { FastifyReply } from 'fastify';
import type { DocumentKind } from '../../base/schema/kind.ts';
import { later } from '../../core/context.ts';
import { LINK_ACCESS, type LinkAccess } from '../../core/document/access-rules.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { linkUrl } from '../../core/document/link.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { isRefusal, readForm, requireChoice } from '../../surfaces/web/form.ts';
import { createLink, revokeLink } from '../links/link-service.ts';
import { LINK_DAYS } from './share-links.tsx';
import { sharePage } from './share-page.tsx';
import { loadSharePage, type ShareRoute } from './share-view.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Adds the Share page's forms that create and revoke secret links. */
export function addDocumentLinkRoutes(
  parts: AppParts,
  { kind }: DocumentKind,
  address: string,
): void {
  const { context, post, act } = parts;

  post<ShareRoute>(`${address}/links`, async (asked) => {
    const form = readForm(asked.request.body, ['access', 'days', 'note']);
    const access = requireChoice(LINK_ACCESS, form.access || 'read', 'access');
    const values = Object.keys(LINK_DAYS) as (keyof typeof LINK_DAYS)[];
    const days = LINK_DAYS[requireChoice(values, form.days, 'days')];
    const expiresAt = days && later(context.now(), days * DAY_MS);
    const link = { access, expiresAt, note: form.note };
    return showNewLink(parts, asked, { kind, ...asked.request.params }, link);
  });

  post<ShareRoute>(`${address}/links/revoke`, async (asked) => {
    const ref = { kind, ...asked.request.params };
    const { link } = readForm(asked.request.body, ['link']);
    return act(asked, pathOfRef('share', ref), async () => {
      await revokeLink(context, asked.actor, ref, link);
      return { message: 'Link revoked. It no longer works.' };
    });
  });
}

/** Creates a link and shows it. Its address is never shown again. */
export async function showNewLink(
  { context, show, goOn }: AppParts,
  asked: AppRequest<ShareRoute>,
  ref: DocumentRef,
  input: { access: LinkAccess; expiresAt?: string | undefined; note?: string },
): Promise<FastifyReply> {
  try {
    const { secret } = await createLink(context, asked.actor, ref, input);
    const page = await loadSharePage(context, asked.actor, ref, {});
    return show(asked, sharePage({ ...page, newLink: linkUrl(context.webUrl, secret) }));
  } catch (error) {
    if (!isRefusal(error) || error.code === 'NOT_FOUND') throw error;
    return goOn(asked, pathOfRef('share', ref), { message: error.sentence, isFault: true });
  }
}
