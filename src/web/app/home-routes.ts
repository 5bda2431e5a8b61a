import type { FastifyReply } from 'fastify';
import { countAttempt } from '../../account/attempts.ts';
import { isListed } from '../../document/library-filter.ts';
import type { LibraryRow } from '../../document/library-row-store.ts';
import { listLibrary } from '../../document/library-service.ts';
import { searchDocuments } from '../../document/search/search-service.ts';
import { shownTitle } from '../../document/shown-title.ts';
import { sendOwnPage } from '../account-parts.ts';
import { pageNumberOf } from '../form.ts';
import { orderCopies } from '../offline/copies.ts';
import { libraryPage } from '../pages/app/home-page.tsx';
import { searchPage } from '../pages/app/search-page.tsx';
import { renderFrontPage } from '../pages/front-page.tsx';
import { createFarewell } from '../sign-out-notice.ts';
import { documentPath } from './addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from './app-parts.ts';
import { readListFilter, readText } from './list-query.ts';

const LIST_SIZE = 40;
const SEARCH_SIZE = 20;
const PALETTE_SIZE = 8;

type Query = { in?: unknown; before?: unknown; page?: unknown };

/** Adds Home and the lists of documents: `/`, `/shared`, `/search`. */
export function addHomeRoutes(parts: AppParts): void {
  const { context, limiter, site, signUpsOpen } = parts;
  const farewell = createFarewell(site.webUrl);

  async function showLibrary(
    asked: AppRequest,
    place: 'recent' | 'own' | 'shared',
  ): Promise<FastifyReply> {
    const { query } = asked.request;
    const filter = readListFilter(query);
    const before = readText((query as Query).before);
    if (filter.q) await countAttempt(limiter, [['webSearch', asked.actor.id]]);
    const { q, ...rest } = filter;
    const list = { ...rest, place, filter: q, before, size: LIST_SIZE, pinnedFirst: true };
    const library = await listLibrary(context, asked.actor, list);
    const isFirst = before === undefined;
    const page = { place, filter, library, isFirst, now: context.now() };
    return parts.show(asked, libraryPage(site, asked.actor.username, page));
  }

  parts.get(
    '/',
    (asked) => showLibrary(asked, (asked.request.query as Query).in === 'own' ? 'own' : 'recent'),
    async (request, reply) => {
      const done = farewell.take(request, reply);
      orderCopies(reply, 'clear');
      return sendOwnPage(reply, renderFrontPage(site, { signUpsOpen, done }));
    },
  );

  parts.get('/shared', (asked) => showLibrary(asked, 'shared'));

  parts.get(
    '/search',
    parts.inTurn(async (asked) => {
      const filter = readListFilter(asked.request.query);
      const { q: query = '', kind, visibility, owner, label, sort } = filter;
      const number = pageNumberOf((asked.request.query as Query).page);
      const isForPalette = wantsJson(asked.request);
      await countAttempt(limiter, [['webSearch', asked.actor.id]]);
      const where = { kind, visibility, owner, label: label?.toLowerCase() };
      const isFiltered = Object.values(where).some((value) => value !== undefined);
      const found = await searchDocuments(context, asked.actor, {
        query,
        size: isForPalette ? PALETTE_SIZE : SEARCH_SIZE,
        page: number,
        sort,
        ...(isFiltered && { isWanted: (row: LibraryRow) => isListed(row, where) }),
      });
      if (!isForPalette) {
        const page = { filter, found, number, now: context.now(), webUrl: context.webUrl };
        return parts.show(asked, searchPage(page));
      }
      const data = found.items.map((item) => ({
        title: shownTitle(item),
        name: item.name,
        owner: item.ownerNamespace,
        kind: item.kind,
        path: documentPath('read', item),
      }));
      return asked.reply.header('cache-control', 'private, no-store').send({ data });
    }),
  );
}
