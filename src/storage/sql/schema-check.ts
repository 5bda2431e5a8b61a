import { type Kysely, sql } from 'kysely';
import { capabilitiesOf } from './dialect.ts';
import { EXPECTED_SCHEMA } from './expected-schema.ts';
import type { Tables } from './tables.ts';

const MAX_NAMED = 5;

/**
 * Compares the database's tables with those that this version creates. Ignores unknown tables,
 * which may be another program's.
 *
 * @returns a sentence that names the differences, or `undefined`
 */
export async function compareSchema(db: Kysely<Tables>): Promise<string | undefined> {
  const actual = await describeSchema(db);
  const expected = [...EXPECTED_SCHEMA.both, ...EXPECTED_SCHEMA[dialectOf(db)]];
  const differences = [
    ...difference(expected, actual).map((line) => `missing ${line}`),
    ...difference(actual, expected).map((line) => `unexpected ${line}`),
  ];
  if (differences.length === 0) return undefined;
  const more = differences.length - MAX_NAMED;
  return (
    'The schema of the database differs from what this version creates: ' +
    `${differences.slice(0, MAX_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
  );
}

function difference(from: readonly string[], without: readonly string[]): string[] {
  const known = new Set(without);
  return from.filter((line) => !known.has(line));
}

const OUR_TABLES = new Set(
  Object.values(EXPECTED_SCHEMA)
    .flat()
    .flatMap((line) => /^table (\w+)$/.exec(line)?.[1] ?? []),
);

/** Describes our tables in sorted lines such as `column document.name text not null`. */
export async function describeSchema(
  db: Kysely<Tables>,
  isOurs = (table: string) => OUR_TABLES.has(table),
): Promise<string[]> {
  const { rows } = await DESCRIPTION[dialectOf(db)].execute(db);
  const lines = rows.filter(({ table }) => isOurs(table)).flatMap(toLines);
  return lines.sort();
}

export function dialectOf(db: Kysely<Tables>): 'sqlite' | 'postgres' {
  return capabilitiesOf(db).choose({ sqlite: 'sqlite', postgres: 'postgres' });
}

interface DescriptionRow {
  table: string;
  line: string;
}

/** SQLite has check constraints only in the text of a table's definition. */
function toLines({ table, line }: DescriptionRow): string[] {
  if (!line.startsWith('definition ')) return [line];
  return [...line.matchAll(/constraint "(\w+)" check/g)].map(
    ([, name]) => `check ${name} on ${table}`,
  );
}

const DESCRIPTION = {
  sqlite: sql<DescriptionRow>`
    with ours as (
      select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'
    )
    select name as "table", 'table ' || name as line from ours
    union all
    select ours.name, 'column ' || ours.name || '.' || c.name || ' ' || lower(c.type)
      || iif(c."notnull" or c.pk, ' not null', '') || coalesce(' default ' || c.dflt_value, '')
    from ours join pragma_table_info(ours.name) as c
    union all
    select ours.name, 'primary key of ' || ours.name || ' (' || group_concat(c.name, ', ' order by c.pk) || ')'
    from ours join pragma_table_info(ours.name) as c where c.pk group by ours.name
    union all
    select ours.name, iif(i."unique", 'unique ', '') || 'index of ' || ours.name || ' ('
      || (select group_concat(c.name, ', ' order by c.seqno) from pragma_index_info(i.name) as c) || ')'
      || iif(i.partial, ' where …', '')
    from ours join pragma_index_list(ours.name) as i where i.origin <> 'pk'
    union all
    select ours.name, 'foreign key of ' || ours.name || ' (' || group_concat(f."from", ', ' order by f.seq)
      || ') to ' || f."table" || ' on delete ' || lower(f.on_delete)
    from ours join pragma_foreign_key_list(ours.name) as f group by ours.name, f.id
    union all
    select name, 'definition ' || sql from ours
    union all
    select name, 'without rowid: ' || name from ours where sql like '%without rowid'`,
  postgres: sql<DescriptionRow>`
    with ours as (
      select oid, relname::text as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
    ),
    keys as (
      select i.indrelid, i.indisunique, i.indisprimary, i.indpred, am.amname,
        (select string_agg(a.attname, ', ' order by k.place)
          from unnest(i.indkey) with ordinality as k (number, place)
          join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.number) as columns
      from pg_index as i join pg_class as c on c.oid = i.indexrelid join pg_am as am on am.oid = c.relam
    )
    select name as "table", 'table ' || name as line from ours
    union all
    select ours.name, 'column ' || ours.name || '.' || a.attname || ' '
      || case format_type(a.atttypid, a.atttypmod) when 'bytea' then 'blob' else format_type(a.atttypid, a.atttypmod) end
      || case when a.attnotnull then ' not null' else '' end
      || coalesce(' default ' || replace(pg_get_expr(d.adbin, d.adrelid), '::text', ''), '')
    from ours join pg_attribute as a on a.attrelid = ours.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
    union all
    select ours.name, case when keys.indisprimary then 'primary key of '
        when keys.indisunique then 'unique index of ' else 'index of ' end
      || ours.name || ' (' || keys.columns || ')'
      || case when keys.indpred is null then '' else ' where …' end
      || case keys.amname when 'btree' then '' else ' using ' || keys.amname end
    from ours join keys on keys.indrelid = ours.oid
    union all
    select ours.name, 'foreign key of ' || ours.name || ' ('
      || (select string_agg(a.attname, ', ' order by k.place)
          from unnest(c.conkey) with ordinality as k (number, place)
          join pg_attribute as a on a.attrelid = c.conrelid and a.attnum = k.number)
      || ') to ' || c.confrelid::regclass || ' on delete '
      || case c.confdeltype when 'c' then 'cascade' when 'n' then 'set null' else 'no action' end
    from ours join pg_constraint as c on c.conrelid = ours.oid where c.contype = 'f'
    union all
    select ours.name, 'check ' || c.conname || ' on ' || ours.name
    from ours join pg_constraint as c on c.conrelid = ours.oid where c.contype = 'c'`,
};
