import { type TProperties, type TSchema, Type } from 'typebox';
import { FieldError } from '../errors.ts';
import { Nullable } from '../schema/fields.ts';
import type { PageRequest } from './result-page.ts';

const DEFAULT_SIZE = 30;

/** The query parameters of every paginated operation (specification, part "Pagination"). */
export const PageQuery = {
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      default: DEFAULT_SIZE,
      description: 'The number of items on a result page.',
    }),
  ),
  page: Type.Optional(
    Type.Integer({ minimum: 1, default: 1, description: 'The number of the result page, from 1.' }),
  ),
};

/** The query parameters of every feed: a list that grows at one end, and is read in parts. */
export const FeedQuery = {
  per_page: PageQuery.per_page,
  after: Type.Optional(
    Type.String({ description: 'The `cursor` of an earlier answer: continues after it.' }),
  ),
};

/** The schema of what every feed answers, with `more` of its own. */
export function FeedPart<Item extends TSchema, More extends TProperties = Record<never, never>>(
  items: Item,
  title: string,
  more = {} as More,
) {
  const cursor = Nullable('string', 'Send it as `after` to continue; `null` after the last part.');
  return Type.Object({ items: Type.Array(items), cursor, ...more }, { title });
}

/** The error for an `after` that no feed answered. */
export function unknownCursor(): FieldError {
  return new FieldError('BAD_REQUEST', 'after', 'must be the `cursor` of an earlier answer.');
}

/** Reads a validated query. Default: the first result page. */
export function pageRequest(query: { per_page?: number; page?: number }): PageRequest {
  return { number: query.page ?? 1, size: query.per_page ?? DEFAULT_SIZE };
}
