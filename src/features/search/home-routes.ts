import type { FastifyReply } from 'fastify';
import type { LibraryRow } from '../../core/document/library-row-store.ts';
import { shownTitle } from '../../core/document/shown-title.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import { sendOwnPage } from '../../surfaces/web/account-parts.ts';
import { documentPath } from '../../surfaces/web/addresses.ts';
import { type AppParts, type AppRequest, wantsJson } from '../../surfaces/web/app-parts.ts';
import { pageNumberOf } from '../../surfaces/web/form.ts';
import { createFarewell } from '../../surfaces/web/sign-out-notice.ts';
import { findListedStates } from '../discussion/listed-states-service.ts';
import { renderFrontPage } from '../library/front-page.tsx';
import { libraryPage } from '../library/home-page.tsx';
import { isListed } from '../library/library-filter.ts';
import { listLibrary } from '../library/library-service.ts';
import { readListFilter, readText } from '../library/list-query.ts';
import { listOwnTakedowns } from '../moderation/takedown-service.ts';
import { searchPage } from './search-page.tsx';
import { searchDocuments } from './search-service.ts';

const LIST_SIZE = 40;
const SEARCH_SIZE = 20;
const PALETTE_SIZE = 8;
/** The most documents that are taken down, in a list; a list of the API has all. */
const TAKEN_DOWN_SIZE = 50;

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
    if (filter.q) await countAttempt(limiter, [['webSearch', asked.call.actor.id]]);
    const { q, ...rest } = filter;
    const list = { ...rest, place, filter: q, before, size: LIST_SIZE, pinnedFirst: true };
    const library = await listLibrary(asked.call, list);
    const isFirst = before === undefined;
    const states = await findListedStates(context, [...library.pinned, ...library.items]);
    const isOwn = place !== 'shared' && isFirst;
    const all = { number: 1, size: TAKEN_DOWN_SIZE };
    const takenDown = isOwn ? (await listOwnTakedowns(asked.call, all)).items : [];
    const now = context.now();
    const page = { place, filter, library, states, isFirst, takenDown, now };
    return parts.show(asked, libraryPage(site, asked.call.actor.username, page));
  }

  parts.get(
    '/',
    (asked) => showLibrary(asked, (asked.request.query as Query).in === 'own' ? 'own' : 'recent'),
    async (request, reply) => {
      const done = farewell.take(request, reply);
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
      await countAttempt(limiter, [['webSearch', asked.call.actor.id]]);
      const where = { kind, visibility, owner, label: label?.toLowerCase() };
      const isFiltered = Object.values(where).some((value) => value !== undefined);
      const found = await searchDocuments(asked.call, {
        query,
        size: isForPalette ? PALETTE_SIZE : SEARCH_SIZE,
        page: number,
        sort,
        areAllPrefixes: isForPalette,
        ...(isFiltered && { isWanted: (row: LibraryRow) => isListed(row, where) }),
      });
      if (!isForPalette) {
        const states = await findListedStates(context, found.items);
        const page = { filter, found, states, number, now: context.now() };
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
