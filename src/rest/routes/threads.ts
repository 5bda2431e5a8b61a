import { Type } from 'typebox';
import { documentSchema, presentDocument } from '../../document/document-schema.ts';
import { type DocumentKind, KINDS } from '../../document/kind.ts';
import { addComment, editComment, removeComment } from '../../document/review/comment-service.ts';
import { diffProposal, readProposal } from '../../document/review/proposal-service.ts';
import { requireReview } from '../../document/review/review-authorize.ts';
import {
  changeReviewSettings,
  getReviewSettings,
} from '../../document/review/review-setting-service.ts';
import { acceptSuggestions, rejectSuggestions } from '../../document/review/suggestion-service.ts';
import { PLACE_STATES, THREAD_STATES } from '../../document/review/thread.ts';
import {
  ChangeThreadBody,
  CommentBody,
  CommentSchema,
  NewThreadBody,
  ProposalSchema,
  presentComment,
  presentThread,
  ReviewSettingsSchema,
  ThreadIds,
  ThreadSchema,
} from '../../document/review/thread-schema.ts';
import {
  getThread,
  listThreads,
  openThread,
  placeThread,
  setThreadState,
} from '../../document/review/thread-service.ts';
import { MessageField } from '../../document/revision/revision-schema.ts';
import { FieldError } from '../../errors.ts';
import { OneOf, Timestamp } from '../../schema/fields.ts';
import { refsOf } from '../document-path.ts';
import { type Api, addOperation, listAnswer, NO_CONTENT } from '../operation.ts';

const STATES = {
  open: ['open'],
  closed: ['resolved', 'accepted', 'rejected'],
  all: THREAD_STATES,
} as const;

/** Routes of threads: comments, suggestions, and who can comment. */
export function addThreadRoutes(api: Api): void {
  for (const kind of Object.values(KINDS)) {
    addThreads(api, kind);
    addProposal(api, kind);
    addComments(api, kind);
    addSuggestions(api, kind);
    addSettings(api, kind);
  }
}

const READ = {
  tag: 'Comments',
  scope: 'documents:read',
  needs: 'read, and to see comments',
} as const;
const SAY = { tag: 'Comments', scope: 'comments' } as const;

function addThreads(api: Api, documentKind: DocumentKind): void {
  const { kind, segment, title, bodyLimitBytes: bodyLimit } = documentKind;
  const refOf = refsOf(kind);
  const all = `/${segment}/{owner}/{name}/threads` as const;
  const one = `${all}/{thread}` as const;

  addOperation(api, {
    ...READ,
    method: 'GET',
    path: all,
    id: `list${title}Threads`,
    summary: `List the comments on a ${kind}`,
    description:
      'Threads with their comments, newest first, and where their passages are in the current text.',
    query: Type.Object({
      state: Type.Optional(
        OneOf(['open', 'closed', 'all'], 'Which threads; by default the open ones.'),
      ),
      anchor: Type.Optional(OneOf(PLACE_STATES, 'Only threads whose passage is in this state.')),
      since: Type.Optional(Timestamp('Only threads to which something happened after this time.')),
    }),
    paginated: true,
    answers: { 200: Type.Array(ThreadSchema) },
    errors: [400, 403, 404],
    gate: ({ sql }, actor, params) => requireReview(sql.read, actor, refOf(params), 'see'),
    handler: async ({ context, actor, params, query, page }) => {
      const { state = 'open', anchor, since } = query;
      const filter = { states: STATES[state], anchor, since };
      const found = await listThreads(context, actor, refOf(params), filter, page);
      return listAnswer(found, presentThread);
    },
  });

  addOperation(api, {
    ...SAY,
    method: 'POST',
    path: all,
    id: `open${title}Thread`,
    needs: 'to comment',
    summary: `Comment on a ${kind}`,
    description:
      'About a passage, which must occur exactly once, a section, an element of a page, or the whole ' +
      'document. With `replacement` it suggests another text for the passage.',
    body: NewThreadBody,
    bodyLimit,
    answers: { 201: ThreadSchema },
    errors: [400, 403, 404, 422],
    gate: ({ sql }, actor, params) => requireReview(sql.read, actor, refOf(params), 'comment'),
    handler: async ({ context, actor, params, body }) => {
      const thread = await openThread(context, actor, refOf(params), body);
      const { owner, name } = params;
      const location = `/${segment}/${owner}/${encodeURIComponent(name)}/threads/${thread.id}`;
      return { status: 201, data: presentThread(thread), location };
    },
  });

  addOperation(api, {
    ...READ,
    method: 'GET',
    path: one,
    id: `get${title}Thread`,
    summary: `Get a thread of a ${kind}`,
    description: 'With all of its comments.',
    answers: { 200: ThreadSchema },
    errors: [403, 404],
    handler: async ({ context, actor, params }) => {
      const thread = await getThread(context, actor, refOf(params), params.thread);
      return { status: 200, data: presentThread(thread) };
    },
  });

  addOperation(api, {
    ...SAY,
    method: 'PATCH',
    path: one,
    id: `change${title}Thread`,
    needs: 'its author, or write',
    summary: `Resolve, reopen or move a thread of a ${kind}`,
    description: 'Send `state`, or `on` to place it anew.',
    body: ChangeThreadBody,
    bodyLimit,
    answers: { 200: ThreadSchema },
    errors: [400, 403, 404, 422],
    gate: ({ sql }, actor, params) => requireReview(sql.read, actor, refOf(params), 'see'),
    handler: async ({ context, actor, params, body: { state, on } }) => {
      const ref = refOf(params);
      if (state && on) {
        throw new FieldError('BAD_REQUEST', 'body', 'can’t have both state and on.');
      }
      const thread = on
        ? await placeThread(context, actor, ref, params.thread, on)
        : await setThreadState(context, actor, ref, params.thread, state ?? 'open');
      return { status: 200, data: presentThread(thread) };
    },
  });
}

