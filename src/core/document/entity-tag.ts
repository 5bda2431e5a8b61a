import { FieldError } from '../../base/errors.ts';
import { LEVELS, type Level } from './access-rules.ts';
import type { DocumentRow } from './document-store.ts';

/**
 * Returns a document's strong entity tag. It includes the caller's level, because responses show
 * the caller's permissions (RFC 9110, section 8.8.1).
 */
export function documentEtag(row: DocumentRow, level: Level): string {
  return `${stateOf(row)}${level}"`;
}

/** Entity tags that a write may replace; `*` means any; absent means no condition. */
export type IfMatch = readonly string[] | '*' | undefined;

/** @throws PRECONDITION_FAILED if no tag matches the document's state */
export function requireMatch(ifMatch: IfMatch, document: DocumentRow): void {
  if (ifMatch === undefined || ifMatch === '*') return;
  if (ifMatch.some((tag) => isTagOfState(tag, document))) return;
  throw new FieldError(
    'PRECONDITION_FAILED',
    'If-Match',
    'the document has changed since you read it. Read it again, then retry.',
  );
}

/**
 * Tells whether a tag matches the document's state at any level: the condition of a write is about
 * the document, not its reader.
 */
function isTagOfState(tag: string, row: DocumentRow): boolean {
  const state = stateOf(row);
  return LEVELS.some((level) => tag === `${state}${level}"`);
}

/** Returns the part of an entity tag that every write changes. */
function stateOf({ id, version }: DocumentRow): string {
  return `"${id}.${version}.`;
}
