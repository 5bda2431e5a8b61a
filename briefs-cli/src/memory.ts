import { createHash } from 'node:crypto';
import type { Kind } from '../../src/base/schema/kind.ts';
import type { RemoteDocument } from './api.ts';
import { addressOfDocument, type DocumentRef, isId, parseDocumentAddress } from './document-ref.ts';
import { unified } from './line-breaks.ts';

/**
 * What is known of a file's document. The file itself has the address and the id, in one line: the
 * first of a brief's front matter, the last of a page. The line is never sent, and it stays the same
 * with every revision, so that Git can merge the file. Its folder has the rest (`syncedOf`).
 */
export interface Memory {
  document: DocumentRef;
  /** The last synced revision. Absent if nothing is known of it, as is the hash of its text. */
  revision?: number;
  hash?: string;
  /** Absent if someone wrote the line by hand, or an early version did. */
  id?: string;
  /** Only in a file that shows a conflict: the hash of the file that it is to replace. */
  replaces?: string;
}

/** What the line of a synced file says. */
type Whole = Required<Omit<Memory, 'replaces'>> & Pick<Memory, 'replaces'>;

/** A file's text without the line, and what the line says. */
export interface Remembered {
  text: string;
  memory: Memory | undefined;
}

const FRONT_MATTER = /^---[ \t]*(\r?\n)([\s\S]*?)^(?:---|\.\.\.)[ \t]*\r?$/m;
const BRIEF_LINE = /^briefs:[ \t]+["']?(https?:\/\/[^\s"']+)["']?[ \t]*(?:\r?\n|$)/m;
const PAGE_LINE = /(\r?\n)?<!-- briefs: (https?:\/\/\S+) -->(\r?\n)?$/;
/** Only conflict files and earlier versions write a revision. */
const POSITION = /^#(\d{1,10})-([0-9a-f]{16})(?:-([0-9a-f-]{36}))?(?:-([0-9a-f]{16}))?$/;

/** Returns the hash of a text. The kind of its line breaks doesn't count. */
export function hashOf(text: string): string {
  return digest(unified(text));
}

/** Tells whether a text has a hash that was stored, perhaps by an earlier version. */
export function hasHash(text: string, hash: string | undefined): boolean {
  return hash !== undefined && (hashOf(text) === hash || digest(text) === hash);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Returns what a file with a document's current text stores. */
export function memoryOf({ id, ref, revision, text }: RemoteDocument): Whole {
  return { document: ref, revision, hash: hashOf(text), id };
}

/** Splits a file into the text to send and its stored line. */
export function recall(kind: Kind, file: string): Remembered {
  return kind === 'brief' ? recallBrief(file) : recallPage(file);
}

/** Adds the line to a text. {@link recall} returns exactly this text. */
export function remember(kind: Kind, text: string, memory: Whole): string {
  const { document, revision, hash, id, replaces } = memory;
  const position = replaces ? [revision, hash, id, replaces].join('-') : id;
  const address = `${addressOfDocument(document)}#${position}`;
  return kind === 'brief' ? rememberBrief(text, address) : rememberPage(text, address);
}

function recallBrief(file: string): Remembered {
  const found = frontMatterOf(file);
  const line = found && BRIEF_LINE.exec(found.lines);
  const memory = line?.[1] && readMemory(line[1]);
  if (!found || !line || !memory) return { text: file, memory: undefined };
  const others = found.lines.replace(line[0], () => '');
  const after = file.slice(found.end);
  const text =
    others === '' ? after.replace(/^\r?\n/, '') : file.slice(0, found.start) + others + found.rest;
  return { text, memory };
}

function rememberBrief(text: string, address: string): string {
  const found = frontMatterOf(text);
  const newline = /\r?\n/.exec(text)?.[0] ?? '\n';
  const line = `briefs: ${address}${newline}`;
  // An empty block would be removed together with its only line.
  if (!found || found.lines === '') return `---${newline}${line}---${newline}${text}`;
  return text.slice(0, found.start) + line + text.slice(found.start);
}

/** Finds the lines between the delimiters, and what follows them. */
function frontMatterOf(text: string) {
  const match = FRONT_MATTER.exec(text);
  if (match?.index !== 0) return undefined;
  const lines = match[2] as string;
  const start = text.indexOf('\n') + 1;
  return { start, lines, end: match[0].length, rest: text.slice(start + lines.length) };
}

function recallPage(file: string): Remembered {
  const line = PAGE_LINE.exec(file);
  const memory = line?.[2] && readMemory(line[2]);
  if (!line || !memory) return { text: file, memory: undefined };
  // If a line break follows, the text had its own.
  const kept = line[3] === undefined ? '' : (line[1] ?? '');
  return { text: file.slice(0, line.index) + kept, memory };
}

function rememberPage(text: string, address: string): string {
  const newline = /\r?\n/.exec(text)?.[0] ?? '\n';
  const line = `<!-- briefs: ${address} -->`;
  return /\n$/.test(text) ? text + line + newline : text + newline + line;
}

function readMemory(address: string): Memory | undefined {
  const [place = ''] = address.split('#');
  const document = parseDocumentAddress(place);
  if (!document) return undefined;
  const position = address.slice(place.length + 1);
  if (isId(position)) return { document, id: position };
  const [, revision, hash, id, replaces] = POSITION.exec(address.slice(place.length)) ?? [];
  if (!revision || !hash) return { document };
  const memory = { document, revision: Number(revision), hash };
  if (!id || !isId(id)) return memory;
  return { ...memory, id, ...(replaces !== undefined && { replaces }) };
}
