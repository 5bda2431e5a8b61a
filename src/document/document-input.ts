import { FieldError } from '../errors.ts';
import { allowsVisibility, type OwnerType, type Visibility } from './access.ts';
import { isTagOfState } from './document-schema.ts';
import type { DocumentRow } from './document-store.ts';
import { parseName } from './name.ts';

/** What a caller gives to create or change a document. */
export interface DocumentInput {
  content?: string;
  name?: string;
  visibility?: Visibility;
}

/** Entity tags of the states that a write may replace; `*`: whatever state; absent: no condition. */
export type IfMatch = readonly string[] | '*' | undefined;

/** @throws PRECONDITION_FAILED when no tag names the state that the document is in */
export function requireMatch(ifMatch: IfMatch, document: DocumentRow): void {
  if (ifMatch === undefined || ifMatch === '*') return;
  if (ifMatch.some((tag) => isTagOfState(tag, document))) return;
  throw new FieldError(
    'PRECONDITION_FAILED',
    'If-Match',
    'the document has changed since you read it. Read it again, then decide.',
  );
}

/** The name as it is stored. @throws BAD_REQUEST */
export function requireName(text: string): string {
  const parsed = parseName(text);
  if ('name' in parsed) return parsed.name;
  throw new FieldError('BAD_REQUEST', 'name', `${parsed.problem}.`);
}

/** Only organizations have an inside. @throws BAD_REQUEST */
export function requireVisibility(ownerType: OwnerType, visibility: Visibility): void {
  if (allowsVisibility(ownerType, visibility)) return;
  throw new FieldError(
    'BAD_REQUEST',
    'visibility',
    'only documents of an organization can be internal.',
  );
}
