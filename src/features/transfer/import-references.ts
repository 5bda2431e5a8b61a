import { Readable } from 'node:stream';
import { ServiceError } from '../../base/errors.ts';
import { addressOfWikilink, documentLink } from '../../base/markdown/document-links.ts';
import { DATA_PICTURES, isDataPicture, type Reference } from '../../base/markdown/reference.ts';
import { createFindFile, type FindFile } from '../../base/markdown/reference-paths.ts';
import { KINDS, type Kind } from '../../base/schema/kind.ts';
import { nameFromFile, numberedName } from '../../base/text/document-name.ts';
import { shorten } from '../../base/text/shorten.ts';
import { readerUrl } from '../../core/document/addresses.ts';
import { isNameTaken } from '../../core/document/document-store.ts';
import { decideType, SNIFFED_BYTES, sniffType } from '../files/content-type.ts';
import { presentFile } from '../files/file-schema.ts';
import { FILE_LIMIT_BYTES, saveUpload, storeUpload } from '../files/file-service.ts';
import { withoutMetadata } from '../files/image-metadata.ts';
import { requireShowable } from '../files/image-pixels.ts';
import { type ArchivedFile, ArchiveProblem } from './archive-reader.ts';
import {
  canBeMeant,
  decodeText,
  kindOfFile,
  reasonToSkip,
  stemOf,
  uploadName,
  withoutId,
} from './import-rules.ts';
import { baseNameOf, type Target } from './import-target.ts';

const UNUSED: FileFate = {
  outcome: 'skipped',
  reason: 'isn’t a document, and no document refers to it',
};

const INSIDE: FileFate = { outcome: 'skipped', reason: 'is now inside the pages that show it' };

/** The most numbers to try for a name. */
const MAX_NUMBER = 1_000;

/** Where a reference is cut that is shown because it leads nowhere, in UTF-16 code units. */
const MAX_SHOWN = 300;

/** The most references of a text that are reported to lead nowhere. */
const MAX_UNRESOLVED = 1_000;

/** What became of a file that isn't a document. */
export type FileFate =
  /** Documents of its archive refer to it. */
  | { outcome: 'uploaded'; url: string }
  /** `reason`: a phrase that follows the path. */
  | { outcome: 'skipped' | 'failed'; reason: string };

/** What documents of an archive can refer to, and what has been uploaded for them. */
export interface ArchiveResolver {
  find: FindFile;
  /** Returns the planned name of a document's file. */
  nameOf(path: string): string | undefined;
  /** Tells whether a file isn't a document, but documents may refer to it. */
  isFile(path: string): boolean;
  fileAt(path: string): ArchivedFile | undefined;
  /** The files that documents refer to. */
  fates: Map<string, FileFate>;
  fateOf(path: string): FileFate;
}

/**
 * Plans the names of an archive's documents, before any is created, so that they can refer to one
 * another. Files of one archive never share a name: a second `README.md` is named after its folder,
 * too.
 *
 * @throws BackEndUnavailable
 */
export async function planArchive(
  target: Target,
  files: readonly ArchivedFile[],
): Promise<ArchiveResolver> {
  const byPath = new Map<string, ArchivedFile>();
  for (const file of files) {
    const isMeant = canBeMeant(file.path, file.isExport);
    if (isMeant && !byPath.has(file.path)) byPath.set(file.path, file);
  }
  const names = new Map<string, string>();
  const own = new Set<string>();
  for (const file of byPath.values()) {
    const kind = kindOfFile(file.path);
    if (!kind || reasonToSkip(file.path, file.isExport)) continue;
    const base = nameFromFile(stemOf(file.path)) ?? (await nameInside(target, kind, file));
    if (base === undefined) continue;
    const name = await plannedName(target, kind, firstName(kind, base, file.path, own), own);
    own.add(`${kind}/${base}`);
    if (name === undefined) continue;
    own.add(`${kind}/${name}`);
    names.set(file.path, name);
  }
  const fates = new Map<string, FileFate>();
  return {
    find: createFindFile(byPath.keys()),
    nameOf: (path) => names.get(path),
    isFile: (path) => {
      const file = byPath.get(path);
      return file !== undefined && reasonToSkip(path, file.isExport) !== undefined;
    },
    fileAt: (path) => byPath.get(path),
    fates,
    fateOf: (path) => fates.get(path) ?? UNUSED,
  };
}

