import type { FastifyRequest } from 'fastify';
import { FieldError } from '../../base/errors.ts';
import { lastPageNumber } from '../../base/pagination/result-page.ts';
import { documentUrl } from '../../core/document/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { type ProfilePage, profilePage, renderProfilePage } from './profile-page.tsx';
import { readPinned, readProfile } from './profile-service.ts';

const PROFILE_PAGE_SIZE = 30;

interface ProfileRoute {
  Params: { owner: string };
  Querystring: { page?: unknown };
}

/** Adds profiles: inside the app for everyone who is signed in, and a page that is the same for all others. */
export function addProfileRoutes(parts: AppParts): void {
  const { context, site } = parts;

  async function read({ params, query }: FastifyRequest<ProfileRoute>): Promise<ProfilePage> {
    const number = readPageNumber(query.page);
    const page = { number, size: PROFILE_PAGE_SIZE };
    const profile = await readProfile(context, params.owner, page);
    const { namespace, type, displayName, summary, createdAt, documents } = profile;
    const pinned = number === 1 ? await readPinned(context, profile) : [];
    const shown = <Row extends (typeof pinned)[number]>(document: Row) => ({
      ...document,
      url: documentUrl(site.webUrl, { ...document, ownerNamespace: namespace }),
    });
    return {
      owner: namespace,
      ownerType: type,
      displayName: displayName ?? undefined,
      summary: summary ?? undefined,
      createdAt,
      pinned: pinned.map(shown),
      documents: documents.items.map(shown),
      page: number,
      lastPage: Math.max(1, lastPageNumber(documents.total, PROFILE_PAGE_SIZE)),
      total: documents.total,
    };
  }

  parts.get<ProfileRoute>(
    '/:owner',
    async (asked) => parts.show(asked, profilePage(await read(asked.request))),
    async (request, reply) => {
      const html = renderProfilePage(site, await read(request as FastifyRequest<ProfileRoute>));
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'public, no-cache',
        vary: 'Cookie',
      };
      return reply.headers(headers).send(html);
    },
  );
}

/** @throws BAD_REQUEST */
function readPageNumber(text: unknown): number {
  if (text === undefined) return 1;
  const number = typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
  if (number < 1) throw new FieldError('BAD_REQUEST', 'page', 'must be an integer from 1.');
  return number;
}
