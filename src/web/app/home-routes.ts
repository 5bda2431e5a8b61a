import type { FastifyReply } from 'fastify';
import { countAttempt } from '../../account/attempts.ts';
import { VISIBILITIES } from '../../document/access.ts';
import { KINDS, type Kind } from '../../document/kind.ts';
import { listLibrary } from '../../document/library-service.ts';
import { SORTS } from '../../document/library-sort.ts';
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

const LIST_SIZE = 40;
const SEARCH_SIZE = 20;
const PALETTE_SIZE = 8;

type Query = {
  in?: unknown;
  kind?: unknown;
  visibility?: unknown;
  sort?: unknown;
  q?: unknown;
  before?: unknown;
};

/** Adds Home and the lists of documents: `/`, `/shared`, `/search`. */
export function addHomeRoutes(parts: AppParts): void {
  const { context, limiter, site, signUpsOpen } = parts;
  const farewell = createFarewell(site.webUrl);

  async function showLibrary(
    asked: AppRequest,
    place: 'recent' | 'own' | 'shared',
  ): Promise<FastifyReply> {
    const query = asked.request.query as Query;
    const kind = readOneOf(ALL_KINDS, query.kind);
    const visibility = readOneOf(VISIBILITIES, query.visibility);
    const sort = readOneOf(SORTS, query.sort) ?? 'changed';
    const before = readText(query.before);
    const filter = (readText(query.q) ?? '').trim();
    if (filter !== '') await countAttempt(limiter, [['webSearch', asked.actor.id]]);
    const list = { place, kind, visibility, sort, filter, before, size: LIST_SIZE };
    const library = await listLibrary(context, asked.actor, list);
    const page = {
      place,
      kind,
      visibility,
      sort,
      filter,
      library,
      isFirst: before === undefined,
      now: context.now(),
    };
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
      const { q, page } = asked.request.query as { q?: unknown; page?: unknown };
      const query = (readText(q) ?? '').trim();
      const number = pageNumberOf(page);
      const isForPalette = wantsJson(asked.request);
      await countAttempt(limiter, [['webSearch', asked.actor.id]]);
      const found = await searchDocuments(context, asked.actor, {
        query,
        size: isForPalette ? PALETTE_SIZE : SEARCH_SIZE,
        page: number,
      });
      if (!isForPalette)
        return parts.show(
          asked,
          searchPage({ query, found, number, now: context.now(), webUrl: context.webUrl }),
        );
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

const ALL_KINDS = Object.keys(KINDS) as Kind[];

function readOneOf<Value extends string>(
  values: readonly Value[],
  value: unknown,
): Value | undefined {
  return values.find((one) => one === value);
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
