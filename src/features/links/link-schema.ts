import { Type } from 'typebox';
import {
  Id,
  Nullable,
  NullableTimestamp,
  OneOf,
  Text,
  Timestamp,
} from '../../base/schema/fields.ts';
import { LINK_ACCESS } from '../../core/document/access-rules.ts';
import { LINK_LIMITS } from '../../core/document/link.ts';
import type { ShownLink } from '../../core/document/shown-link-service.ts';

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
  hasPassword: Type.Boolean({ description: 'Whether it asks for a password.' }),
};

export const SecretLink = Type.Object(
  {
    ...FIELDS,
    url: Nullable(
      'string',
      'The link; `null` if it was made before the service kept links, or if the caller could not ' +
        'create it: a program, for a protected document.',
    ),
  },
  { title: 'SecretLink' },
);

export const CreatedSecretLink = Type.Object(
  {
    ...FIELDS,
    url: Type.String({
      format: 'uri',
      description: 'The link.',
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
    password: Type.Optional(
      Text({
        description:
          'A password that the link asks for: at least 8 characters. Programs send it with HTTP ' +
          'Basic authentication (`curl -u :password`). It can’t be read again.',
        examples: ['correct horse battery'],
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

export function presentLink<Link extends ShownLink>(link: Link) {
  const { documentId: _, sealedSecret: _sealed, passwordHash, ...shown } = link;
  return { ...shown, hasPassword: passwordHash !== null };
}
