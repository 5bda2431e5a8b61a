import { Type } from 'typebox';
import {
  OwnProfile,
  presentOwnProfile,
  presentPublicProfile,
} from '../../account/account-schema.ts';
import { getOwnAccount, requireAccount } from '../../account/account-service.ts';
import { ALL_SCOPES } from '../../account/scope.ts';
import { OneOf } from '../../schema/fields.ts';
import { defineTool } from '../tool.ts';

const { id, username, createdAt, email } = OwnProfile.properties;

export const whoami = defineTool({
  name: 'whoami',
  title: 'Who am I?',
  description:
    'Shows the account that you work with, and what this connection can be used for. Documents that ' +
    'you publish without an owner belong to this account.',
  scope: 'profile',
  effect: { reads: true },
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({
    ...{ id, username, email, createdAt },
    scopes: Type.Array(OneOf(ALL_SCOPES, 'A scope.'), {
      description: 'What this connection can be used for. Each tool’s description names its scope.',
    }),
  }),
  handler: async ({ context, actor }) => {
    const profile = presentOwnProfile(await getOwnAccount(context, actor));
    return {
      summary: `You work for ${profile.username}.`,
      data: { ...profile, scopes: [...actor.scopes] },
    };
  },
});

export const getUser = defineTool({
  name: 'get_user',
  title: 'Look a user up',
  description:
    'Tells whether a username exists, before you share with it. For organizations see ' +
    'get_organization.',
  scope: 'profile',
  effect: { reads: true },
  input: Type.Object(
    { username: Type.String({ description: 'The username; case is ignored.' }) },
    { additionalProperties: false },
  ),
  output: Type.Object({ id, username, createdAt }),
  handler: async ({ context, input }) => {
    const profile = presentPublicProfile(await requireAccount(context.sql.read, input.username));
    return { summary: `${profile.username} is a user.`, data: profile };
  },
});
