import { KINDS } from '../../src/base/schema/kind.ts';
import { nameFromFile, numberedName } from '../../src/base/text/document-name.ts';
import type { Revision } from '../../src/core/revision/revision.ts';
import { writerInWords } from '../../src/core/revision/writer.ts';
import { type Api, pathIn, type RemoteDocument } from './api.ts';
import { awaitsDecision, hasMarks, howToDecide, leaveConflict } from './conflict.ts';
import { type DocumentRef, pathOf } from './document-ref.ts';
import { isSame } from './line-breaks.ts';
import { identityOf, linkedTwice } from './links.ts';
import { asNoOwner } from './lists.ts';
import { ApiError, CommandError, EXIT, NotADocument, type Result, type Status } from './outcome.ts';
import { type Run, whoAmI } from './run.ts';
import { conflict, outcome, patch, type Read, writeBack } from './transfer.ts';

/** The most names to try for a new document. */
const MAX_NAMES = 100;

export interface PublishOptions {
  /** Where to put the document. Without a name, the file gives it one. */
  to: { owner: string; name?: string } | undefined;
  /** The prefix of names that come from files. */
  prefix: string;
  visibility: string;
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
  run: Run,
  api: Api,
  given: Read,
  path: string,
  options: PublishOptions,
): Promise<Result> {
  const { file } = given;
  if (hasMarks(given.text))
    throw new CommandError('it still has conflict marks. Resolve them first.');
  if (options.remember && awaitsDecision(file)) {
    return { file: file.shown, status: 'conflict', message: howToDecide(file) };
  }
  const name = nameOf(path, options);
  if (name === undefined) {
    throw new NotADocument('its name has no letter or digit. Choose one with --to OWNER/NAME.');
  }
  const read = await asSent(run, api, given, options);
  const { to, remember: remembers } = options;
  if (to && (to.name !== undefined || !remembers)) {
    return publishNamed(run, api, read, { kind: file.kind, owner: to.owner, name }, options);
  }
  return publishNew(run, api, read, name, options);
}

/** Returns a file with the text that is sent: its references name documents and uploads. */
async function asSent(run: Run, api: Api, read: Read, { to }: PublishOptions): Promise<Read> {
  const { file, body } = read;
  if (!run.bodies.hasReferences(body)) return read;
  await run.bodies.provide(api, file, body, run.dryRun ? 'find' : 'upload');
  const owner = to?.owner ?? (await whoAmI(api));
  const home = { server: api.server, owner, isNew: true };
  return { ...read, text: run.bodies.toDocument(home, file, body) };
}

/** Returns what all names have in common that a number may be added to or cut from. */
function familyOf(name: string): string {
  return name.slice(0, 80).replace(/(-\d*)+$/, '');
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
  run: Run,
  api: Api,
  read: Read,
  place: Place,
  options: PublishOptions,
): Promise<Result> {
  const existing = await findNamed(api, place);
  if (existing) return update(run, api, read, existing, options);
  if (run.dryRun) return wouldCreate(api, read, place);
  try {
    const document = await create(api, read, place.name, options);
    return finish(run, read, document, 'created', options);
  } catch (error) {
    const created = isRefused(error) && (await findNamed(api, place));
    if (!created) throw error;
    return update(run, api, read, created, options);
  }
}

function wouldCreate({ server }: Api, read: Read, place: Place): Result {
  return outcome(read, 'created', { server, ...place });
}

/**
 * Creates a document. If the name is taken by a document that another file is linked to, adds a
 * number to the name. Never updates a document: it may be any other.
 */
