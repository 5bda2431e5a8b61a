import { KINDS, type Kind } from '../../src/base/schema/kind.ts';
import type { Api } from './api.ts';
import { type DocumentRef, isId, isSafe } from './document-ref.ts';
import { ApiError } from './outcome.ts';

/** A document in a list. */
export interface Listed {
  id: string;
  kind: Kind;
  owner: string;
  name: string;
}

/** Lists the documents of a person or an organization that the caller can read. */
export async function listDocuments(
  api: Api,
  owner: string,
): Promise<{ documents: Listed[]; unsafe: string[] }> {
  const documents: Listed[] = [];
  const unsafe: string[] = [];
  for (const { kind } of Object.values(KINDS)) {
    for await (const listed of listKind(api, owner, kind)) {
      if (isFine(listed, owner)) documents.push(listed);
      else unsafe.push(`${listed.owner}/${listed.name}`);
    }
  }
  return { documents, unsafe };
}

/** Finds a document by its id in its owner's list; `undefined` if it isn't there. */
export async function findListed(
  api: Api,
  { kind, owner }: Pick<DocumentRef, 'kind' | 'owner'>,
  id: string,
): Promise<Listed | undefined> {
  try {
    for await (const listed of listKind(api, owner, kind)) {
      if (listed.id === id && isFine(listed, owner)) return listed;
    }
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
  return undefined;
}

/** Tells whether a listed document can become a file. A name such as "../x" must not. */
function isFine(listed: Listed, owner: string): boolean {
  return listed.owner === owner.toLowerCase() && isId(listed.id) && isSafe(listed);
}

async function* listKind(api: Api, owner: string, kind: Kind): AsyncGenerator<Listed> {
  let root = `/users/${owner}`;
  for (let page = 1; ; page++) {
    const read = () => api.request(`${root}/${KINDS[kind].segment}?per_page=100&page=${page}`);
    const answer = await read().catch((error) => {
      if (!(error instanceof ApiError && error.status === 404) || page > 1) throw error;
      root = `/orgs/${owner}`;
      return read();
    });
    for (const { id, fullName } of answer.json?.data ?? []) {
      const [listedOwner = '', ...name] = String(fullName).split('/');
      yield { id, kind, owner: listedOwner, name: name.join('/') };
    }
    if (!/rel="?next"?/.test(answer.headers.get('link') ?? '')) return;
  }
}
