import type { Context } from '../../src/context.ts';
import { readerTerms } from '../../src/document/search/search-terms.ts';

const MORE_THAN_THERE_ARE = 1_000_000;

/** Which documents of present owners the index for searches has. */
export async function indexedIds({ sql }: Context): Promise<string[]> {
  const owners = await sql.read.selectFrom('owner').select(['id', 'type']).execute();
  const terms = owners.flatMap(({ id: ownerId, type: ownerType }) =>
    // Of what nobody else may read, the owner's alone.
    readerTerms({ ownerId, ownerType, visibility: 'private', collaboratorIds: [] }),
  );
  return sql.words.find({ any: terms.map((word) => ({ word })) }, MORE_THAN_THERE_ARE);
}
