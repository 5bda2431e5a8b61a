import { createHash } from 'node:crypto';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { Header, Parser, type ReadEntry } from 'tar';
import { isBlobKey } from '../blob/blob-key.ts';

/*
 * A backup is a tar archive. Its entries, in this order:
 *
 * briefs.json                 what made it: `Origin`
 * blobs/KEY                   the content that rows refer to, and some that they no longer refer to
 * rows/TABLE/000001.jsonl     rows as JSON lines, each table after those it refers to; bytes are
 *                             { "base64": … }
 * checksums.json              the size and SHA-256 of every other entry, and which blobs were lost
 */
const ORIGIN = 'briefs.json';
const BLOBS = 'blobs/';
const ROWS = /^rows\/([a-z_]+)\/\d{6}\.jsonl$/;
const CHECKSUMS = 'checksums.json';

/** Entries are in memory as a whole. Blobs and batches of rows have at most some 10 MB. */
const MAX_ENTRY_BYTES = 64 * 1024 * 1024;
const MAX_CHECKSUMS_BYTES = 400 * 1024 * 1024;

const BLOCK_BYTES = 512;

/** What made a backup. */
export interface Origin {
  /** The version of Briefs. */
  version: string;
  /** The migrations of the schema whose rows it has, in their order. */
  migrations: string[];
  createdAt: string;
}

/** A size in bytes and a SHA-256 in hexadecimal. */
interface Digest {
  size: number;
  sha256: string;
}

/** What a verified archive contains. */
export interface Contents {
  origin: Origin;
  entries: Map<string, Digest>;
  /** The keys of blobs that rows refer to, but that the blob store no longer had. */
  lost: Set<string>;
}

export interface Entry {
  path: string;
  bytes: Buffer;
}

export const blobPath = (key: string) => `${BLOBS}${key}`;

export function rowsPath(table: string, number: number): string {
  return `rows/${table}/${String(number).padStart(6, '0')}.jsonl`;
}

/** Returns the blob key in an entry's path; `undefined` if it is no blob. */
export function keyIn(path: string): string | undefined {
  const key = path.slice(BLOBS.length);
  return path.startsWith(BLOBS) && isBlobKey(key) ? key : undefined;
}

/** Returns the table in an entry's path; `undefined` if it has no rows. */
export function tableIn(path: string): string | undefined {
  return ROWS.exec(path)?.[1];
}

/** Writes an archive. Each method resolves once the stream has taken the bytes, or rejects. */
export class ArchiveWriter {
  readonly #out: Writable;
  readonly #entries = new Map<string, Digest>();

  constructor(out: Writable) {
    this.#out = out;
    // Each write reports its own error.
    out.on('error', () => {});
  }

  async begin(origin: Origin): Promise<void> {
    await this.add(ORIGIN, Buffer.from(JSON.stringify(origin)));
  }

  async add(path: string, bytes: Buffer): Promise<void> {
    this.#entries.set(path, digestOf(bytes));
    const header = Buffer.alloc(BLOCK_BYTES);
    const needsMore = new Header({
      path,
      size: bytes.length,
      mode: 0o600,
      mtime: new Date(),
      type: 'File',
    }).encode(header);
    if (needsMore) throw new Error(`The name ${path} is too long for an archive.`);
    const padding = Buffer.alloc((BLOCK_BYTES - (bytes.length % BLOCK_BYTES)) % BLOCK_BYTES);
    await this.#write(Buffer.concat([header, bytes, padding]));
  }

