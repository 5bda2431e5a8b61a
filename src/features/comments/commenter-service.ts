import type { Context } from '../../core/context.ts';
import { effectiveLevel, type Level } from '../../core/document/access-rules.ts';
import { type DocumentRow, listStandings } from '../../core/document/document-store.ts';

/** The most authors to look up; the others' levels stay unknown. */
const MAX_PEOPLE = 50;

/** Returns the levels of comments' authors on a document. */
export async function levelsOf(
  context: Context,
  document: DocumentRow,
  accountIds: readonly (string | null)[],
): Promise<Map<string, Level>> {
  const people = [...new Set(accountIds)].filter((id) => id !== null).slice(0, MAX_PEOPLE);
  const standings = await listStandings(context.sql.read, document.id, people);
  const levels = new Map(standings.map((row) => [row.actorId, effectiveLevel(row)]));
  return new Map(people.map((id) => [id, levels.get(id) ?? 'none']));
}
