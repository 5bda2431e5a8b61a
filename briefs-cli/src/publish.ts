import { KINDS } from '../../src/base/schema/kind.ts';
import { nameFromFile, numberedName } from '../../src/base/text/document-name.ts';
import type { Revision } from '../../src/core/revision/revision.ts';
import { writerInWords } from '../../src/core/revision/writer.ts';
import { type Api, pathIn, type RemoteDocument } from './api.ts';
import { awaitsDecision, hasMarks, howToDecide, leaveConflict } from './conflict.ts';
import { type DocumentRef, pathOf } from './document-ref.ts';
import { identityOf, type Links, linkedTwice } from './links.ts';
import { ApiError, CommandError, EXIT, type Result, type Status } from './outcome.ts';
import { conflict, outcome, patch, type Read, writeBack } from './transfer.ts';

/** The most names to try for a new document. */
const MAX_NAMES = 100;

export interface PublishOptions {
  /** Where to put the document. Without a name, the file gives it one. */
  to: { owner: string; name?: string } | undefined;
  /** The prefix of names that come from files. */
  prefix: string;
  visibility: string;
  message: string | undefined;
  /** Whether to replace a text that someone else wrote. */
  overwrite: boolean;
  /** Whether to store the document's address in the file. */
  remember: boolean;
}

type Place = Omit<DocumentRef, 'server'>;

/**
 * Sends a file that isn't linked to a document. Creates a document; if `to` names one that exists,
 * or with `remember: false` the file's name does, updates that.
 *
 * @param path the file's, below the folder in the arguments
 */
export async function publish(
  api: Api,
  read: Read,
  path: string,
  links: Links,
  options: PublishOptions,
): Promise<Result> {
  const { file, text } = read;
  if (hasMarks(text)) throw new CommandError('it still has conflict marks. Resolve them first.');
  if (options.remember && awaitsDecision(file)) {
    return { file: file.shown, status: 'conflict', message: howToDecide(file) };
  }
  const name = nameOf(path, options);
  if (name === undefined) {
    throw new CommandError('its name has no letter or digit. Choose one with --to OWNER/NAME.');
  }
  const { to, remember: remembers } = options;
  if (to && (to.name !== undefined || !remembers)) {
    return publishNamed(api, read, { kind: file.kind, owner: to.owner, name }, links, options);
  }
  return publishNew(api, read, name, links, options);
}

/** Returns the name of a file's document; `undefined` if the file's name doesn't give one. */
export function nameOf(
  path: string,
  { to, prefix }: Pick<PublishOptions, 'to' | 'prefix'>,
): string | undefined {
  const stem = path.replace(/\.[^.]*$/, '').replaceAll('/', '-');
  return to?.name ?? nameFromFile(prefix + stem);
}

/** Updates the document of this name, or creates it. */
async function publishNamed(
  api: Api,
  read: Read,
  place: Place,
  links: Links,
  options: PublishOptions,
): Promise<Result> {
  const existing = await findNamed(api, place);
  if (existing) return update(api, read, existing, links, options);
  try {
    return finish(read, await create(api, read, place.name, options), 'created', links, options);
  } catch (error) {
    const created = isRefused(error) && (await findNamed(api, place));
    if (!created) throw error;
    return update(api, read, created, links, options);
  }
}

/**
 * Creates a document. If the name is taken by a document that another file is linked to, adds a
 * number to the name. Never updates a document: it may be any other.
 */
async function publishNew(
  api: Api,
  read: Read,
  wanted: string,
  links: Links,
  options: PublishOptions,
): Promise<Result> {
  const { file, text } = read;
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : numberedName(wanted, number);
    try {
      return finish(read, await create(api, read, name, options), 'created', links, options);
    } catch (error) {
      if (!isRefused(error)) throw error;
      const owner = options.to?.owner ?? (await whoAmI(api));
      const existing = await findNamed(api, { kind: file.kind, owner, name });
      // The name isn't taken, so the error has another cause.
      if (!existing) throw error;
      const other = links.otherFileOf(file, identityOf(existing));
      // For example, because the answer to an earlier push was lost.
      if (!other && existing.text === text) {
        return finish(read, existing, 'unchanged', links, options);
      }
      if (!other && number === 1) throw alreadyThere(existing);
      if (number === MAX_NAMES) throw error;
    }
  }
}

