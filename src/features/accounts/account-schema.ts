import { type Static, Type } from 'typebox';
import { Id, Nullable, OneOf, Timestamp } from '../../base/schema/fields.ts';
import type { Actor } from '../../core/context.ts';
import type { AccountRow } from '../../core/identity/account-store.ts';
import { ALL_SCOPES } from '../../core/identity/scope.ts';
import { closedToProgram, SHUT_OUT_REASONS } from '../../core/owner/program-rule.ts';

const publicFields = {
  id: Id('The user’s id.'),
  username: Type.String({ description: 'The user’s namespace.', examples: ['ada'] }),
  createdAt: Timestamp('When the account was created.'),
};

/** A user as shown to everyone who is signed in. */
export const PublicProfile = Type.Object(publicFields, { title: 'User' });

/** A user as shown to themselves. */
export const OwnProfile = Type.Object(
  {
    id: publicFields.id,
    username: publicFields.username,
    email: Type.String({ examples: ['ada@example.com'] }),
    createdAt: publicFields.createdAt,
  },
  { title: 'OwnUser' },
);

/** An organization that shuts a program out. */
const ClosedOrganization = Type.Object({
  namespace: Type.String({ examples: ['acme'] }),
  reason: OneOf(SHUT_OUT_REASONS, 'Why.'),
  message: Type.String({ description: 'The reason in words.' }),
});

/** The token or application that calls, as shown to itself. */
export const OwnProgram = Type.Object(
  {
    means: OneOf(['token', 'application'], 'Whether it is a personal token or an application’s.'),
    name: Nullable('string', 'The name of the token or the application.'),
    scopes: Type.Array(OneOf(ALL_SCOPES, 'What it can do.')),
    closedOrganizations: Type.Array(ClosedOrganization, {
      description:
        'The organizations that shut it out, among those that you are a member of, collaborate with ' +
        'or are invited by. It reaches only what is public there.',
    }),
  },
  { title: 'OwnToken' },
);

export function presentClosedOrganizations({ closedOwners = [], via }: Actor) {
  return closedOwners.map((owner) => ({
    namespace: owner.namespace,
    reason: owner.reason,
    message: closedToProgram(owner, via.means).message,
  }));
}

export function presentOwnProgram(actor: Actor): Static<typeof OwnProgram> {
  return {
    means: actor.via.means === 'application' ? 'application' : 'token',
    name: actor.via.name,
    scopes: [...actor.scopes],
    closedOrganizations: presentClosedOrganizations(actor),
  };
}

export function presentPublicProfile({ id, username, createdAt }: AccountRow) {
  return { id, username, createdAt };
}

export function presentOwnProfile({ id, username, email, createdAt }: AccountRow) {
  return { id, username, email, createdAt };
}
