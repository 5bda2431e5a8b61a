import { KINDS, type Kind } from '../../src/document/kind.ts';
import type { Api } from './api.ts';
import { isSafe } from './document-ref.ts';
import { ApiError } from './outcome.ts';

/** A document in a list. */
export interface Listed {
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
  for (const { kind, segment } of Object.values(KINDS)) {
    for await (const fullName of listNames(api, owner, segment)) {
      const [listedOwner = '', ...name] = fullName.split('/');
      const listed = { kind, owner: listedOwner, name: name.join('/') };
      // A name such as "../x" must not lead out of the folder.
      if (listedOwner === owner.toLowerCase() && isSafe(listed)) documents.push(listed);
      else unsafe.push(fullName);
    }
  }
  return { documents, unsafe };
}

async function* listNames(api: Api, owner: string, segment: string): AsyncGenerator<string> {
  let root = `/users/${owner}`;
  for (let page = 1; ; page++) {
    const read = () => api.request(`${root}/${segment}?page=${page}`);
    const answer = await read().catch((error) => {
      if (!(error instanceof ApiError && error.status === 404) || page > 1) throw error;
      root = `/orgs/${owner}`;
      return read();
    });
    for (const { fullName } of answer.json?.data ?? []) yield String(fullName);
    if (!/rel="?next"?/.test(answer.headers.get('link') ?? '')) return;
  }
}
