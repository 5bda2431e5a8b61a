import { Type } from 'typebox';
import { Id, Nullable, NullableUsername, Text, Timestamp } from '../../base/schema/fields.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { ADMINISTRATOR } from '../../surfaces/rest/rules.ts';
import {
  createSignUpInvitation,
  DEFAULT_DAYS,
  listSignUpInvitations,
  MAX_DAYS,
  MAX_NOTE,
  MAX_USES,
  revokeSignUpInvitation,
  type ShownSignUpInvitation,
} from './sign-up-invitation-service.ts';

const tag = 'Sign-ups';

const InvitationSchema = Type.Object(
  {
    id: Id('The invitation’s id.'),
    url: Nullable('string', 'The link to pass on; `null` if it was mailed.'),
    email: Nullable('string', 'The only address that can use it; `null` for any.'),
    note: Type.String({ description: 'What it is for.', examples: ['The spring course'] }),
    uses: Type.Integer({ description: 'How many accounts can be created with it.' }),
    used: Type.Integer({ description: 'How many were.' }),
    createdBy: NullableUsername('Who created it; `null` also for a command.'),
    createdAt: Timestamp('When it was created.'),
    expiresAt: Timestamp('Until when it works.'),
  },
  { title: 'SignUpInvitation' },
);

const InvitationBody = Type.Object(
  {
    email: Type.Optional(
      Text({
        description:
          'The only address that can use it. The link is mailed there, if the service sends mail.',
        examples: ['grace@example.com'],
      }),
    ),
    uses: Type.Optional(
      Type.Integer({
        description: 'How many accounts can be created with it. Default: 1.',
        minimum: 1,
        maximum: MAX_USES,
        examples: [1],
      }),
    ),
    expiresIn: Type.Optional(
      Type.Integer({
        description: `For how many days it works. Default: ${DEFAULT_DAYS}.`,
        minimum: 1,
        maximum: MAX_DAYS,
        examples: [7],
      }),
    ),
    note: Type.Optional(
      Text({
        description: `What it is for, for administrators: up to ${MAX_NOTE} characters.`,
        maxLength: MAX_NOTE,
        examples: ['The spring course'],
      }),
    ),
  },
  { title: 'CreateSignUpInvitation', additionalProperties: false },
);

/** Presents an invitation, for the API and commands. */
export function presentSignUpInvitation(invitation: ShownSignUpInvitation) {
  const { id, url, email, note, uses, used, createdByUsername, createdAt, expiresAt } = invitation;
  return { id, url, email, note, uses, used, createdBy: createdByUsername, createdAt, expiresAt };
}

/** Adds the routes with which administrators of the instance invite people to sign up. */
export function addSignUpInvitationOperations(api: Api): void {
  const common = { scope: 'admin', tag, rule: ADMINISTRATOR } as const;

  addOperation(api, {
    ...common,
    method: 'GET',
    path: '/admin/invitations',
    id: 'listSignUpInvitations',
    summary: 'List invitations to sign up',
    description: 'Those that can still be used, newest first, with their links.',
    paginated: true,
    answers: { 200: Type.Array(InvitationSchema) },
    handler: async ({ context, actor, page }) =>
      listAnswer(await listSignUpInvitations(context, actor, page), presentSignUpInvitation),
  });

  addOperation(api, {
    ...common,
    method: 'POST',
    path: '/admin/invitations',
    id: 'createSignUpInvitation',
    summary: 'Invite people to sign up',
    description: 'Whoever has the link can create an account, also while sign-ups are closed.',
    body: InvitationBody,
    answers: { 200: InvitationSchema },
    handler: async ({ context, actor, body }) => ({
      status: 200,
      data: presentSignUpInvitation(await createSignUpInvitation(context, actor, body)),
    }),
  });

  addOperation(api, {
    ...common,
    method: 'DELETE',
    path: '/admin/invitations/{id}',
    id: 'revokeSignUpInvitation',
    summary: 'Revoke an invitation to sign up',
    description: 'Accounts that were created with it stay.',
    errors: [404],
    answers: { 204: null },
    handler: async ({ context, actor, params }) => {
      await revokeSignUpInvitation(context, actor, params.id);
      return NO_CONTENT;
    },
  });
}