function alreadyThere({ ref }: RemoteDocument): CommandError {
  const address = pathOf(ref);
  return new CommandError(
    `${address} exists already, with another text. Rename the file, or push it with ` +
      `--to ${address} to compare both.`,
  );
}

/** @returns the created document, in the namespace of a person or an organization */
async function create(
  api: Api,
  { file: { kind }, text }: Read,
  name: string,
  { to, visibility }: PublishOptions,
): Promise<RemoteDocument> {
  const { segment, contentField } = KINDS[kind];
  const body = { [contentField]: text, name, visibility };
  const post = async (owner: string) =>
    api.documentOf(kind, await api.request(`${owner}/${segment}`, { method: 'POST', body }), text);
  if (!to) return post('/user');
  try {
    return await post(`/users/${to.owner}`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return post(`/orgs/${to.owner}`);
  }
}

/** Tells whether the name may be taken. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status === 422;
}

/**
 * Replaces the text of a document that has been read just now, if nobody else's text is lost: with
 * `overwrite`, or if the same token or application wrote it. Otherwise reports a conflict.
 */
async function update(
  api: Api,
  read: Read,
  existing: RemoteDocument,
  links: Links,
  options: PublishOptions,
): Promise<Result> {
  const { file } = read;
  const { ref, text, revision: baseRevision } = existing;
  const other = options.remember ? links.otherFileOf(file, identityOf(existing)) : undefined;
  if (other) return conflict(read, ref, linkedTwice(file, other, ref));
  if (text === read.text) return finish(read, existing, 'unchanged', links, options);
  const { message } = options;
  const others = options.overwrite ? undefined : await textOfOthers(api, existing, options);
  if (others === undefined) {
    try {
      const written = await patch(api, existing, read.text, { baseRevision, message });
      return finish(read, written, 'pushed', links, options);
    } catch (error) {
      if (error instanceof ApiError && error.exitCode === EXIT.conflict) {
        return conflict(read, ref, error.message);
      }
      throw error;
    }
  }
  if (!options.remember) {
    const next = 'Use --overwrite to replace it. The history keeps the old text.';
    return conflict(read, ref, `${others} ${next}`);
  }
  leaveConflict(file, read.text, existing, undefined);
  return conflict(read, ref, howToDecide(file, others));
}

/**
 * Says who wrote a text that mustn't be replaced; `undefined` if it may be. A file that remembers
 * its document would know the text if it had written it. Without that, the text counts as read only
 * if the same token or application wrote all of it.
 */
async function textOfOthers(
  api: Api,
  { ref, revision }: RemoteDocument,
  { remember: remembers }: PublishOptions,
): Promise<string | undefined> {
  const address = pathOf(ref);
  if (remembers) return `${address} has another text, which this file isn’t based on.`;
  const { json } = await api.request(`${pathIn(ref)}/revisions`);
  const revisions: (Revision & { own: boolean })[] = json?.data ?? [];
  const last = revisions.find(({ changed }) => changed.includes('content'));
  if (last?.own === true && !last.merged && last.number <= revision) return undefined;
  const writer = last ? writerInWords(last) : 'Someone';
  const merged = last?.merged ? ', merging changes by others' : '';
  return `${writer} wrote the text of ${address}${merged}.`;
}

function finish(
  read: Read,
  document: RemoteDocument,
  status: Status,
  links: Links,
  { remember: remembers }: PublishOptions,
): Result {
  if (!remembers) return outcome(read, status, document.ref, document);
  links.add(read.file, identityOf(document));
  // With --new, the file may still name another document.
  return writeBack({ ...read, memory: undefined }, document, status);
}

async function whoAmI(api: Api): Promise<string> {
  const { json } = await api.request('/user');
  return String(json?.data?.username);
}

/** Finds the document that has this name now, not one that had it before. */
async function findNamed(api: Api, place: Place): Promise<RemoteDocument | undefined> {
  const found = await api.findDocument(place);
  const isNamed = found?.ref.name === place.name && found.ref.owner === place.owner.toLowerCase();
  return isNamed ? found : undefined;
}
