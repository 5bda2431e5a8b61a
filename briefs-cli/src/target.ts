import { existsSync, statSync } from 'node:fs';
import type { Api, RemoteDocument, Servers } from './api.ts';
import { type DocumentRef, parseTarget } from './document-ref.ts';
import { findFiles, type LocalFile, readText } from './files.ts';
import { recall } from './memory.ts';
import { CommandError, EXIT } from './outcome.ts';

/**
 * Returns the document that an argument names: a linked file, `owner/name`, `owner/pages/name`, or
 * an address.
 *
 * @throws CommandError if it names none
 */
export function documentOfTarget(servers: Servers, target: string): DocumentRef {
  if (existsSync(target) && statSync(target).isFile()) {
    const memory = recallFile(findFiles([target]).files[0] as LocalFile).memory;
    if (memory) return memory.document;
    throw new CommandError(`${target} hasn’t been pushed yet.`);
  }
  const ref = parseTarget(target, servers.known());
  if (ref) return ref;
  throw new CommandError(
    `“${target}” isn’t a file, owner/name or the address of a document.`,
    EXIT.usage,
  );
}

export function recallFile(file: LocalFile) {
  const whole = readText(file);
  return { whole, ...recall(file.kind, whole) };
}

/** Loads the document that an argument names. */
export async function loadTarget(
  servers: Servers,
  target: string,
): Promise<{ api: Api; document: RemoteDocument }> {
  const ref = documentOfTarget(servers, target);
  const api = await servers.at(ref.server);
  return { api, document: await api.getDocument(ref) };
}