/** Returns a file's name, after its folder if another file has it. */
function firstName(kind: Kind, base: string, path: string, own: ReadonlySet<string>): string {
  const folder = path.split('/').at(-2);
  if (folder === undefined || !own.has(`${kind}/${base}`)) return base;
  return nameFromFile(`${withoutId(folder)}-${base}`) ?? base;
}

/**
 * Returns the first free name.
 *
 * @param own the names of the archive's other documents, as `kind/name`
 */
async function plannedName(
  { call, owner, options }: Target,
  kind: Kind,
  first: string,
  own: ReadonlySet<string>,
): Promise<string | undefined> {
  for (let number = 1; number <= MAX_NUMBER; number++) {
    const name = number === 1 ? first : numberedName(first, number);
    if (own.has(`${kind}/${name}`)) continue;
    // A taken name means the document that has it, if that is to stay.
    if (options.ifTaken === 'skip') return name;
    const wanted = { ownerId: owner.id, kind, name, exceptId: '' };
    if (!(await isNameTaken(call.sql.read, wanted))) return name;
  }
  return undefined;
}

async function nameInside(
  target: Target,
  kind: Kind,
  file: ArchivedFile,
): Promise<string | undefined> {
  const read = await file.read(KINDS[kind].contentLimitBytes);
  const decoded = 'problem' in read ? read : decodeText(read.bytes);
  return 'problem' in decoded ? undefined : baseNameOf(target.call, kind, file.path, decoded.text);
}

/**
 * Gives the references of a file their new addresses. Uploads the files that it refers to; a page
 * gets its pictures inside, because pages load nothing.
 *
 * @param resolver without it, nothing changes
 * @returns the text, and the references that lead nowhere, as they are written, at most 1,000 of
 *   them. `undefined` if the text would be too long
 * @throws UNAUTHORIZED; RATE_LIMITED, BackEndUnavailable; ArchiveProblem if there is no room for its
 *   pictures
 */
export async function resolveReferences(
  target: Target,
  kind: Kind,
  path: string,
  text: string,
  resolver: ArchiveResolver | undefined,
): Promise<{ text: string; unresolved: string[] } | undefined> {
  const { markdown } = target.call;
  // A page may have its pictures written into it; a brief can't show them.
  const own = kind === 'brief' ? [DATA_PICTURES] : [];
  const references = await markdown.references(target.call.actor.id, text, kind, own);
  if (!references) return { text, unresolved: [] };
  const addresses: (string | undefined)[] = [];
  const unresolved = new Set<string>();
  const known = new Map<string, string | undefined>();
  let { length } = text;
  for (const reference of references) {
    const isData = isDataPicture(reference);
    const key = isData ? reference.path : `${reference.form} ${reference.path}`;
    if (!known.has(key)) {
      const address = isData
        ? await uploadedData(target, reference.path)
        : resolver && (await newAddress(target, kind, path, reference, resolver));
      known.set(key, address);
      // Looking for documents takes long, so that ends after so many that aren't there.
      const isMissing =
        address === undefined &&
        unresolved.size < MAX_UNRESOLVED &&
        (isData || !(await leadsToDocument(target, kind, reference, resolver)));
      if (isMissing) unresolved.add(shorten(text.slice(reference.start, reference.end), MAX_SHOWN));
    }
    const address = known.get(key);
    addresses.push(address);
    length += address === undefined ? 0 : address.length - (reference.end - reference.start);
    // A picture that is shown a thousand times is there as often.
    if (kind === 'page' && length > KINDS.page.contentLimitBytes) return undefined;
  }
  const isSame = addresses.every((address) => address === undefined);
  const rewritten = isSame
    ? text
    : await markdown.rewriteReferences(target.call.actor.id, text, kind, addresses, own);
  return { text: rewritten ?? text, unresolved: [...unresolved] };
}

/** Uploads a picture that is written into a text. @returns its URL; `undefined` if it can't be */
async function uploadedData(target: Target, address: string): Promise<string | undefined> {
  const [, type = '', data = ''] = /^data:image\/([a-z]+);base64,(.+)$/is.exec(address) ?? [];
  const bytes = Buffer.from(data, 'base64');
  const sizeBytes = bytes.length;
  if (sizeBytes === 0 || sizeBytes > FILE_LIMIT_BYTES) return undefined;
  const path = `picture.${type.toLowerCase().replace('jpeg', 'jpg')}`;
  const read = async () => ({ bytes });
  const fate = await upload(target, { path, isExport: false, sizeBytes, read });
  return fate.outcome === 'uploaded' ? fate.url : undefined;
}

