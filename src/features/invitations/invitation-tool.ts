import { Type } from 'typebox';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { Choice } from '../../surfaces/mcp/choice.ts';
import { OptionalText } from '../../surfaces/mcp/optional-text.ts';
import { defineTool } from '../../surfaces/mcp/tool.ts';
import {
  type Answerable,
  acceptInvitation,
  declineInvitation,
  invitationById,
  invitationTo,
} from './answer-service.ts';

const DONE = { accept: 'accepted', decline: 'declined' } as const;

export const answerInvitation = defineTool({
  name: 'answer_invitation',
  title: 'Accept or decline an invitation',
  description:
    'Accepts or declines an invitation to a document (invitation_id) or to an organization ' +
    '(organization), from whoami. Ask the user which.',
  scope: 'sharing',
  scopeOf: ({ organization }) => (organization == null ? 'sharing' : 'organizations'),
  otherScopes: ['organizations'],
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    {
      invitation_id: OptionalText(),
      organization: OptionalText({ description: 'Its namespace.' }),
      answer: Choice(['accept', 'decline']),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ outcome: Type.String() }),
  handler: async ({ call, input }) => {
    const { invitation_id: id, organization, answer } = input;
    if ((id === undefined) === (organization === undefined)) {
      throw invalidArgument('invitation_id', 'give either this or organization');
    }
    const invitation: Answerable =
      organization !== undefined
        ? invitationTo(call.actor, organization)
        : invitationById(call.actor, id as string);
    if (answer === 'accept') await acceptInvitation(call, invitation);
    else await declineInvitation(call, invitation, call.actor);
    const outcome = DONE[answer];
    return { summary: `The invitation is ${outcome}.`, data: { outcome } };
  },
});
