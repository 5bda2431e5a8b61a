import { KINDS, type Kind } from '../../src/base/schema/kind.ts';
import type { Api } from './api.ts';
import { type DocumentRef, isId, isSafe } from './document-ref.ts';
import type { HttpAnswer } from './http.ts';
import { inOrder } from './in-order.ts';
import type { Memory } from './memory.ts';
import { ApiError } from './outcome.ts';

/** How many pages of a list to request at once. */
const AT_ONCE = 4;

/** A document in a list. */
export interface Listed {
  id: string;
  kind: Kind;
  owner: string;
  name: string;
  url: string;
  visibility: string;
  updatedAt: string;
  /** `undefined` if an earlier version of the service lists it. */
  revision: number | undefined;
}

type Place = Pick<DocumentRef, 'kind' | 'owner'>;

/** A list, by the ids of its documents. */
type List = Map<string, Listed>;

/**
 * The lists of owners' documents, each read at most once. A list of 100 documents costs one request,
 * so it shows what has changed since the last sync at a hundredth of the requests.
 */
export class Lists {
  readonly #read = new Map<string, Promise<List | undefined>>();
  /** How many files are linked to documents of a list. */
  readonly #linked = new Map<string, number>();

  /** @param linked what the files of the command say */
  constructor(linked: readonly Memory[] = []) {
    for (const { document, id } of linked) {
      const key = keyOf(document.server ?? '', document);
      if (id !== undefined) this.#linked.set(key, (this.#linked.get(key) ?? 0) + 1);
    }
  }

  /** Reads the documents of a person or an organization that the caller can read, newest first. */
  async all(api: Api, owner: string): Promise<Listed[]> {
    const lists = Object.values(KINDS).map(({ kind }) => this.#of(api, { owner, kind }, Infinity));
    return (await Promise.all(lists)).flatMap((list) => [...(list as List).values()]);
  }

  /**
   * Finds a file's document in the list of its owner, if reading that takes fewer requests than
   * reading all its linked documents. Lists don't have everything that the caller can read.
   */
  async find(api: Api, { document, id }: Memory): Promise<Listed | undefined> {
    if (id === undefined) return undefined;
    const linked = this.#linked.get(keyOf(api.server, document)) ?? 0;
    return (await this.#of(api, document, linked - 1))?.get(id);
  }

  /** Finds a document by its id in the whole list; `undefined` if it isn't there. */
  async search(api: Api, place: Place, id: string): Promise<Listed | undefined> {
    return (await this.#of(api, place, Infinity))?.get(id);
  }

  #of(api: Api, place: Place, maxPages: number): Promise<List | undefined> {
    const key = keyOf(api.server, place);
    const kept = this.#read.get(key);
    const read = (kept ?? Promise.resolve(undefined)).then(
      (list) => list ?? (maxPages > 0 ? readList(api, place, maxPages) : undefined),
    );
    // A list that was too long for a few files may be read later for another reason.
    if (!kept || maxPages === Infinity) this.#read.set(key, read);
    return kept && maxPages !== Infinity ? kept : read;
  }
}

/** Tells whether a listed document can become a file. A name such as "../x" must not. */
export function isFine(listed: Listed, owner: string): boolean {
  return listed.owner === owner.toLowerCase() && isId(listed.id) && isSafe(listed);
}

/** @returns `undefined` if the list has more than `maxPages`, or if there is no such owner */
async function readList(api: Api, place: Place, maxPages: number): Promise<List | undefined> {
  const { owner, kind } = place;
  const read = (root: string, page: number) =>
    api.request(`/${root}/${owner}/${KINDS[kind].segment}?per_page=100&page=${page}`);
  let root = 'users';
  const first = await read(root, 1).catch((error) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    root = 'orgs';
    return read(root, 1).catch((failed) => {
      throw asNoOwner(failed, owner);
    });
  });
  const list: List = new Map();
  const add = ({ json }: HttpAnswer) => {
    for (const data of json?.data ?? []) {
      const listed = listedOf(kind, data);
      // Something created meanwhile moves others to the next page, where they are again.
      list.set(isFine(listed, owner) ? listed.id : `${listed.owner}/${listed.name}`, listed);
    }
  };
  add(first);
  const pages = lastPageOf(first);
  if (pages > maxPages) return undefined;
  const others = Array.from({ length: pages - 1 }, (_, index) => index + 2);
  await inOrder(others, AT_ONCE, (page) => read(root, page), add);
  return list;
}

/** Returns the error to show if there is neither a user nor an organization of a name. */
export function asNoOwner(error: unknown, owner: string): unknown {
  if (!(error instanceof ApiError && error.status === 404)) return error;
  return new ApiError(404, error.code, `There is no user or organization “${owner}”.`);
}

function lastPageOf({ headers }: HttpAnswer): number {
  const [, address = ''] = /<([^>]*)>;\s*rel="?last"?/.exec(headers.get('link') ?? '') ?? [];
  const page = URL.canParse(address) ? new URL(address).searchParams.get('page') : null;
  return Math.max(1, Number(page) || 1);
}

// biome-ignore lint/suspicious/noExplicitAny: an answer, checked here and by `isFine`
function listedOf(kind: Kind, data: any): Listed {
  const [owner = '', ...name] = String(data.fullName).split('/');
  const { id, url, visibility, updatedAt, revision } = data;
  const texts = { url: String(url), visibility: String(visibility), updatedAt: String(updatedAt) };
  const number = Number.isSafeInteger(revision) ? revision : undefined;
  return { id: String(id), kind, owner, name: name.join('/'), ...texts, revision: number };
}

function keyOf(server: string, { owner, kind }: Place): string {
  return [server, kind, owner].join('\n');
}
