import { readerTerms } from '../../src/base/search/search-terms.ts';
import type { Context } from '../../src/core/context.ts';

const MORE_THAN_THERE_ARE = 1_000_000;

/** Returns the documents of existing owners that the index contains. */
export async function indexedIds({ sql }: Context): Promise<string[]> {
  const owners = await sql.read.selectFrom('owner').select(['id', 'type']).execute();
  const terms = owners.flatMap(({ id: ownerId, type: ownerType }) =>
    // A word that only the owner can read.
    readerTerms({ ownerId, ownerType, visibility: 'private', collaboratorIds: [] }),
  );
  return sql.words.find({ any: terms.map((word) => ({ word })) }, MORE_THAN_THERE_ARE);
}
