import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create, Parser, type ReadEntry, Unpack } from 'tar';
import { isBlobKey } from './blob/blob-key.ts';

/** The entries of a backup, which is a tar archive: the manifest first, the database, and blobs below a folder. */
export const DATABASE = 'briefs.db';
export const BLOBS = 'blobs';
const MANIFEST = 'manifest.json';

/** A size in bytes, and a SHA-256 in hexadecimal. */
interface Digest {
  size: number;
  sha256: string;
}

type Manifest = Map<string, Digest>;

/**
 * Writes an archive of files below a folder, which gets a manifest of them. Ends the stream unless it
 * is standard output.
 *
 * @param paths relative to the folder
 */
export async function writeArchive(root: string, paths: string[], out: Writable): Promise<void> {
  const manifest: Manifest = new Map();
  for (const path of paths) manifest.set(path, await digestOf(createReadStream(join(root, path))));
  await writeFile(join(root, MANIFEST), printManifest(manifest));
  const archive = create({ cwd: root, portable: true }, [MANIFEST, ...paths]);
  await pipeline(Readable.from(archive), out, { end: out !== process.stdout });
}

/**
 * Compares an archive with its manifest, without writing anything to the disk.
 *
 * @param shownAs what errors call the archive
 * @returns how many files it holds, and how many bytes they have
 * @throws Error when the archive is damaged, naming the entry; when it has no manifest
 */
export async function verifyArchive(
  archive: Readable,
  shownAs: string,
): Promise<{ files: number; bytes: number }> {
  const found: Manifest = new Map();
  let manifestText: string | undefined;
  const onReadEntry = (entry: ReadEntry) => {
    const hash = createHash('sha256');
    const text: Buffer[] = [];
    let size = 0;
    entry.on('data', (chunk) => {
      hash.update(chunk);
      size += chunk.length;
      if (entry.path === MANIFEST) text.push(chunk);
    });
    entry.on('end', () => {
      if (entry.path === MANIFEST) manifestText = Buffer.concat(text).toString();
      else found.set(entry.path, { size, sha256: hash.digest('hex') });
    });
  };
  const faults: unknown[] = [];
  const onwarn = (_code: string, _message: string, data: unknown) => faults.push(data);
  await feed(archive, new Parser({ filter: isContent, onReadEntry, onwarn }), shownAs);
  const manifest = readManifest(manifestText, shownAs);
  if (manifest) await requireAsListed(manifest, (path) => found.get(path), shownAs);
  if (faults.length > 0) throw new Error(`${shownAs} is no backup of Briefs, or is damaged.`);
  if (!found.has(DATABASE)) throw new Error(`${shownAs} is no backup of Briefs.`);
  if (manifest) return { files: manifest.size, bytes: sizeOf(manifest) };
  throw new Error(`${shownAs} has no checksums: an earlier version of Briefs made it.`);
}

/**
 * Unpacks an archive into a folder, and compares what is there then with the manifest.
 *
 * @param shownAs what errors call the archive
 * @returns whether it has a manifest; archives made by earlier versions have none
 * @throws Error when the archive is damaged, naming the entry where it has a manifest; when the disk fails
 */
export async function unpackArchive(
  archive: Readable,
  into: string,
  shownAs: string,
): Promise<{ verified: boolean }> {
  const faults: unknown[] = [];
  const onwarn = (_code: string, _message: string, data: unknown) => faults.push(data);
  await feed(archive, new Unpack({ cwd: into, filter: isContent, onwarn }), shownAs);
  const ofDisk = faults.find((fault) => (fault as NodeJS.ErrnoException).syscall !== undefined);
  if (ofDisk) throw ofDisk;
  const manifest = readManifest(await readOrMissing(join(into, MANIFEST)), shownAs);
  const read = (path: string) => digestOrMissing(join(into, path));
  if (manifest) await requireAsListed(manifest, read, shownAs);
  if (faults.length > 0) throw new Error(`${shownAs} is no backup of Briefs, or is damaged.`);
  return { verified: manifest !== undefined };
}

/**
 * Reads an archive to its end. The parser skips what it doesn't understand and warns of it, so that the
 * manifest can tell which entry is damaged.
 */
async function feed(archive: Readable, parser: Parser, shownAs: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    archive.once('error', reject);
    parser.once('close', resolve);
    parser.once('error', (cause: Error) => {
      reject(new Error(`${shownAs} is no backup of Briefs, or is damaged.`, { cause }));
    });
    archive.pipe(parser as unknown as Writable);
  }).finally(() => archive.destroy());
}

/** Whether an entry belongs into a backup. Nothing else is unpacked: no links, nothing that leads elsewhere. */
function isContent(path: string, entry: object): boolean {
  return 'type' in entry && entry.type === 'File' && (path === MANIFEST || isData(path));
}

function isData(path: string): boolean {
  if (path === DATABASE) return true;
  return path.startsWith(`${BLOBS}/`) && isBlobKey(path.slice(BLOBS.length + 1));
}

/** The manifest has a checksum, too: else a flipped bit in it would be blamed on another entry. */
function printManifest(manifest: Manifest): string {
  const files = Object.fromEntries(manifest);
  return JSON.stringify({ sha256: sha256(JSON.stringify(files)), files });
}

/** @throws Error when the manifest is damaged, or lists what is no part of a backup */
function readManifest(text: string | undefined, shownAs: string): Manifest | undefined {
  if (text === undefined) return undefined;
  try {
    const { sha256: expected, files } = JSON.parse(text);
    const isWhole = sha256(JSON.stringify(files)) === expected;
    if (isWhole && Object.keys(files).every(isData)) return new Map(Object.entries(files));
  } catch {
    // It is damaged, too.
  }
  throw new Error(`${shownAs} is damaged: ${MANIFEST} doesn't match its checksum.`);
}

/** @throws Error that names the first entry that isn't what the manifest says */
async function requireAsListed(
  manifest: Manifest,
  find: (path: string) => Digest | undefined | Promise<Digest | undefined>,
  shownAs: string,
): Promise<void> {
  for (const [path, { size, sha256 }] of manifest) {
    const found = await find(path);
    if (!found) throw new Error(`${shownAs} is damaged: ${path} is missing.`);
    if (found.size !== size) {
      throw new Error(`${shownAs} is damaged: ${path} has ${found.size} bytes, not ${size}.`);
    }
    if (found.sha256 !== sha256) {
      throw new Error(`${shownAs} is damaged: ${path} doesn't match its checksum.`);
    }
  }
}

function sizeOf(manifest: Manifest): number {
  return [...manifest.values()].reduce((sum, { size }) => sum + size, 0);
}

async function digestOf(content: Readable): Promise<Digest> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest('hex') };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const digestOrMissing = (file: string) => orMissing(digestOf(createReadStream(file)));
const readOrMissing = (file: string) => orMissing(readFile(file, 'utf8'));

async function orMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
