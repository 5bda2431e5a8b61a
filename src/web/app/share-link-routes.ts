import type { FastifyReply } from 'fastify';
import { later } from '../../context.ts';
import { LINK_ACCESS, type LinkAccess } from '../../document/access-rules.ts';
import type { DocumentRef } from '../../document/document-ref.ts';
import type { DocumentKind } from '../../document/kind.ts';
import { linkUrl } from '../../document/sharing/link.ts';
import { createLink, revokeLink } from '../../document/sharing/link-service.ts';
import { isRefusal, readForm, requireChoice } from '../form.ts';
import { LINK_DAYS } from '../pages/app/share-links.tsx';
import { sharePage } from '../pages/app/share-page.tsx';
import { pathOfRef } from './addresses.ts';
import type { AppParts, AppRequest } from './app-parts.ts';
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
