import { getOwnAccount, requireUser } from '../../core/identity/account-service.ts';
import { get } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { ANY_USER } from '../../surfaces/rest/rules.ts';
import {
  OwnProfile,
  OwnProgram,
  PublicProfile,
  presentOwnProfile,
  presentOwnProgram,
  presentPublicProfile,
} from './account-schema.ts';

/** Adds the routes of users (specification, part "Users"). */
export function addUserOperations(api: Api): void {
  get(api, {
    scope: 'profile',
    path: '/user',
    id: 'getOwnProfile',
    tag: 'Users',
    summary: 'Get your profile',
    description: 'The account that the token belongs to, with its email address.',
    answer: OwnProfile,
    handler: async ({ call }) => presentOwnProfile(await getOwnAccount(call)),
  });

  get(api, {
    scope: 'profile',
    path: '/user/token',
    id: 'getOwnToken',
    tag: 'Users',
    summary: 'Get what your token reaches',
    description: 'The token or application that this request is made with.',
    answer: OwnProgram,
    handler: async ({ call }) => presentOwnProgram(call.actor),
  });

  get(api, {
    scope: 'profile',
    path: '/users/{username}',
    id: 'getUser',
    tag: 'Users',
    summary: 'Get a user',
    description: 'The public profile: no email address. 404 for an organization’s namespace.',
    answer: PublicProfile,
    rule: ANY_USER,
    handler: async ({ call, params }) =>
      presentPublicProfile(await requireUser(call.sql.read, params.username)),
  });
}
