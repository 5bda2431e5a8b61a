import { Type } from 'typebox';
import { Id, Nullable, OneOf, Text, Timestamp } from '../../base/schema/fields.ts';
import { pickFields } from '../../base/schema/pick-fields.ts';
import { PROFILE_LIMITS, picturePath } from '../../base/schema/profile.ts';
import type { ProfileRow } from './profile-store.ts';

/** What the public profile of a user or an organization shows, besides its documents. */
export const Profile = Type.Object(
  {
    id: Id('The owner’s id.'),
    namespace: Type.String({
      description: 'The username, or the organization’s namespace.',
      examples: ['ada'],
    }),
    type: OneOf(['user', 'organization'], 'The kind of owner.'),
    displayName: Nullable(
      'string',
      'The displayed name: an organization’s name, or the name that the user chose; `null` if ' +
        'there is none.',
    ),
    summary: Nullable('string', 'A short text about the owner; `null` if there is none.'),
    url: Type.String({
      format: 'uri',
      description: 'The public profile page.',
      examples: ['http://localhost:4000/ada'],
    }),
    pictureUrl: Type.String({
      format: 'uri',
      description:
        'The URL of the picture: the uploaded one, or initials on a colour. Anyone can load it.',
      examples: ['http://localhost:4000/images/ada/picture'],
    }),
    hasPicture: Type.Boolean({ description: 'Whether a picture was uploaded.' }),
    createdAt: Timestamp('When the account or the organization was created.'),
  },
  { title: 'Profile' },
);

const texts = {
  displayName: Type.Optional(
    Text({
      description: `The display name, at most ${PROFILE_LIMITS.displayName} characters; empty for none.`,
      examples: ['Ada Lovelace'],
    }),
  ),
  summary: Type.Optional(
    Text({
      description: `A short text, at most ${PROFILE_LIMITS.summary} characters; empty for none.`,
      examples: ['Writes about engines.'],
    }),
  ),
};

const options = { additionalProperties: false, minProperties: 1 };

export const UpdateProfileBody = Type.Object(texts, { title: 'UpdateProfile', ...options });

export const UpdateOrganizationProfileBody = Type.Object(
  { summary: texts.summary },
  { title: 'UpdateOrganizationProfile', ...options },
);

/** @param addresses.webUrl `{web_url}` */
export function presentProfile({ webUrl }: { webUrl: string }, row: ProfileRow) {
  return pickFields(Profile, {
    ...row,
    url: `${webUrl}/${row.namespace}`,
    pictureUrl: webUrl + picturePath(row.namespace),
    hasPicture: row.pictureHash !== null,
  });
}
