import {
  OwnProfile,
  PublicProfile,
  presentOwnProfile,
  presentPublicProfile,
} from '../../account/account-schema.ts';
import { getOwnAccount, requireAccount } from '../../account/account-service.ts';
import { type Api, addOperation } from '../operation.ts';

/** Specification, part "Users". */
export function addUserRoutes(api: Api): void {
  addOperation(api, {
    method: 'GET',
    scope: 'profile',
    path: '/user',
    id: 'getOwnProfile',
    tag: 'Users',
    summary: 'Your own profile',
    answers: { 200: OwnProfile },
    errors: [],
    handler: async ({ context, actor }) => ({
      status: 200,
      data: presentOwnProfile(await getOwnAccount(context, actor)),
    }),
  });

  addOperation(api, {
    method: 'GET',
    scope: 'profile',
    path: '/users/{username}',
    id: 'getUser',
    tag: 'Users',
    summary: 'A user’s public profile',
    answers: { 200: PublicProfile },
    errors: [404],
    handler: async ({ context, params }) => ({
      status: 200,
      data: presentPublicProfile(await requireAccount(context.sql.read, params.username)),
    }),
  });
}
