import { Type } from 'typebox';
import { Id, OneOf, Timestamp } from '../../base/schema/fields.ts';
import { LEVELS } from '../../core/document/access-rules.ts';
import { Permission } from '../invitations/invitation-schema.ts';

const username = Type.String({ description: 'The user’s namespace.', examples: ['grace'] });

export const Collaborator = Type.Object(
  {
    id: Id('The user’s id.'),
    username,
    permission: Permission,
    addedAt: Timestamp('When the user became a collaborator.'),
  },
  { title: 'Collaborator' },
);

export const EffectivePermission = Type.Object(
  {
    username,
    permission: OneOf(
      LEVELS,
      'The user’s effective permission, from any source; `none`: no access.',
    ),
  },
  { title: 'EffectivePermission' },
);

export const PermissionBody = Type.Object(
  { permission: Permission },
  { title: 'SetPermission', additionalProperties: false },
);
