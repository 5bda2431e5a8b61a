import type { TObject } from 'typebox';
import type { Actor, Call, Context } from '../../core/context.ts';
import type { Scope } from '../../core/identity/scope.ts';
import {
  presentProfile,
  UpdateOrganizationProfileBody,
  UpdateProfileBody,
} from '../../core/owner/profile-schema.ts';
import type { Answer } from '../../surfaces/rest/operation.ts';
import { ANY_ORGANIZATION, inOrganization, type Rule } from '../../surfaces/rest/rules.ts';
import { saveOrganizationProfile } from './organization-profile-service.ts';
import { type ProfileChange, saveOwnProfile } from './own-profile-service.ts';
import { readOwner } from './profile-service.ts';

type Right = 'read' | 'write';

/** The parameters of `path` have no type. */
type Rules = Record<Right, Rule<unknown>>;

/** A profile that its owner can change. */
interface ChangeableProfile {
  path: string;
  /** Its part of the operation ids. */
  id: 'Own' | 'Organization';
  whose: string;
  tag: string;
  scopes: Record<Right, Scope>;
  /** Describes what `body` changes. */
  texts: string;
  body: TObject;
  namespaceOf: (actor: Actor, params: unknown) => string;
  rules?: Rules;
  save: (call: Call, owner: string, change: ProfileChange) => Promise<void>;
}

export const PROFILES: readonly ChangeableProfile[] = [
  {
    path: '/user/profile',
    id: 'Own',
    whose: 'your',
    tag: 'Users',
    scopes: { read: 'profile', write: 'profile:write' },
    texts: 'the display name and the summary',
    body: UpdateProfileBody,
    namespaceOf: ({ username }) => username,
    save: (call, _owner, change) => saveOwnProfile(call, change),
  },
  {
    path: '/orgs/{org}/profile',
    id: 'Organization',
    whose: 'an organization’s',
    tag: 'Organizations',
    scopes: { read: 'organizations', write: 'organizations' },
    texts: 'the summary',
    body: UpdateOrganizationProfileBody,
    namespaceOf: (_actor, params) => (params as { org: string }).org,
    rules: { read: ANY_ORGANIZATION, write: inOrganization('changeSettings') } as Rules,
    save: saveOrganizationProfile,
  },
];

/** Changes a profile and returns its new state. */
export async function changeProfile(
  { namespaceOf, save }: ChangeableProfile,
  { call, params }: { call: Call; params: unknown },
  change: ProfileChange,
): Promise<Answer> {
  const owner = namespaceOf(call.actor, params);
  await save(call, owner, change);
  return answerProfile(call, owner);
}

export async function answerProfile(context: Context, owner: string): Promise<Answer> {
  return { status: 200, data: presentProfile(context, await readOwner(context, owner)) };
}
