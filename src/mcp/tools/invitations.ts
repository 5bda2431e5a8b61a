import { Type } from 'typebox';
import {
  InviteeInvitation,
  presentInviteeInvitation,
} from '../../document/sharing/sharing-schema.ts';
import {
  acceptInvitation,
  declineInvitation,
  listOwnInvitations,
} from '../../document/sharing/sharing-service.ts';
import { PageQuery, pageRequest } from '../../pagination/result-page-schema.ts';
import { OneOf } from '../../schema/fields.ts';
import { PageResult, pageSummary, presentPage } from '../paging.ts';
import { defineTool } from '../tool.ts';

export const listInvitations = defineTool({
  name: 'list_invitations',
  title: 'List invitations to you',
  description:
    'Lists the invitations to briefs and pages that you can accept. Invitations to organizations ' +
    'are in list_organizations.',
  scope: 'sharing',
  effect: { reads: true },
  input: Type.Object(PageQuery, { additionalProperties: false }),
  output: PageResult(InviteeInvitation),
  handler: async ({ context, actor, input }) => {
    const page = pageRequest(input);
    const found = await listOwnInvitations(context, actor, page);
    const data = presentPage(found, page, presentInviteeInvitation);
    return { summary: pageSummary('Invitations to you', data), data };
  },
});

export const answerInvitation = defineTool({
  name: 'answer_invitation',
  title: 'Accept or decline an invitation',
  description:
    'Accepts or declines an invitation to a brief or a page, from list_invitations. Ask the user ' +
    'which.',
  scope: 'sharing',
  effect: { destroys: true, repeatable: true },
  input: Type.Object(
    {
      invitation_id: Type.String({ description: 'The invitation’s id.' }),
      answer: OneOf(['accept', 'decline'], 'What to answer.'),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ outcome: OneOf(['accepted', 'declined'], 'What it came to.') }),
  handler: async ({ context, actor, input }) => {
    if (input.answer === 'decline') {
      await declineInvitation(context, actor, input.invitation_id);
      return { summary: 'The invitation is declined.', data: { outcome: 'declined' as const } };
    }
    await acceptInvitation(context, actor, input.invitation_id);
    return { summary: 'The invitation is accepted.', data: { outcome: 'accepted' as const } };
  },
});
