import { existsSync, statSync } from 'node:fs';
import type { Api, RemoteDocument, Servers } from './api.ts';
import { type DocumentRef, parseTarget } from './document-ref.ts';
import { findFiles, type LocalFile } from './files.ts';
import { Lists } from './lists.ts';
import type { Memory } from './memory.ts';
import { CommandError, EXIT } from './outcome.ts';
import { recallFile } from './recall-file.ts';
import { findLinked } from './transfer.ts';

/**
 * Returns the document that an argument names: a linked file, `owner/name`, `owner/pages/name`, or
 * an address.
 *
 * @throws CommandError if it names none
 */
export function documentOfTarget(servers: Servers, target: string): DocumentRef {
  return memoryOfTarget(servers, target).document;
}

function memoryOfTarget(servers: Servers, target: string): Memory {
  if (existsSync(target) && statSync(target).isFile()) {
    const memory = recallFile(findFiles([target]).files[0] as LocalFile).memory;
    if (memory) return memory;
    throw new CommandError(`${target} hasn’t been pushed yet.`);
  }
  const ref = parseTarget(target, servers.known());
  if (ref) return { document: ref };
  throw new CommandError(
    `“${target}” isn’t a file, owner/name or the address of a document.`,
    EXIT.usage,
  );
}

/** Loads the document that an argument names. */
export async function loadTarget(
  servers: Servers,
  target: string,
): Promise<{ api: Api; document: RemoteDocument }> {
  const memory = memoryOfTarget(servers, target);
  const api = await servers.at(memory.document.server);
  if (memory.id === undefined) return { api, document: await api.getDocument(memory.document) };
  const lists = new Lists();
  return { api, document: (await findLinked({ lists }, api, { memory, text: '' })).current };
}
