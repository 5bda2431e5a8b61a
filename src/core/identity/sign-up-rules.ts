import { FieldError, ServiceError } from '../../base/errors.ts';
import { isOfDomains } from '../../base/text/mail-domains.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import type { Actor, Context } from '../context.ts';
import { isInsider, type Standing } from '../document/access-rules.ts';
import { findAccountById } from './account-store.ts';

/**
 * Checks the address of somebody who signs up or changes their address.
 *
 * @param options.isInvited whether an administrator or a mail to this address invited them
 * @throws UNPROCESSABLE naming `email`
 */
export function requireAllowedAddress(
  { signUps }: Context,
  address: string,
  { isInvited = false }: { isInvited?: boolean } = {},
): void {
  if (isOfDomains(address, signUps.blockedDomains)) {
    throw new FieldError(
      'UNPROCESSABLE',
      'email',
      'addresses of this domain can’t be used here. Use another address.',
    );
  }
  if (isInvited || signUps.mode !== 'domains') return;
  if (isOfDomains(address, signUps.domains)) return;
  const domains = describeDomains(signUps.domains);
  throw new FieldError('UNPROCESSABLE', 'email', `must be an address of ${domains}.`);
}

/** What needs a verified address, as a phrase that follows "before you can". */
type Deed = 'make a document public' | 'create a secret link' | 'invite somebody' | 'comment here';

/**
 * Checks, in the transaction that does it, that the actor's address is verified, if the instance asks
 * for that.
 *
 * @throws FORBIDDEN that says how to verify it
 */
export async function requireVerified(
  { signUps, webUrl }: Context,
  db: Reader,
  actor: Pick<Actor, 'id'>,
  deed: Deed,
): Promise<void> {
  if (!signUps.needVerification) return;
  const account = await findAccountById(db, actor.id);
  if (!account || account.emailVerifiedAt !== null) return;
  throw new ServiceError(
    'FORBIDDEN',
    `Verify your email address before you can ${deed}: open the link in the mail that was sent to ` +
      `you. ${webUrl}/settings/notifications sends it again.`,
  );
}

/** Does the same for comments on documents of others, which weren't shared with the actor by name. */
export async function requireVerifiedToComment(
  context: Context,
  db: Reader,
  actor: Pick<Actor, 'id'>,
  document: Standing,
): Promise<void> {
  if (!isInsider(document)) await requireVerified(context, db, actor, 'comment here');
}

/** Names domains for people: `example.com or a subdomain of example.org`. */
export function describeDomains(domains: readonly string[]): string {
  const named = domains.map((domain) => domain.replace(/^\*\./, 'a subdomain of '));
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(named);
}
