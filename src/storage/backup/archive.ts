import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create, Parser, type ReadEntry, Unpack } from 'tar';
import { isBlobKey } from '../blob/blob-key.ts';

/**
 * The entries of a backup, a tar archive: the manifest first, the database, and a folder of blobs.
 */
export const DATABASE = 'briefs.db';
export const BLOBS = 'blobs';
const MANIFEST = 'manifest.json';

/** A size in bytes and a SHA-256 in hexadecimal. */
interface Digest {
  size: number;
  sha256: string;
}

type Manifest = Map<string, Digest>;

/**
 * Writes a manifest and an archive of files in a folder. Ends the stream unless it is standard
 * output.
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
 * Compares an archive with its manifest. Writes nothing to disk.
 *
 * @param shownAs the archive's name in errors
 * @returns the number of files and their total size in bytes
 * @throws Error if an entry is damaged, with its name; if there is no manifest
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
  const { filter, requireNoOther } = watchEntries(shownAs);
  await feed(archive, new Parser({ filter, onReadEntry, onwarn }), shownAs);
  const manifest = readManifest(manifestText, shownAs);
  if (manifest) await requireAsListed(manifest, (path) => found.get(path), shownAs);
  if (faults.length > 0) throw new Error(`${shownAs} isn’t a Briefs backup, or is damaged.`);
  requireNoOther(manifest);
  if (!found.has(DATABASE)) throw new Error(`${shownAs} isn’t a Briefs backup.`);
  if (manifest) return { files: manifest.size, bytes: sizeOf(manifest) };
  throw new Error(`${shownAs} has no checksums, because an earlier version of Briefs created it.`);
}

/**
 * Unpacks an archive into a folder and compares the files with the manifest.
 *
 * @param shownAs the archive's name in errors
 * @returns whether it has a manifest; archives of earlier versions have none
 * @throws Error if an entry is damaged, with its name if there is a manifest; if the disk fails
 */
export async function unpackArchive(
  archive: Readable,
  into: string,
  shownAs: string,
): Promise<{ verified: boolean }> {
  const faults: unknown[] = [];
  const onwarn = (_code: string, _message: string, data: unknown) => faults.push(data);
  const { filter, requireNoOther } = watchEntries(shownAs);
  await feed(archive, new Unpack({ cwd: into, filter, onwarn }), shownAs);
  const ofDisk = faults.find((fault) => (fault as NodeJS.ErrnoException).syscall !== undefined);
  if (ofDisk) throw ofDisk;
  const manifest = readManifest(await readOrMissing(join(into, MANIFEST)), shownAs);
  const read = (path: string) => digestOrMissing(join(into, path));
  if (manifest) await requireAsListed(manifest, read, shownAs);
  if (faults.length > 0) throw new Error(`${shownAs} isn’t a Briefs backup, or is damaged.`);
  requireNoOther(manifest);
  return { verified: manifest !== undefined };
}

/**
 * Reads an archive to its end. The parser skips what it cannot read, so that the manifest can tell
 * which entry is damaged.
 */
async function feed(archive: Readable, parser: Parser, shownAs: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    archive.once('error', reject);
    parser.once('close', resolve);
    parser.once('error', (cause: Error) => {
      reject(new Error(`${shownAs} isn’t a Briefs backup, or is damaged.`, { cause }));
    });
    archive.pipe(parser as unknown as Writable);
  }).finally(() => archive.destroy());
}

/**
 * Returns a filter that only lets entries of a backup be read or unpacked, and a check that there
 * were no others: links, paths that lead elsewhere, files that the manifest doesn't list.
 */
function watchEntries(shownAs: string) {
  const data: string[] = [];
  let other: string | undefined;
  return {
    filter(path: string, entry: object): boolean {
      const type = 'type' in entry ? entry.type : undefined;
      if (type === 'File' && path === MANIFEST) return true;
      if (type === 'File' && isData(path)) {
        data.push(path);
        return true;
      }
      if (type !== 'Directory') other ??= path;
      return false;
    },
    /** @throws Error that names an entry that doesn't belong in a backup */
    requireNoOther(manifest: Manifest | undefined): void {
      const found = other ?? data.find((path) => manifest && !manifest.has(path));
      if (found === undefined) return;
      throw new Error(
        `${shownAs} contains ${JSON.stringify(found)}, which isn’t part of a backup.`,
      );
    },
  };
}

function isData(path: string): boolean {
  if (path === DATABASE) return true;
  return path.startsWith(`${BLOBS}/`) && isBlobKey(path.slice(BLOBS.length + 1));
}

/** Adds a checksum of the manifest, so a flipped bit in it is not blamed on another entry. */
function printManifest(manifest: Manifest): string {
  const files = Object.fromEntries(manifest);
  return JSON.stringify({ sha256: sha256(JSON.stringify(files)), files });
}

/** @throws Error if the manifest is damaged or lists other entries than those of a backup */
function readManifest(text: string | undefined, shownAs: string): Manifest | undefined {
  if (text === undefined) return undefined;
  try {
    const { sha256: expected, files } = JSON.parse(text);
    const isWhole = sha256(JSON.stringify(files)) === expected;
    if (isWhole && Object.keys(files).every(isData)) return new Map(Object.entries(files));
  } catch {
    // Malformed text is damage, too.
  }
  throw new Error(`${shownAs} is damaged: ${MANIFEST} doesn't match its checksum.`);
}

/** @throws Error that names the first entry that differs from the manifest */
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
