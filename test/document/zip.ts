import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, deflateRawSync } from 'node:zlib';
import { ZipFile } from 'yazl';

/** A normal archive. */
export async function zip(files: Record<string, string | Buffer>, comment = ''): Promise<Buffer> {
  const archive = new ZipFile();
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/')) archive.addEmptyDirectory(path);
    else archive.addBuffer(Buffer.from(content as string), path);
  }
  archive.end({ comment, forceZip64Format: false });
  return buffer(archive.outputStream as Readable);
}

/** An entry whose declared values can be wrong. Default: the true values. */
export interface RawEntry {
  name: string | Buffer;
  content: string | Buffer;
  flags?: number;
  method?: 0 | 8 | 99;
  crc?: number;
  /** The sizes declared in the directory. */
  size?: number;
  packedSize?: number;
  /** Offset from the start of the archive. */
  offset?: number;
  /** Extra fields in the directory. */
  extra?: Buffer;
}

/** The values in the end record. */
export interface RawEnd {
  entries?: number;
  directoryOffset?: number;
  disk?: number;
  /** Inserts the 64-bit end record before the other, with these values. */
  zip64?: { entries: bigint; directoryOffset: bigint; at?: bigint };
}

/** Builds an archive byte by byte (APPNOTE.TXT, section 4.3). */
export function rawZip(entries: RawEntry[], end: RawEnd = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let length = 0;
  for (const entry of entries) {
    const { method = 8, flags = 0x800, extra = Buffer.alloc(0) } = entry;
    const [name, content] = [
      Buffer.from(entry.name as string),
      Buffer.from(entry.content as string),
    ];
    const packed = method === 8 ? deflateRawSync(content) : content;
    const { crc = crc32(content), size = content.length, packedSize = packed.length } = entry;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc, 10);
    common.writeUInt32LE(packedSize, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed]);
    common.writeUInt16LE(extra.length, 24);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(entry.offset ?? length, 10);
    const made = Buffer.from([20, 0]);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), made, common, tail, name, extra]));
    parts.push(local);
    length += local.length;
  }
  const all = Buffer.concat(directory);
  const ending = Buffer.alloc(22);
  ending.write('PK\x05\x06', 'latin1');
  ending.writeUInt16LE(end.disk ?? 0, 4);
  ending.writeUInt16LE(end.entries ?? entries.length, 8);
  ending.writeUInt16LE(end.entries ?? entries.length, 10);
  ending.writeUInt32LE(all.length, 12);
  ending.writeUInt32LE(end.directoryOffset ?? length, 16);
  return Buffer.concat([...parts, all, ...zip64End(end.zip64, length + all.length), ending]);
}

function zip64End(values: RawEnd['zip64'], offset: number): Buffer[] {
  if (!values) return [];
  const record = Buffer.alloc(56);
  record.write('PK\x06\x06', 'latin1');
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(values.entries, 24);
  record.writeBigUInt64LE(values.entries, 32);
  record.writeBigUInt64LE(values.directoryOffset, 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(values.at ?? BigInt(offset), 8);
  return [record, locator];
}

/** A stream of bytes, in pieces. */
export function streamOf(bytes: Buffer | string, pieceBytes = 65_536): Readable {
  const all = Buffer.from(bytes as string);
  function* pieces() {
    for (let at = 0; at < all.length; at += pieceBytes) yield all.subarray(at, at + pieceBytes);
  }
  return Readable.from(pieces(), { objectMode: false });
}
