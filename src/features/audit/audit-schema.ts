import { Type } from 'typebox';
import { FeedPart } from '../../base/pagination/result-page-schema.ts';
import {
  Id,
  Nullable,
  NullableId,
  NullableUsername,
  OneOf,
  Timestamp,
} from '../../base/schema/fields.ts';
import { MEANS } from '../../base/schema/means.ts';
import { AUDIT_ACTIONS, type AuditAction } from '../../core/audit/actions.ts';

const ACTIONS = Object.keys(AUDIT_ACTIONS) as AuditAction[];

const EntrySchema = Type.Object(
  {
    id: Id('The entry’s id.'),
    at: Timestamp('When it happened.'),
    action: Type.String({
      description: 'What was done. New actions can be added.',
      examples: ['token.created'],
    }),
    actor: NullableUsername('The username at the time of who did it, if it is known.'),
    actorId: NullableId('Who did it.'),
    means: OneOf(
      [...MEANS, 'command', 'service'],
      'How it was done; `command` by an operator, `service` by the service itself.',
    ),
    meansName: Nullable('string', 'The name of the token or application.'),
    address: Nullable('string', 'The IP address that the request came from.'),
    device: Nullable('string', 'The browser or program.'),
    accountId: NullableId('The account that it concerns.'),
    ownerId: NullableId('The user or organization whose document, token or membership it is.'),
    documentId: NullableId('The document that it is about.'),
    subject: Nullable('string', 'The name, at the time, of what it was done to.'),
    detail: Type.Unsafe<Record<string, string | number | boolean | null>>({
      type: 'object',
      additionalProperties: true,
      description: 'What was set, depending on the action.',
    }),
  },
  { title: 'AuditEntry' },
);

export const AuditSchema = FeedPart(EntrySchema, 'AuditEntries');

export const AuditQuerySchema = {
  since: Type.Optional(Timestamp('Only what happened at this time or later.')),
  until: Type.Optional(Timestamp('Only what happened before this time.')),
  action: Type.Optional(OneOf(ACTIONS, 'Only entries of this action.')),
};
