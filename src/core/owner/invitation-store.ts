import { type RawBuilder, sql } from 'kysely';
import type { ExpirySpan } from './invitation-state.ts';

/**
 * Builds the condition that an invitation expires within a span. To check one that is loaded, use
 * `isExpired`.
 *
 * @param expiresAt the column
 */
export function expiresWithin(
  expiresAt: RawBuilder<unknown>,
  { after, until }: ExpirySpan<string | RawBuilder<string>>,
): RawBuilder<boolean> {
  return until === undefined
    ? sql<boolean>`${expiresAt} > ${after}`
    : sql<boolean>`(${expiresAt} > ${after} and ${expiresAt} <= ${until})`;
}