function addProposal(api: Api, { kind, segment, title }: DocumentKind): void {
  const refOf = refsOf(kind);
  addOperation(api, {
    ...READ,
    method: 'GET',
    path: `/${segment}/{owner}/{name}/threads/{thread}/proposal`,
    id: `get${title}Proposal`,
    summary: `Get what is proposed for a ${kind}`,
    description:
      'As a diff against the revision that it was made to, and against the current text.',
    answers: { 200: ProposalSchema },
    errors: [403, 404, 422],
    handler: async ({ context, actor, params }) => {
      const proposal = await readProposal(context, actor, refOf(params), params.thread);
      return { status: 200, data: await diffProposal(context, actor, proposal) };
    },
  });
}

function addComments(api: Api, documentKind: DocumentKind): void {
  const { kind, segment, title, bodyLimitBytes: bodyLimit } = documentKind;
  const refOf = refsOf(kind);
  const all = `/${segment}/{owner}/{name}/threads/{thread}/comments` as const;
  const one = `${all}/{comment}` as const;

  addOperation(api, {
    ...SAY,
    method: 'POST',
    path: all,
    id: `add${title}Comment`,
    needs: 'to comment',
    summary: `Answer in a thread of a ${kind}`,
    description: 'A closed thread stays closed.',
    body: CommentBody,
    bodyLimit,
    answers: { 201: CommentSchema },
    errors: [400, 403, 404, 422],
    gate: ({ sql }, actor, params) => requireReview(sql.read, actor, refOf(params), 'comment'),
    handler: async ({ context, actor, params, body }) => {
      const comment = await addComment(context, actor, refOf(params), params.thread, body.body);
      return { status: 201, data: presentComment(comment) };
    },
  });

  const idsOf = (params: { thread: string; comment: string }) => ({
    threadId: params.thread,
    commentId: params.comment,
  });

  addOperation(api, {
    ...SAY,
    method: 'PATCH',
    path: one,
    id: `change${title}Comment`,
    needs: 'its author',
    summary: `Change your comment on a ${kind}`,
    description: 'Answers the comment as it is now.',
    body: CommentBody,
    bodyLimit,
    answers: { 200: CommentSchema },
    errors: [400, 403, 404],
    gate: ({ sql }, actor, params) => requireReview(sql.read, actor, refOf(params), 'comment'),
    handler: async ({ context, actor, params, body }) => {
      const comment = await editComment(context, actor, refOf(params), idsOf(params), body.body);
      return { status: 200, data: presentComment(comment) };
    },
  });

  addOperation(api, {
    ...SAY,
    method: 'DELETE',
    path: one,
    id: `delete${title}Comment`,
    needs: 'its author, or admin',
    summary: `Delete a comment on a ${kind}`,
    description: 'A thread without comments goes too, unless it suggests something.',
    answers: { 204: null },
    errors: [403, 404],
    handler: async ({ context, actor, params }) => {
      await removeComment(context, actor, refOf(params), idsOf(params));
      return NO_CONTENT;
    },
  });
}