async function publishNew(
  run: Run,
  api: Api,
  read: Read,
  wanted: string,
  options: PublishOptions,
): Promise<Result> {
  const { file, text } = read;
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : numberedName(wanted, number);
    try {
      if (run.dryRun) {
        const place = { kind: file.kind, owner: options.to?.owner ?? (await whoAmI(api)), name };
        if (await isFree(run, api, place)) return wouldCreate(api, read, place);
      } else {
        return await run.turns.beside(familyOf(name), async () => {
          const document = await create(api, read, name, options);
          return finish(run, read, document, 'created', options);
        });
      }
    } catch (error) {
      if (!isRefused(error)) throw error;
      // Another file may just have got the name, and isn't linked yet.
      await run.turns.settled(familyOf(name));
      const owner = options.to?.owner ?? (await whoAmI(api));
      const existing = await findNamed(api, { kind: file.kind, owner, name });
      // The name isn't taken, so the error has another cause.
      if (!existing) throw error;
      const other = run.links.otherFileOf(file, identityOf(existing));
      // For example, because the answer to an earlier push was lost.
      if (!other && isSame(existing.text, text)) {
        return finish(run, read, existing, 'unchanged', options);
      }
      if (!other && number === 1) throw alreadyThere(existing);
      if (number === MAX_NAMES) throw error;
    }
  }
}

/**
 * Tells, for a dry run, whether a new document could have a name. One that another file of the same
 * run would get isn't free.
 *
 * @throws the error of creating it if a document has the name
 */
async function isFree(run: Run, api: Api, place: Place): Promise<boolean> {
  const address = pathOf(place);
  if (run.planned.has(address)) return false;
  run.planned.add(address);
  if (!(await findNamed(api, place))) return true;
  throw new ApiError(422, 'UNPROCESSABLE', `${address} exists already.`);
}

function alreadyThere({ ref }: RemoteDocument): CommandError {
  const address = pathOf(ref);
  return new CommandError(
    `${address} exists already, with another text. Rename the file, or push it with ` +
      `--to ${address} to compare both.`,
  );
}

/** Owners that are organizations, so that each further document costs one request. */
const organizations = new Set<string>();

/** @returns the created document, in the namespace of a person or an organization */
async function create(
  api: Api,
  { file: { kind }, text }: Read,
  name: string,
  { to, visibility }: PublishOptions,
): Promise<RemoteDocument> {
  const owner = to?.owner;
  const created = await api.createWithOthers({ kind, owner, name, visibility, text });
  if (created) return created;
  const { segment, contentField } = KINDS[kind];
  const body = { [contentField]: text, name, visibility };
  const post = async (owner: string) =>
    api.documentOf(kind, await api.request(`${owner}/${segment}`, { method: 'POST', body }), text);
  if (!to) return post('/user');
  const key = `${api.server} ${to.owner}`;
  if (organizations.has(key)) return post(`/orgs/${to.owner}`);
  try {
    return await post(`/users/${to.owner}`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    const created = await post(`/orgs/${to.owner}`).catch((failed) => {
      throw asNoOwner(failed, to.owner);
    });
    organizations.add(key);
    return created;
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
  run: Run,
  api: Api,
  read: Read,
  existing: RemoteDocument,
  options: PublishOptions,
): Promise<Result> {
  const { file } = read;
  const { ref, text, revision: baseRevision } = existing;
  const other = options.remember ? run.links.otherFileOf(file, identityOf(existing)) : undefined;
  if (other) return conflict(read, ref, linkedTwice(file, other, ref));
  if (isSame(text, read.text)) return finish(run, read, existing, 'unchanged', options);
  const others = options.overwrite ? undefined : await textOfOthers(api, existing, options);
  if (others === undefined) {
    if (run.dryRun) return outcome(read, 'pushed', ref, existing);
    try {
      const { message } = run;
      const written = await patch(api, existing, read.text, { baseRevision, message });
      return finish(run, read, written, 'pushed', options);
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
  if (run.dryRun) return conflict(read, ref, others);
  leaveConflict(run, read, existing, undefined);
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
  run: Run,
  read: Read,
  document: RemoteDocument,
  status: Status,
  { remember: remembers }: PublishOptions,
): Result {
  if (!remembers) return outcome(read, status, document.ref, document);
  run.links.add(read.file, identityOf(document));
  // With --new, the file may still name another document.
  return writeBack(run, { ...read, memory: undefined }, document, status);
}

/** Finds the document that has this name now, not one that had it before. */
async function findNamed(api: Api, place: Place): Promise<RemoteDocument | undefined> {
  const found = await api.findDocument(place);
  const isNamed = found?.ref.name === place.name && found.ref.owner === place.owner.toLowerCase();
  return isNamed ? found : undefined;
}
