import type { DocumentKind } from '../../base/schema/kind.ts';
import { CommentBody } from '../../core/review/thread-input-schema.ts';
import { documentLocation, refsOf } from '../../surfaces/rest/document-path.ts';
import { change, make, remove } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { reviewRules } from '../../surfaces/rest/rules.ts';
import { WRITE_COMMENTS } from '../reviews/comment-operation.ts';
import { addComment, editComment, removeComment } from './comment-service.ts';
import { CommentSchema, presentComment } from './thread-schema.ts';

export function addComments(api: Api, documentKind: DocumentKind): void {
  const { kind, segment, title, bodyLimitBytes: bodyLimit } = documentKind;
  const refOf = refsOf(kind);
  const canReview = reviewRules(kind);
  const all = `/${segment}/{owner}/{name}/threads/{thread}/comments` as const;
  const one = `${all}/{comment}` as const;

  make(api, {
    ...WRITE_COMMENTS,
    path: all,
    id: `add${title}Comment`,
    summary: `Reply in a thread of a ${kind}`,
    description: 'A closed thread stays closed.',
    body: CommentBody,
    bodyLimit,
    answer: CommentSchema,
    errors: [422],
    rule: canReview('comment'),
    handler: async ({ call, params, body }) => {
      const comment = await addComment(call, refOf(params), params.thread, body.body);
      const location = `${documentLocation(segment, params)}/threads/${params.thread}/comments/${comment.id}`;
      return { data: presentComment(comment), location };
    },
  });

  const idsOf = (params: { thread: string; comment: string }) => ({
    threadId: params.thread,
    commentId: params.comment,
  });

  change(api, {
    ...WRITE_COMMENTS,
    path: one,
    id: `change${title}Comment`,
    summary: `Change your comment on a ${kind}`,
    description: 'Returns the changed comment.',
    body: CommentBody,
    bodyLimit,
    answer: CommentSchema,
    rule: canReview('comment', 'its author'),
    handler: async ({ call, params, body }) =>
      presentComment(await editComment(call, refOf(params), idsOf(params), body.body)),
  });

  remove(api, {
    ...WRITE_COMMENTS,
    path: one,
    id: `delete${title}Comment`,
    summary: `Delete a comment on a ${kind}`,
    description: 'Also deletes a thread that has no comments left, unless it is a suggestion.',
    rule: canReview('see', 'its author, or admin'),
    handler: ({ call, params }) => removeComment(call, refOf(params), idsOf(params)),
  });
}