function addSuggestions(api: Api, documentKind: DocumentKind): void {
  const { kind, segment, title, bodyLimitBytes: bodyLimit } = documentKind;
  const refOf = refsOf(kind);
  const path = `/${segment}/{owner}/{name}/suggestions` as const;

  addOperation(api, {
    method: 'POST',
    path: `${path}/accept`,
    id: `accept${title}Suggestions`,
    tag: 'Comments',
    scope: 'documents:write',
    needs: 'write',
    summary: `Accept suggestions for a ${kind}`,
    description:
      'All together, as one revision. Proposals are merged with what was changed since. If a passage or a ' +
      'line has changed, nothing is accepted (409).',
    body: Type.Object(
      { threads: ThreadIds('The suggestions.'), message: Type.Optional(MessageField) },
      { title: 'AcceptSuggestions', additionalProperties: false },
    ),
    bodyLimit,
    conditional: true,
    answers: { 200: documentSchema(documentKind, 'full') },
    errors: [400, 403, 404, 409, 422],
    gate: ({ sql }, actor, params) => requireReview(sql.read, actor, refOf(params), 'accept'),
    handler: async ({ context, actor, params, body: { threads, message } }) => {
      const seen = await acceptSuggestions(context, actor, refOf(params), threads, message);
      return { status: 200, data: presentDocument(context, 'full', seen), etag: seen.etag };
    },
  });

  addOperation(api, {
    ...SAY,
    method: 'POST',
    path: `${path}/reject`,
    id: `reject${title}Suggestions`,
    needs: 'their author, or write',
    summary: `Reject suggestions for a ${kind}`,
    description: 'All or none.',
    body: Type.Object(
      { threads: ThreadIds('The suggestions.') },
      { title: 'RejectSuggestions', additionalProperties: false },
    ),
    bodyLimit,
    answers: { 204: null },
    errors: [400, 403, 404, 422],
    gate: ({ sql }, actor, params) => requireReview(sql.read, actor, refOf(params), 'see'),
    handler: async ({ context, actor, params, body }) => {
      await rejectSuggestions(context, actor, refOf(params), body.threads);
      return NO_CONTENT;
    },
  });
}

function addSettings(api: Api, documentKind: DocumentKind): void {
  const { kind, segment, title, bodyLimitBytes: bodyLimit } = documentKind;
  const refOf = refsOf(kind);
  const path = `/${segment}/{owner}/{name}/review-settings` as const;

  addOperation(api, {
    ...READ,
    method: 'GET',
    path,
    id: `get${title}ReviewSettings`,
    summary: `Get who can comment on a ${kind}`,
    description: 'And whether it is protected.',
    answers: { 200: ReviewSettingsSchema },
    errors: [403, 404],
    handler: async ({ context, actor, params }) => ({
      status: 200,
      data: await getReviewSettings(context, actor, refOf(params)),
    }),
  });

  addOperation(api, {
    method: 'PATCH',
    path,
    id: `change${title}ReviewSettings`,
    tag: 'Comments',
    scope: 'sharing',
    needs: 'admin',
    summary: `Change who can comment on a ${kind}`,
    description: 'Fields that are absent stay as they are.',
    body: Type.Partial(ReviewSettingsSchema, {
      title: 'ChangeReviewSettings',
      additionalProperties: false,
      minProperties: 1,
    }),
    bodyLimit,
    answers: { 200: ReviewSettingsSchema },
    errors: [400, 403, 404],
    gate: ({ sql }, actor, params) => requireReview(sql.read, actor, refOf(params), 'configure'),
    handler: async ({ context, actor, params, body }) => ({
      status: 200,
      data: await changeReviewSettings(context, actor, refOf(params), body),
    }),
  });
}
