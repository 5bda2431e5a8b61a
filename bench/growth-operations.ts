import { callOf } from '../src/core/context.ts';
import { listLibrary } from '../src/features/library/library-service.ts';
import type { Sort } from '../src/features/library/library-sort.ts';
import { searchDocuments } from '../src/features/search/search-service.ts';
import { ask } from './ask.ts';
import type { Site } from './growth-site.ts';
import { BRIEF_BYTES, OWNER } from './scene.ts';
import { makeBriefOf } from './text.ts';
import { toolCallOf } from './tool-call.ts';

/** A timed operation. Each call uses another brief. */
export type Operation = () => Promise<unknown>;

const PAGE_SIZE = 30;
const LIBRARY_SIZE = 50;
const SEARCH_SIZE = 20;

/** The suffix that each rename adds or removes. */
const RENAMED = '-again';

/** The timed operations by name: requests of one client, and calls of service functions. */
export const OPERATIONS: Record<string, (site: Site) => Promise<Operation> | Operation> = {
  'read with a token': (site) => {
    const next = inTurns(site.own);
    return () => asAda(site, 'GET', `/api/briefs/${OWNER}/${next()}`);
  },
  'read public Markdown': (site) => {
    const next = inTurns(site.public);
    return () => {
      const { owner, name } = next();
      return ask({ url: `${site.service.url}/${owner}/${name}.md` });
    };
  },
  'read as a web page': async (site) => {
    const headers = { accept: 'text/html' };
    const urlOf = ({ owner, name }: Site['public'][number]) =>
      `${site.service.url}/${owner}/${name}`;
    // The first read renders it.
    for (const brief of site.public) await ask({ url: urlOf(brief), headers });
    const next = inTurns(site.public);
    return () => ask({ url: urlOf(next()), headers });
  },
  'list, first page': (site) => listing(site, () => 1),
  'list, page in the middle': (site) => listing(site, (last) => Math.ceil(last / 2)),
  'list, last full page': (site) => listing(site, (last) => last),
  'list with a label, first page': (site) => labelled(site, 1),
  'list with a label, page 100': (site) => labelled(site, 100),
  'labels with counts': (site) => () => asAda(site, 'GET', '/api/user/labels'),
  'library with a common label, by change': (site) => library(site, 'recent', 'draft', 'changed'),
  'library with a rare label, by title': (site) => library(site, 'recent', 'final', 'title'),
  'library, most recent': (site) => library(site, 'recent'),
  'library, shared': (site) => library(site, 'shared'),
  'search, two words of a name': ({ context, actor, own }) => {
    const next = inTurns(own);
    return () => {
      const query = next().split('-').slice(-2).join(' ');
      return searchDocuments(callOf(context, actor), { query, size: SEARCH_SIZE });
    };
  },
  'search, a frequent word': ({ context, actor, own }) => {
    const next = inTurns(own);
    return () => {
      const [query = ''] = next().split('-');
      return searchDocuments(callOf(context, actor), { query, size: SEARCH_SIZE });
    };
  },
  'search, a misspelled name': ({ context, actor, own }) => {
    const next = inTurns(own);
    return () => {
      const words = next().split('-');
      const longest = words.reduce((a, b) => (b.length > a.length ? b : a));
      const misspelled = longest.slice(0, 1) + longest.slice(2);
      const query = [misspelled, ...words.filter((word) => word !== longest)].join(' ');
      return searchDocuments(callOf(context, actor), { query, size: SEARCH_SIZE });
    };
  },
  create: (site) => {
    const content = makeBriefOf(BRIEF_BYTES);
    let made = 0;
    return () => {
      made += 1;
      return asAda(site, 'POST', '/api/briefs', { name: `grown-${made}`, content });
    };
  },
  update: (site) => {
    const content = makeBriefOf(BRIEF_BYTES);
    const next = inTurns(site.own);
    let turn = 0;
    // Equal content would not be written.
    return () =>
      asAda(site, 'PATCH', `/api/briefs/${OWNER}/${next()}`, { content: `${content}${turn++}` });
  },
  rename: (site) => {
    const { own } = site;
    let turn = 0;
    return () => {
      const at = turn++ % own.length;
      const name = own[at] as string;
      const renamed = name.endsWith(RENAMED) ? name.slice(0, -RENAMED.length) : name + RENAMED;
      own[at] = renamed;
      return asAda(site, 'PATCH', `/api/briefs/${OWNER}/${name}`, { name: renamed });
    };
  },
  'make public, or private': (site) => {
    const { own } = site;
    let turn = 0;
    return () => {
      const visibility = Math.floor(turn / own.length) % 2 === 0 ? 'private' : 'public';
      const name = own[turn++ % own.length];
      return asAda(site, 'PATCH', `/api/briefs/${OWNER}/${name}`, { visibility });
    };
  },
  'create and delete': (site) => {
    const content = makeBriefOf(BRIEF_BYTES);
    return async () => {
      await asAda(site, 'POST', '/api/briefs', { name: 'short-lived', content });
      await asAda(site, 'DELETE', `/api/briefs/${OWNER}/short-lived`);
    };
  },
  'tool call that reads': (site) => {
    const next = inTurns(site.own);
    return () => {
      const { headers, body } = toolCallOf('read_document', { owner: OWNER, name: next() });
      return asAda(site, 'POST', '/api/mcp', body, headers);
    };
  },
};

function labelled(site: Site, page: number): Operation {
  return () => asAda(site, 'GET', `/api/briefs?label=draft&per_page=${PAGE_SIZE}&page=${page}`);
}

function library(
  { context, actor }: Site,
  place: 'recent' | 'shared',
  label?: string,
  sort: Sort = 'changed',
): Operation {
  const list = { place, label, sort, size: LIBRARY_SIZE };
  return () => listLibrary(callOf(context, actor), list);
}

async function listing(site: Site, pageOf: (last: number) => number): Promise<Operation> {
  const { total } = await site.context.sql.read
    .selectFrom('document')
    .where('ownerId', '=', site.actor.id)
    .where('kind', '=', 'brief')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  // The last full page: the one after it can have fewer documents.
  const page = pageOf(Math.max(1, Math.floor(Number(total) / PAGE_SIZE)));
  return () => asAda(site, 'GET', `/api/briefs?per_page=${PAGE_SIZE}&page=${page}`);
}

function asAda(
  { service, token }: Site,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<void> {
  return ask({
    url: service.url + path,
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

function inTurns<T>(values: readonly T[]): () => T {
  let turn = 0;
  return () => values[turn++ % values.length] as T;
}
