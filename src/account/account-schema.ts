import { Type } from 'typebox';
import { Id, Timestamp } from '../schema/fields.ts';
import type { AccountRow } from './account-store.ts';

const publicFields = {
  id: Id('The user’s id.'),
  username: Type.String({ description: 'The user’s namespace.', examples: ['ada'] }),
  createdAt: Timestamp('When the account was made.'),
};

/** A user as everybody signed in may see one. */
export const PublicProfile = Type.Object(publicFields, { title: 'User' });

/** A user as the user alone sees it. */
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
