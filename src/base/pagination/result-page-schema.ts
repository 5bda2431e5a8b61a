import { Type } from 'typebox';
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

/** Reads a validated query. Default: the first result page. */
export function pageRequest(query: { per_page?: number; page?: number }): PageRequest {
  return { number: query.page ?? 1, size: query.per_page ?? DEFAULT_SIZE };
}
