import { Type } from 'typebox';
import { Id, Timestamp } from '../../base/schema/fields.ts';
import type { AccountRow } from '../../core/identity/account-store.ts';

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

export function presentPublicProfile({ id, username, createdAt }: AccountRow) {
  return { id, username, createdAt };
}

export function presentOwnProfile({ id, username, email, createdAt }: AccountRow) {
  return { id, username, email, createdAt };
}