  /** @param lost the keys of blobs that rows refer to, but that are missing */
  async end(lost: ReadonlySet<string>): Promise<void> {
    const listed = { entries: Object.fromEntries(this.#entries), lost: [...lost] };
    // Its own checksum, so that a flipped bit in it isn't blamed on another entry.
    const { sha256 } = digestOf(Buffer.from(JSON.stringify(listed)));
    await this.add(CHECKSUMS, Buffer.from(JSON.stringify({ sha256, ...listed })));
    await this.#write(Buffer.alloc(2 * BLOCK_BYTES));
  }

  #write(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#out.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }
}

/**
 * Compares an archive with its checksums. Writes nothing.
 *
 * @param shownAs the archive's name in errors
 * @throws Error if an entry is damaged, with its name; if an entry is not one of a backup's
 */
export async function verifyArchive(archive: Readable, shownAs: string): Promise<Contents> {
  const found = new Map<string, Digest>();
  let origin: Origin | undefined;
  let checksums: Buffer | undefined;
  const faults: Faults = { isDamaged: false, other: undefined };
  for await (const { path, bytes } of readEntries(archive, shownAs, faults)) {
    if (path === CHECKSUMS) {
      checksums = bytes;
      continue;
    }
    if (path === ORIGIN) origin = readOrigin(bytes);
    found.set(path, digestOf(bytes));
  }
  const notOurs = new Error(`${shownAs} isn’t a Briefs backup, or is damaged.`);
  const foreign = (path: string) =>
    new Error(`${shownAs} contains ${JSON.stringify(path)}, which isn’t part of a backup.`);
  if (!checksums) throw faults.other === undefined ? notOurs : foreign(faults.other);
  const { entries, lost } = readChecksums(checksums, shownAs);
  for (const [path, digest] of entries) requireEqual(path, found.get(path), digest, shownAs);
  if (faults.isDamaged || !origin) throw notOurs;
  const other = faults.other ?? [...found.keys()].find((path) => !entries.has(path));
  if (other !== undefined) throw foreign(other);
  return { origin, entries, lost: new Set(lost) };
}

/**
 * Reads the entries of a verified archive that are wanted, and compares each with its checksum
 * again.
 *
 * @throws Error if the archive has changed
 */
export async function* readVerified(
  archive: Readable,
  shownAs: string,
  { entries }: Contents,
  isWanted: (path: string) => boolean,
): AsyncGenerator<Entry> {
  const faults: Faults = { isDamaged: false, other: undefined };
  for await (const { path, bytes } of readEntries(archive, shownAs, faults, isWanted)) {
    const listed = entries.get(path);
    if (!listed) throw new Error(`${shownAs} has changed meanwhile.`);
    requireEqual(path, digestOf(bytes), listed, shownAs);
    yield { path, bytes };
  }
}

interface Faults {
  isDamaged: boolean;
  /** The first entry that isn't one of a backup's. */
  other: string | undefined;
}

/**
 * Reads the entries of an archive to its end. Skips what it can't read and what doesn't belong in a
 * backup, such as links and paths that lead elsewhere, and notes it in `faults`.
 */
async function* readEntries(
  archive: Readable,
  shownAs: string,
  faults: Faults,
  isWanted: (path: string) => boolean = () => true,
): AsyncGenerator<Entry> {
  const found = new PassThrough({ objectMode: true });
  const filter = (path: string, entry: object) => {
    const { type, size } = entry as ReadEntry;
    const limit = path === CHECKSUMS ? MAX_CHECKSUMS_BYTES : MAX_ENTRY_BYTES;
    if (type === 'File' && isOfBackup(path) && size <= limit) return isWanted(path);
    if (type !== 'Directory') faults.other ??= path;
    return false;
  };
  const parser = new Parser({
    filter,
    onReadEntry: (entry) => found.write(entry),
    onwarn: () => {
      faults.isDamaged = true;
    },
  });
  parser.once('close', () => found.end());
  parser.once('error', (cause: Error) => {
    found.destroy(new Error(`${shownAs} isn’t a Briefs backup, or is damaged.`, { cause }));
  });
  archive.once('error', (error) => found.destroy(error));
  archive.pipe(parser as unknown as Writable);
  try {
    // The parser waits for the end of one entry before it reads the next.
    for await (const entry of found as AsyncIterable<ReadEntry>) {
      yield { path: entry.path, bytes: Buffer.from(await entry.concat()) };
    }
  } finally {
    archive.unpipe();
    archive.destroy();
  }
}

function isOfBackup(path: string): boolean {
  return (
    path === ORIGIN ||
    path === CHECKSUMS ||
    keyIn(path) !== undefined ||
    tableIn(path) !== undefined
  );
}

function readOrigin(bytes: Buffer): Origin | undefined {
  try {
    const { version, migrations, createdAt } = JSON.parse(bytes.toString());
    const names: unknown[] = Array.isArray(migrations) ? migrations : [];
    if (names.length === 0 || !names.every((name) => typeof name === 'string')) return undefined;
    return {
      version: String(version),
      migrations: names as string[],
      createdAt: String(createdAt),
    };
  } catch {
    // The checksum tells that it is damaged.
    return undefined;
  }
}

/** @throws Error if the list is damaged, or lists other entries than those of a backup */
function readChecksums(bytes: Buffer, shownAs: string) {
  try {
    const { sha256, entries, lost } = JSON.parse(bytes.toString());
    const isWhole = digestOf(Buffer.from(JSON.stringify({ entries, lost }))).sha256 === sha256;
    if (isWhole && Object.keys(entries).every(isOfBackup) && Array.isArray(lost)) {
      return { entries: new Map<string, Digest>(Object.entries(entries)), lost: lost as string[] };
    }
  } catch {
    // Malformed text is damage, too.
  }
  throw new Error(`${shownAs} is damaged: ${CHECKSUMS} doesn't match its checksum.`);
}

/** @throws Error that names the entry if it differs from what is listed */
function requireEqual(
  path: string,
  found: Digest | undefined,
  { size, sha256 }: Digest,
  shownAs: string,
): void {
  if (!found) throw new Error(`${shownAs} is damaged: ${path} is missing.`);
  if (found.size !== size) {
    throw new Error(`${shownAs} is damaged: ${path} has ${found.size} bytes, not ${size}.`);
  }
  if (found.sha256 !== sha256) {
    throw new Error(`${shownAs} is damaged: ${path} doesn't match its checksum.`);
  }
}

function digestOf(bytes: Buffer): Digest {
  return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
