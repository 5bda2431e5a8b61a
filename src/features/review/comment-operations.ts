import type { DocumentKind } from '../../base/schema/kind.ts';
import { CommentBody } from '../../core/review/thread-input-schema.ts';
import { documentLocation, refsOf } from '../../surfaces/rest/document-path.ts';
import { type Api, addOperation, NO_CONTENT } from '../../surfaces/rest/operation.ts';
import { reviewRules } from '../../surfaces/rest/rules.ts';
import { WRITE_COMMENTS } from './comment-operation.ts';
import { addComment, editComment, removeComment } from './comment-service.ts';
import { CommentSchema, presentComment } from './thread-schema.ts';

export function addComments(api: Api, documentKind: DocumentKind): void {
  const { kind, segment, title, bodyLimitBytes: bodyLimit } = documentKind;
  const refOf = refsOf(kind);
  const canReview = reviewRules(kind);
  const all = `/${segment}/{owner}/{name}/threads/{thread}/comments` as const;
  const one = `${all}/{comment}` as const;

  addOperation(api, {
    ...WRITE_COMMENTS,
    method: 'POST',
    path: all,
    id: `add${title}Comment`,
    summary: `Reply in a thread of a ${kind}`,
    description: 'A closed thread stays closed.',
    body: CommentBody,
    bodyLimit,
    answers: { 201: CommentSchema },
    sends: { 201: ['Location'] },
    errors: [422],
    rule: canReview('comment'),
    handler: async ({ context, actor, params, body }) => {
      const comment = await addComment(context, actor, refOf(params), params.thread, body.body);
      const location = `${documentLocation(segment, params)}/threads/${params.thread}/comments/${comment.id}`;
      return { status: 201, data: presentComment(comment), location };
    },
  });

  const idsOf = (params: { thread: string; comment: string }) => ({
    threadId: params.thread,
    commentId: params.comment,
  });

  addOperation(api, {
    ...WRITE_COMMENTS,
    method: 'PATCH',
    path: one,
    id: `change${title}Comment`,
    summary: `Change your comment on a ${kind}`,
    description: 'Returns the changed comment.',
    body: CommentBody,
    bodyLimit,
    answers: { 200: CommentSchema },
    rule: canReview('comment', 'its author'),
    handler: async ({ context, actor, params, body }) => {
      const comment = await editComment(context, actor, refOf(params), idsOf(params), body.body);
      return { status: 200, data: presentComment(comment) };
    },
  });

  addOperation(api, {
    ...WRITE_COMMENTS,
    method: 'DELETE',
    path: one,
    id: `delete${title}Comment`,
    summary: `Delete a comment on a ${kind}`,
    description: 'Also deletes a thread that has no comments left, unless it is a suggestion.',
    answers: { 204: null },
    rule: canReview('see', 'its author, or admin'),
    handler: async ({ context, actor, params }) => {
      await removeComment(context, actor, refOf(params), idsOf(params));
      return NO_CONTENT;
    },
  });
}
