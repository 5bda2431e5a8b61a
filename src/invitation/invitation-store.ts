import { type RawBuilder, sql } from 'kysely';
import type { ExpirySpan } from './invitation.ts';

/**
 * Returns the condition that invitations expire within `span`, which `isExpired` decides for one of
 * them.
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
