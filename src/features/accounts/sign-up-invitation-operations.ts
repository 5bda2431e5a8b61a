import { Type } from 'typebox';
import { Id, Nullable, NullableUsername, Text, Timestamp } from '../../base/schema/fields.ts';
import { act, list, remove } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { ADMINISTRATOR } from '../../surfaces/rest/rules.ts';
import {
  createSignUpInvitation,
  listSignUpInvitations,
  revokeSignUpInvitation,
  type ShownSignUpInvitation,
} from './sign-up-invitation-service.ts';

const InvitationSchema = Type.Object(
  {
    id: Id('The invitation’s id.'),
    url: Nullable('string', 'The link to pass on; `null` if it was mailed.'),
    email: Type.String({ description: 'The only address that can use it.' }),
    createdBy: NullableUsername('Who created it; `null` also for a command.'),
    createdAt: Timestamp('When it was created.'),
    expiresAt: Timestamp('Until when it works.'),
  },
  { title: 'SignUpInvitation' },
);

const InvitationBody = Type.Object(
  {
    email: Text({
      description:
        'The only address that can use it. The link is mailed there, if the service sends mail.',
      examples: ['grace@example.com'],
    }),
  },
  { title: 'CreateSignUpInvitation', additionalProperties: false },
);

/** Presents an invitation, for the API and commands. */
export function presentSignUpInvitation(invitation: ShownSignUpInvitation) {
  const { id, url, email, createdByUsername: createdBy, createdAt, expiresAt } = invitation;
  return { id, url, email, createdBy, createdAt, expiresAt };
}

/** Adds the routes with which administrators of the instance invite people to sign up. */
export function addSignUpInvitationOperations(api: Api): void {
  const common = { scope: 'admin', tag: 'Sign-ups', rule: ADMINISTRATOR } as const;

  list(api, {
    ...common,
    path: '/admin/invitations',
    id: 'listSignUpInvitations',
    summary: 'List invitations to sign up',
    description: 'Those that can still be used, newest first, with their links.',
    items: InvitationSchema,
    find: ({ call, page }) => listSignUpInvitations(call, call.actor, page),
    present: presentSignUpInvitation,
  });

  act(api, {
    ...common,
    path: '/admin/invitations',
    id: 'createSignUpInvitation',
    summary: 'Invite an address to sign up',
    description: 'It can create one account with the link, also while sign-ups are closed.',
    body: InvitationBody,
    answer: InvitationSchema,
    handler: async ({ call, body }) =>
      presentSignUpInvitation(await createSignUpInvitation(call, call.actor, body.email)),
  });

  remove(api, {
    ...common,
    path: '/admin/invitations/{id}',
    id: 'revokeSignUpInvitation',
    summary: 'Revoke an invitation to sign up',
    description: 'The link stops working at once.',
    errors: [404],
    handler: ({ call, params }) => revokeSignUpInvitation(call, call.actor, params.id),
  });
}
