import type { Context } from '../../core/context.ts';
import { effectiveLevel, type Level } from '../../core/document/access-rules.ts';
import { type DocumentRow, findDocumentById } from '../../core/document/document-store.ts';

/** The most authors to look up; the others' levels stay unknown. */
const MAX_PEOPLE = 50;

/** Returns the levels of comments' authors on a document. */
export async function levelsOf(
  context: Context,
  document: DocumentRow,
  accountIds: readonly (string | null)[],
): Promise<Map<string, Level>> {
  const people = [...new Set(accountIds)].filter((id) => id !== null).slice(0, MAX_PEOPLE);
  const levels = await Promise.all(
    people.map(async (id): Promise<[string, Level]> => {
      const standing = await findDocumentById(context.sql.read, document.id, id);
      return [id, standing ? effectiveLevel(standing) : 'none'];
    }),
  );
  return new Map(levels);
}
