import { getOwnAccount, requireUser } from '../../core/identity/account-service.ts';
import { type Api, addOperation } from '../../surfaces/rest/operation.ts';
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
  addOperation(api, {
    method: 'GET',
    scope: 'profile',
    path: '/user',
    id: 'getOwnProfile',
    tag: 'Users',
    summary: 'Get your profile',
    description: 'The account that the token belongs to, with its email address.',
    answers: { 200: OwnProfile },
    handler: async ({ context, actor }) => ({
      status: 200,
      data: presentOwnProfile(await getOwnAccount(context, actor)),
    }),
  });

  addOperation(api, {
    method: 'GET',
    scope: 'profile',
    path: '/user/token',
    id: 'getOwnToken',
    tag: 'Users',
    summary: 'Get what your token reaches',
    description: 'The token or application that this request is made with.',
    answers: { 200: OwnProgram },
    handler: async ({ actor }) => ({ status: 200, data: presentOwnProgram(actor) }),
  });

  addOperation(api, {
    method: 'GET',
    scope: 'profile',
    path: '/users/{username}',
    id: 'getUser',
    tag: 'Users',
    summary: 'Get a user',
    description: 'The public profile: no email address. 404 for an organization’s namespace.',
    answers: { 200: PublicProfile },
    rule: ANY_USER,
    handler: async ({ context, params }) => ({
      status: 200,
      data: presentPublicProfile(await requireUser(context.sql.read, params.username)),
    }),
  });
}
