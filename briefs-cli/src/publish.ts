import { KINDS } from '../../src/document/kind.ts';
import { nameFromFile } from '../../src/document/name.ts';
import { type Api, pathIn, type RemoteDocument } from './api.ts';
import { hasMarks, leaveConflict } from './conflict.ts';
import { type DocumentRef, pathOf } from './document-ref.ts';
import { ApiError, CommandError, type Result, type Status } from './outcome.ts';
import { conflict, outcome, patch, type Read, writeBack } from './transfer.ts';

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

/**
 * Sends a file that isn't linked to a document. Creates a document, or updates the one that `to`
 * names: only if a program of the same user wrote its text, or with `overwrite`.
 *
 * @param path the file's, below the folder in the arguments
 */
export async function publish(
  api: Api,
  read: Read,
  path: string,
  options: PublishOptions,
): Promise<Result> {
  if (hasMarks(read.text))
    throw new CommandError('it still has conflict marks. Resolve them first.');
  const stem = path.replace(/\.[^.]*$/, '').replaceAll('/', '-');
  const name = options.to?.name ?? nameFromFile(options.prefix + stem);
  if (name === undefined) {
    throw new CommandError('its name has no letter or digit. Choose one with --to OWNER/NAME.');
  }
  const { kind } = read.file;
  try {
    return finish(read, await create(api, read, name, options), 'created', options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    const owner = options.to?.owner ?? (await whoAmI(api));
    const existing = await findDocument(api, { kind, owner, name });
    // The name isn't taken, so the error has another cause.
    if (!existing) throw error;
    return update(api, read, existing, options);
  }
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

async function update(
  api: Api,
  read: Read,
  existing: RemoteDocument,
  options: PublishOptions,
): Promise<Result> {
  const { ref, text, revision } = existing;
  if (text === read.text) return finish(read, existing, 'unchanged', options);
  const address = pathOf(ref);
  if (!options.to && !options.overwrite) {
    throw new CommandError(`you already have ${address}. To update it, use --to ${address}.`);
  }
  const writer = options.overwrite ? undefined : await otherWriter(api, ref);
  if (writer === undefined) {
    const { message } = options;
    const written = await patch(api, ref, read.text, { baseRevision: revision, message });
    return finish(read, written, 'pushed', options);
  }
  const others = `${writer} wrote the text of ${address}.`;
  const next = options.remember
    ? leaveConflict(read.file, read.text, existing, undefined)
    : 'Use --overwrite to replace it. The history keeps the old text.';
  return conflict(read, ref, `${others} ${next}`);
}

function finish(
  read: Read,
  document: RemoteDocument,
  status: Status,
  { remember }: PublishOptions,
): Result {
  return remember
    ? writeBack(read, document, status)
    : outcome(read, status, document.ref, document);
}

/** Returns who wrote a document's text; `undefined` if it was a program of the caller. */
async function otherWriter(api: Api, ref: DocumentRef): Promise<string | undefined> {
  const { json } = await api.request(`${pathIn(ref)}/revisions`);
  const revisions: { author: string | null; via: string | null; changed: string[] }[] = json.data;
  const last = revisions.find(({ changed }) => changed.includes('content'));
  const isProgram = last?.via === 'token' || last?.via === 'application';
  if (isProgram && last.author === (await whoAmI(api))) return undefined;
  return last?.author ?? 'Someone';
}

async function whoAmI(api: Api): Promise<string> {
  const { json } = await api.request('/user');
  return String(json?.data?.username);
}

async function findDocument(
  api: Api,
  ref: Omit<DocumentRef, 'server'>,
): Promise<RemoteDocument | undefined> {
  try {
    return await api.getDocument(ref);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
