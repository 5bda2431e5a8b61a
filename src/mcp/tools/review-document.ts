import { Type } from 'typebox';
import { requireDocument } from '../../document/authorize.ts';
import {
  getReviews,
  giveReview,
  type Reviews,
  requestReview,
} from '../../document/review/review-service.ts';
import { RevisionNumber } from '../../document/revision/revision-schema.ts';
import { OneOf } from '../../schema/fields.ts';
import { invalidArgument } from '../arguments.ts';
import { DocumentArguments, documentLink, inWords, refOf } from '../document.ts';
import type { Quotation } from '../quote.ts';
import { defineTool } from '../tool.ts';

const ACTIONS = ['status', 'request', 'approve', 'request_changes'] as const;

export const reviewDocument = defineTool({
  name: 'review_document',
  title: 'Review a document',
  description:
    'Says whether a document is approved and who is asked, asks someone for a review, approves the ' +
    'revision that you read, or requests changes. Protected documents are approved by people in the ' +
    'web app only.',
  scope: 'comments',
  effect: { bringsIn: true },
  input: Type.Object(
    {
      ...DocumentArguments,
      action: OneOf(ACTIONS, 'What to do.'),
      reviewer: Type.Optional(Type.String({ description: 'request: whom to ask (a username).' })),
      revision: Type.Optional(
        RevisionNumber('approve, request_changes: the revision that you read.'),
      ),
      body: Type.Optional(Type.String({ description: 'What you say about it: Markdown.' })),
    },
    { additionalProperties: false },
  ),
  argumentNames: { username: 'reviewer', note: 'body' },
  handler: async ({ context, actor, input }) => {
    const { action, reviewer, revision, body } = input;
    const ref = refOf(context, actor, input);
    if (action === 'request') {
      if (reviewer === undefined) throw invalidArgument('reviewer', 'is needed to ask someone');
      await requestReview(context, actor, ref, { username: reviewer, note: body });
    }
    if (action === 'approve' || action === 'request_changes') {
      if (revision === undefined) throw invalidArgument('revision', `is needed to ${action}`);
      const verdict = action === 'approve' ? 'approved' : 'changes_requested';
      await giveReview(context, actor, ref, { verdict, revision, body });
    }
    const reviews = await getReviews(context, actor, ref);
    const { document } = await requireDocument(context.sql.read, actor, ref, 'read');
    return {
      summary: `The ${inWords(document)}, revision ${document.version}: ${STATES[reviews.state]}.`,
      data: {
        ...{ state: reviews.state, revision: reviews.revision, protected: reviews.isProtected },
        waitingFor: reviews.requests
          .filter(({ isAnswered }) => !isAnswered)
          .map(({ username }) => username),
      },
      quotations: quoteReviews(reviews),
      links: [documentLink(document)],
    };
  },
});

const STATES: Record<Reviews['state'], string> = {
  none: 'not reviewed',
  requested: 'a review is requested',
  approved: 'approved',
  outdated: 'approved, but changed since',
  changes_requested: 'changes are requested',
};

function quoteReviews({ reviews }: Reviews): Quotation[] {
  if (reviews.length === 0) return [];
  const lines = reviews.map(({ author, via, verdict, version, isFresh, body }) =>
    JSON.stringify({
      ...{ by: author, via, verdict, revision: version, current: isFresh },
      ...(body !== null && { body }),
    }),
  );
  return [{ what: 'the reviews (one a line)', text: lines.join('\n') }];
}
