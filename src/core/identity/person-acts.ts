import { ServiceError } from '../../base/errors.ts';
import type { Actor } from '../context.ts';

/**
 * The acts that only a person does, in the web app after a proof, because they lead to acting as
 * somebody else or to reading what they couldn't: no token and no application, whatever its scopes
 * (docs/decisions/006-sign-in.md). What concerns protected documents stands in
 * `core/review/protection.ts`.
 */
const PERSON_ACTS = {
  makeResetLink: 'make links to new passwords',
  unlinkProvider: 'unlink others from the provider',
  unlock: 'let others try more passwords',
  changeAddress: 'change or verify the addresses of others',
  rename: 'rename others, which moves what is public',
  makeAdministrator: 'decide who administers this instance',
  appointAdmin: 'appoint admins of organizations that they aren’t in',
  moveAway: 'move documents out of an organization that restricts sharing outside it',
  handOver:
    'hand documents over to others than an organization that their owner is in and that they don’t administer',
  loosenPolicies: 'loosen the policies of an organization',
} as const;
export type PersonAct = keyof typeof PERSON_ACTS;

/**
 * Checks that a person acts, or an operator with a command.
 *
 * @throws FORBIDDEN for tokens and applications
 */
export function requirePerson(by: Pick<Actor, 'via'> | undefined, act: PersonAct): void {
  if (!by || by.via.means === 'web') return;
  throw new ServiceError('FORBIDDEN', `Only people can ${PERSON_ACTS[act]}, in the web app.`);
}
