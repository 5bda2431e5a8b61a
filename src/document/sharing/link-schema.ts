import { Type } from 'typebox';
import { Id, NullableId, NullableTimestamp, OneOf, Text, Timestamp } from '../../schema/fields.ts';
import { LINK_ACCESS } from '../access.ts';
import { LINK_LIMITS, linkUrl } from './link.ts';
import type { CreatedLink, LinkRow } from './link-store.ts';

const access = OneOf(
  LINK_ACCESS,
  '`read`: whoever has the link can read, without an account; `comment`: besides, whoever is ' +
    'signed in can see comments and comment.',
  'LinkAccess',
);

const FIELDS = {
  id: Id('The link’s id.'),
  access,
  note: Type.String({
    description: 'What it is for; may be empty.',
    examples: ['For the printer'],
  }),
  createdBy: NullableId('Who made it: a user’s id.'),
  createdAt: Timestamp('When it was made.'),
  expiresAt: NullableTimestamp('Until when it works; `null` if it has no end.'),
};

export const SecretLink = Type.Object(FIELDS, { title: 'SecretLink' });

export const CreatedSecretLink = Type.Object(
  {
    ...FIELDS,
    url: Type.String({
      format: 'uri',
      description: 'The link. It is shown here only; the service stores no more than a hash of it.',
    }),
  },
  { title: 'CreatedSecretLink' },
);

export const SecretLinkBody = Type.Object(
  {
    access,
    expiresAt: Type.Optional(
      Text({
        description:
          'Until when it works: a time to come, as ISO 8601. Without it, until it is revoked.',
        examples: ['2099-12-31T12:00:00Z'],
      }),
    ),
    note: Type.Optional(
      Text({
        description: 'What it is for, for those who manage links.',
        maxLength: LINK_LIMITS.note,
        examples: ['For the printer'],
      }),
    ),
  },
  { title: 'NewSecretLink', additionalProperties: false },
);

export function presentLink({ documentId: _, ...link }: LinkRow) {
  return link;
}

export function presentCreatedLink(webUrl: string, { secret, ...link }: CreatedLink) {
  return { ...presentLink(link), url: linkUrl(webUrl, secret) };
}
