import { Type } from 'typebox';
import { Id, NullableTimestamp, OneOf, Text, Timestamp } from '../../base/schema/fields.ts';
import { LINK_ACCESS } from '../../core/document/access-rules.ts';
import { LINK_LIMITS, linkUrl } from '../../core/document/link.ts';
import type { CreatedLink, LinkRow } from '../../core/document/link-store.ts';

const access = OneOf(
  LINK_ACCESS,
  '`read`: anyone who has the link can read, without an account; `comment`: also, signed-in ' +
    'people can see comments and comment.',
  'LinkAccess',
);

const FIELDS = {
  id: Id('The link’s id.'),
  access,
  note: Type.String({
    description: 'What it is for; may be empty.',
    examples: ['For the printer'],
  }),
  createdBy: Id('The id of the user who created it.'),
  createdByUsername: Type.String({
    description: 'The username of the user who created it.',
    examples: ['ada'],
  }),
  createdAt: Timestamp('When it was created.'),
  expiresAt: NullableTimestamp('When it expires; `null` if it never does.'),
};

export const SecretLink = Type.Object(FIELDS, { title: 'SecretLink' });

export const CreatedSecretLink = Type.Object(
  {
    ...FIELDS,
    url: Type.String({
      format: 'uri',
      description: 'The link. It isn’t shown again, because the service stores only its hash.',
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
          'When it expires: a future time, as ISO 8601. Without it, the link works until it is ' +
          'revoked.',
        examples: ['2099-12-31T12:00:00Z'],
      }),
    ),
    note: Type.Optional(
      Text({
        description: 'A note for people who manage links.',
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
