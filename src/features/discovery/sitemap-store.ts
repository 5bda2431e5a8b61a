import { sql } from 'kysely';
import { type Parameter, prepared } from '../../storage/sql/prepared.ts';
import type { RowOf } from '../../storage/sql/rows.ts';
import type { Reader } from '../../storage/sql/sql.ts';

export type SitemapRow = RowOf<typeof part>;

/** Not a parameter: the index of public documents is partial. */
const PUBLIC = sql.lit('public' as const);

const nthFrom = prepared<{ from: string; offset: number }, { id: string }>((db, parameter) =>
  db
    .selectFrom('document')
    .where('document.visibility', '=', PUBLIC)
    .where('document.id', '>=', parameter('from'))
    .select('document.id')
    .orderBy('document.id')
    .limit(1)
    .offset(parameter('offset')),
);

/** Finds the public document that comes `offset` after `from`, in order of creation. */
export async function findNthPublicId(
  db: Reader,
  place: { from: string; offset: number },
): Promise<string | undefined> {
  const [row] = await nthFrom(db, place);
  return row?.id;
}

const part = prepared((db, parameter: Parameter<{ from: string; size: number }>) =>
  db
    .selectFrom('document')
    .innerJoin('owner', 'owner.id', 'document.ownerId')
    .where('document.visibility', '=', PUBLIC)
    .where('document.id', '>=', parameter('from'))
    .select([
      'document.kind',
      'document.name',
      'owner.namespace as ownerNamespace',
      'document.updatedAt',
    ])
    .orderBy('document.id')
    .limit(parameter('size')),
);

/** Lists up to `size` public documents of all owners from the id `from`, in order of creation. */
export async function listPublicFrom(
  db: Reader,
  place: { from: string; size: number },
): Promise<readonly SitemapRow[]> {
  return part(db, place);
}
