import { requireUser } from '../../core/identity/account-service.ts';
import { Profile } from '../../core/owner/profile-schema.ts';
import { type Api, addOperation } from '../../surfaces/rest/operation.ts';
import { ANY_USER } from '../../surfaces/rest/rules.ts';
import type { ProfileChange } from './own-profile-service.ts';
import { answerProfile, changeProfile, PROFILES } from './owner-profiles.ts';

/** Adds the routes of public profiles, except those that take a picture. */
export function addProfileOperations(api: Api): void {
  for (const profile of PROFILES) {
    const { path, id, whose, tag, scopes, rules, texts, body, namespaceOf } = profile;

    addOperation(api, {
      path,
      tag,
      method: 'GET',
      id: `get${id}PublicProfile`,
      scope: scopes.read,
      summary: `Get ${whose} public profile`,
      description: 'What the profile page shows. `…/pins` lists the documents pinned to the top.',
      answers: { 200: Profile },
      ...(rules && { rule: rules.read }),
      handler: async ({ call, params }) => {
        await rules?.read.check(call, params);
        return answerProfile(call, namespaceOf(call.actor, params));
      },
    });

    addOperation(api, {
      path,
      tag,
      method: 'PATCH',
      id: `update${id}Profile`,
      scope: scopes.write,
      summary: `Update ${whose} public profile`,
      description: `Changes ${texts}. Anyone can see them. Send at least one field.`,
      body,
      answers: { 200: Profile },
      ...(rules && { rule: rules.write }),
      handler: (asked) => changeProfile(profile, asked, asked.body as ProfileChange),
    });
  }

  addOperation(api, {
    method: 'GET',
    scope: 'profile',
    path: '/users/{username}/profile',
    id: 'getUserProfile',
    tag: 'Users',
    summary: 'Get a user’s public profile',
    description: 'What the profile page shows. 404 for an organization’s namespace.',
    answers: { 200: Profile },
    rule: ANY_USER,
    handler: async ({ call, params: { username } }) => {
      await requireUser(call.sql.read, username);
      return answerProfile(call, username);
    },
  });
}
