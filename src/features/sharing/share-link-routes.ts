import type { FastifyReply } from 'fastify';
import type { DocumentKind } from '../../base/schema/kind.ts';
import { DAY_MS } from '../../base/time/clock.ts';
import { later } from '../../core/context.ts';
import { LINK_ACCESS, type LinkAccess } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { pathOfRef } from '../../surfaces/web/addresses.ts';
import type { AppParts, AppRequest } from '../../surfaces/web/app-parts.ts';
import { readForm, requireChoice, requireDay } from '../../surfaces/web/form.ts';
import { createLink, revokeLink } from '../links/link-service.ts';
import { LINK_DAYS, OWN_DATE } from './share-links.tsx';
import { hiddenThreadsNote, type ShareRoute } from './share-view.ts';

/** Adds the Share page's forms that create and revoke secret links. */
export function addDocumentLinkRoutes(
  parts: AppParts,
  { kind }: DocumentKind,
  address: string,
): void {
  const { context, post, act } = parts;

  post<ShareRoute>(`${address}/links`, async (asked) => {
    const names = ['access', 'ends', 'date', 'password', 'note'] as const;
    const form = readForm(asked.request.body, names);
    return makeLink(parts, asked, { kind, ...asked.request.params }, () => ({
      access: requireChoice(LINK_ACCESS, form.access || 'read', 'access'),
      expiresAt: endOf(form.ends || 'never', form.date, context.now()),
      password: form.password || undefined,
      note: form.note,
    }));
  });

  post<ShareRoute>(`${address}/links/revoke`, async (asked) => {
    const ref = { kind, ...asked.request.params };
    const { link } = readForm(asked.request.body, ['link']);
    return act(asked, pathOfRef('share', ref), async () => {
      await revokeLink(asked.call, ref, link);
      return { message: 'Link revoked. It no longer works.' };
    });
  });
}

/** What a form says about a new link. */
interface NewLink {
  access: LinkAccess;
  expiresAt?: string | undefined;
  password?: string | undefined;
  note?: string;
}

/** Creates a link, and shows it on the Share page. @param read also prepares for the link */
export async function makeLink(
  { context, act }: AppParts,
  asked: AppRequest<ShareRoute>,
  ref: DocumentRef,
  read: () => NewLink | Promise<NewLink>,
): Promise<FastifyReply> {
  return act(asked, pathOfRef('share', ref), async () => {
    const { access, passwordHash } = await createLink(asked.call, ref, await read());
    const { document } = await requireDocument(context.sql.read, asked.call.actor, ref, 'share');
    const { sentence, next } = await hiddenThreadsNote(context, document);
    const who = `Anyone with the link${passwordHash === null ? '' : ' and its password'} can`;
    const does = access === 'comment' ? 'read this, and comment once signed in' : 'read this';
    return { message: `${who} ${does}.${sentence}`, ...(next && { next }) };
  });
}

/** Returns when a link ends. @throws BAD_REQUEST, naming the field */
function endOf(ends: string, date: string, now: string): string | undefined {
  if (ends === OWN_DATE) {
    // Through the day, in UTC.
    return new Date(requireDay('date', date) + DAY_MS - 1).toISOString();
  }
  const values = Object.keys(LINK_DAYS) as (keyof typeof LINK_DAYS)[];
  const days = LINK_DAYS[requireChoice(values, ends, 'ends')];
  return days && later(now, days * DAY_MS);
}