/** Tells whether a brief's reference is right as it is: a document of this name exists. */
async function leadsToDocument(
  { call, owner }: Target,
  kind: Kind,
  { form, path }: Reference,
  resolver: ArchiveResolver | undefined,
): Promise<boolean> {
  if (kind === 'page' || form === 'image' || form === 'embed') return false;
  const address =
    form === 'wikilink' ? addressOfWikilink({ target: path, heading: undefined }) : encodeURI(path);
  const link = address === undefined ? undefined : documentLink(address);
  if (!link) return false;
  // Other files may follow.
  if (!resolver) return true;
  // Other owners' documents aren't looked up. In an archive, `[[a/b]]` more likely means a folder.
  if (link.owner !== undefined) return form !== 'wikilink';
  const wanted = { ownerId: owner.id, kind: link.kind, name: link.name, exceptId: '' };
  return isNameTaken(call.sql.read, wanted);
}

async function newAddress(
  target: Target,
  kind: Kind,
  path: string,
  reference: Reference,
  resolver: ArchiveResolver,
): Promise<string | undefined> {
  const found = resolver.find(path, reference);
  if (found === undefined) return undefined;
  const to = kindOfFile(found);
  const name = resolver.nameOf(found);
  if (to && name !== undefined) {
    if (kind === 'brief') return `${encodeURIComponent(name)}.${to === 'brief' ? 'md' : 'html'}`;
    const { owner, options, call } = target;
    const { visibility } = options;
    return readerUrl(call.webUrl, { kind: to, ownerNamespace: owner.namespace, name, visibility });
  }
  const file = resolver.fileAt(found);
  if (!file || !resolver.isFile(found) || reference.form === 'resource') return undefined;
  if (kind === 'page' && reference.form === 'image') return inlined(target, file, resolver);
  return uploaded(target, file, resolver);
}

/** Uploads a file once. @returns its URL; `undefined` if it can't be uploaded */
async function uploaded(
  target: Target,
  file: ArchivedFile,
  { fates }: ArchiveResolver,
): Promise<string | undefined> {
  const known = fates.get(file.path);
  const fate = known && known.outcome !== 'skipped' ? known : await upload(target, file);
  fates.set(file.path, fate);
  return fate.outcome === 'uploaded' ? fate.url : undefined;
}

async function upload({ call, options, budget }: Target, file: ArchivedFile): Promise<FileFate> {
  const read = await file.read(FILE_LIMIT_BYTES);
  if ('problem' in read) return { outcome: 'failed', reason: read.problem };
  const problem = budget.take({ bytes: read.bytes.length });
  if (problem !== undefined) return { outcome: 'failed', reason: problem };
  await options.requireSession();
  try {
    const name = uploadName(file.path, file.isExport);
    const bytes = Readable.from([read.bytes], { objectMode: false });
    const stored = await storeUpload(call, { name, claimedType: '', bytes });
    const { url } = presentFile(call.renderUrl, await saveUpload(call, stored));
    return { outcome: 'uploaded', url };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'UNAUTHORIZED') throw error;
    return { outcome: 'failed', reason: `was refused: ${error.message}` };
  }
}

/**
 * Returns a picture as a `data:` address; `undefined` if it is none.
 *
 * @throws ArchiveProblem if there is no room for it in the import
 */
async function inlined(
  { budget }: Target,
  file: ArchivedFile,
  { fates }: ArchiveResolver,
): Promise<string | undefined> {
  const problem = budget.problemWith({ bytes: file.sizeBytes });
  if (problem !== undefined) throw new ArchiveProblem(problem);
  const read = await file.read(KINDS.page.contentLimitBytes);
  if ('problem' in read) return undefined;
  const sniffed = await sniffType(read.bytes.subarray(0, SNIFFED_BYTES));
  const decided = decideType(sniffed, '', file.path);
  if (!('type' in decided) || !decided.type.startsWith('image/')) return undefined;
  const chunks: Buffer[] = [];
  const bytes = Readable.from([read.bytes], { objectMode: false });
  const cleaned = withoutMetadata(decided.type, bytes, (...size) =>
    requireShowable('file', ...size),
  );
  try {
    for await (const chunk of cleaned) chunks.push(chunk);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    fates.set(file.path, { outcome: 'failed', reason: `was refused: ${error.message}` });
    return undefined;
  }
  if (!fates.has(file.path)) fates.set(file.path, INSIDE);
  return `data:${decided.type};base64,${Buffer.concat(chunks).toString('base64')}`;
}
