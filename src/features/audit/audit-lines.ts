import { Readable } from 'node:stream';
import type { AuditEntry } from './audit-entry.ts';

/** The media type of JSON lines. */
export const LINES_TYPE = 'application/x-ndjson';

/** Streams entries as JSON lines. Reads no more while its reader has some left to read. */
export function linesOf(entries: AsyncIterable<AuditEntry>): Readable {
  async function* lines() {
    for await (const entry of entries) yield `${JSON.stringify(entry)}\n`;
  }
  return Readable.from(lines(), { objectMode: false });
}
