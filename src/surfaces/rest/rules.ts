import type { Kind } from '../../base/schema/kind.ts';
import type { Call } from '../../core/context.ts';
import { type DocumentAction, whoCan } from '../../core/document/access-rules.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import { requireAccount, requireUser } from '../../core/identity/account-service.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { type OrganizationAction, whoMay } from '../../core/owner/organization-access.ts';
import { requireAllowed, requireOrganization } from '../../core/owner/organization-service.ts';
import { type ReviewAction, whoCanReview } from '../../core/review/review-access.ts';
import { requireReview } from '../../core/review/review-authorize.ts';
import { refsOf } from './document-path.ts';

/**
 * Who can call an operation. The check before the body is read, the errors 403 and 404 and the words
 * of the reference follow from it. The service requires the same action again in its transaction.
 */
export interface Rule<Params> {
  /** The permission or role that a call needs, for the reference. */
  needs?: string;
  /** The errors of callers whom it refuses. */
  refusals: readonly (403 | 404 | 451)[];
  /** @throws NOT_FOUND, FORBIDDEN, TakenDown */
  check: (call: Call, params: Params) => Promise<unknown>;
}

type DocumentPath = { owner: string; name: string };

/**
 * Returns a function that makes the rule of an action on a document of this kind. `needs` is for
 * operations that some of those who pass can't use.
 */
export function documentRules(kind: Kind) {
  const refOf = refsOf(kind);
  return (action: DocumentAction, needs = whoCan(action)): Rule<DocumentPath> => ({
    needs,
    refusals: action === 'read' ? [404, 451] : [403, 404, 451],
    check: ({ sql, actor }, params) => requireDocument(sql.read, actor, refOf(params), action),
  });
}

/** Does the same for actions on a document's comments and reviews. */
export function reviewRules(kind: Kind) {
  const refOf = refsOf(kind);
  return (action: ReviewAction, needs = whoCanReview(action)): Rule<DocumentPath> => ({
    needs,
    refusals: [403, 404, 451],
    check: ({ sql, actor }, params) => requireReview(sql.read, actor, refOf(params), action),
  });
}

export function inOrganization(action: OrganizationAction): Rule<{ org: string }> {
  return {
    needs: `organization ${whoMay(action).slice(0, -1)}`,
    refusals: [403, 404],
    check: ({ sql, actor }, { org }) => requireAllowed(sql.read, actor, action, org),
  };
}

/** Everybody can, if there is such an organization. */
export const ANY_ORGANIZATION: Rule<{ org: string }> = {
  refusals: [404],
  check: ({ sql, actor }, { org }) =>
    requireOrganization(sql.read, actor, org, { evenShutOut: true }),
};

/** Everybody can, if there is such a user. */
export const ANY_USER: Rule<{ username: string }> = {
  refusals: [404],
  check: ({ sql }, { username }) => requireUser(sql.read, username),
};

/** Administrators of the instance can. */
export const ADMINISTRATOR: Rule<unknown> = {
  needs: 'administrator',
  refusals: [403],
  check: ({ sql, actor }) => requireAdmin(sql.read, actor),
};

/** Administrators of the instance can, if there is such an account, disabled or not. */
export const ANY_ACCOUNT_OF_ADMINISTRATOR: Rule<{ username: string }> = {
  needs: 'administrator',
  refusals: [403, 404],
  async check({ sql, actor }, { username }) {
    await requireAdmin(sql.read, actor);
    await requireAccount(sql.read, username);
  },
};
