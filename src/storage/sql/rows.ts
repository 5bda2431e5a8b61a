import type { Compilable, Selectable } from 'kysely';
import type { Tables } from './tables.ts';

/** A row of a table, or some columns of it. */
export type Row<
  Table extends keyof Tables,
  Column extends keyof Selectable<Tables[Table]> = keyof Selectable<Tables[Table]>,
> = Pick<Selectable<Tables[Table]>, Column>;

/** A row that a query returns: one that is prepared, or the one that a function builds. */
export type RowOf<Query extends (...parameters: never[]) => unknown> =
  ReturnType<Query> extends Compilable<infer Found>
    ? Found
    : ReturnType<Query> extends Promise<readonly (infer Found)[]>
      ? Found
      : never;
