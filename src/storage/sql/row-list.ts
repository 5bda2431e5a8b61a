import { type AliasedRawBuilder, sql } from 'kysely';

/** How many rows one statement changes. SQLite unites at most 500 in {@link tableOf}. */
const AT_ONCE = 100;

/**
 * Divides rows into parts for one statement each, because a statement for each row would keep everybody
 * waiting.
 */
export function* inParts<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let at = 0; at < rows.length; at += AT_ONCE) yield rows.slice(at, at + AT_ONCE);
}

/**
 * Makes a table of given rows, with which one statement changes many.
 *
 * @param rows at least one, and at most a part of {@link inParts}
 * @param types of the columns
 */
export function tableOf<Name extends string, Row extends object>(
  name: Name,
  rows: readonly Row[],
  types: Record<keyof Row & string, 'text' | 'integer'>,
): AliasedRawBuilder<Row, Name> {
  const columns = Object.entries(types) as [keyof Row & string, 'text' | 'integer'][];
  const selects = rows.map((row) => {
    const values = columns.map(
      ([column, type]) => sql`cast(${row[column]} as ${sql.raw(type)}) as ${sql.ref(column)}`,
    );
    return sql`select ${sql.join(values)}`;
  });
  return sql<Row>`(${sql.join(selects, sql` union all `)})`.as(name);
}
