import { FieldError } from '../../base/errors.ts';
import type { OwnerType, Visibility } from '../../base/schema/visibility.ts';
import { parseName } from '../../base/text/document-name.ts';
import { allowsVisibility } from './access-rules.ts';
import type { DocumentRow } from './document-store.ts';

/** The fields of a document that a caller can set. */
export interface DocumentInput {
  content?: string;
  name?: string;
  visibility?: Visibility;
}

/**
 * Requires that a name still belongs to the document that the writer means.
 *
 * @param documentId its id; '' if it isn't known; absent means no condition
 * @throws CONFLICT
 */
export function requireSameDocument(
  documentId: string | undefined,
  { id, ownerNamespace, name }: Pick<DocumentRow, 'id' | 'ownerNamespace' | 'name'>,
): void {
  if (documentId === undefined || documentId.toLowerCase() === id) return;
  const problem =
    documentId === ''
      ? 'this form doesn’t say which document it is about. Reload the page, and send it again.'
      : `${ownerNamespace}/${name} is another document now. Nothing was written.`;
  throw new FieldError('CONFLICT', 'documentId', problem);
}

/** Parses and normalises a name. @throws BAD_REQUEST */
export function requireName(text: string): string {
  const parsed = parseName(text);
  if ('name' in parsed) return parsed.name;
  throw new FieldError('BAD_REQUEST', 'name', `${parsed.problem}.`);
}

/** Allows `internal` only in organizations. @throws BAD_REQUEST */
export function requireVisibility(ownerType: OwnerType, visibility: Visibility): void {
  if (allowsVisibility(ownerType, visibility)) return;
  throw new FieldError(
    'BAD_REQUEST',
    'visibility',
    'only an organization’s documents can be internal.',
  );
}
