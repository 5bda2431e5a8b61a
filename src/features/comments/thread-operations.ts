import { Type } from 'typebox';
import { FieldError } from '../../base/errors.ts';
import { OneOf, Timestamp } from '../../base/schema/fields.ts';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { PLACE_STATES, THREAD_STATES } from '../../core/review/thread.ts';
import { ChangeThreadBody, NewThreadBody } from '../../core/review/thread-input-schema.ts';
import { documentLocation, refsOf } from '../../surfaces/rest/document-path.ts';
import { change, get, list, make } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { reviewRules } from '../../surfaces/rest/rules.ts';
import { READ_COMMENTS, WRITE_COMMENTS } from '../reviews/comment-operation.ts';
import { addComments } from './comment-operations.ts';
import { openThread } from './new-thread-service.ts';
import { placeThread, setThreadState } from './thread-change-service.ts';
import { presentThread, ThreadSchema } from './thread-schema.ts';
import { getThread, listThreads } from './thread-service.ts';

const STATES = {
  open: ['open'],
  closed: ['resolved', 'accepted', 'rejected'],
  all: THREAD_STATES,
} as const;

/** Adds the routes of threads and their comments. */
export function addThreadOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) {
    addThreads(api, kind);
    addComments(api, kind);
  }
}

function addThreads(api: Api, documentKind: DocumentKind): void {
  const { kind, segment, title, bodyLimitBytes: bodyLimit } = documentKind;
  const refOf = refsOf(kind);
  const canReview = reviewRules(kind);
  const all = `/${segment}/{owner}/{name}/threads` as const;
  const one = `${all}/{thread}` as const;

  list(api, {
    ...READ_COMMENTS,
    path: all,
    id: `list${title}Threads`,
    summary: `List the comments on a ${kind}`,
    description:
      'Threads with their comments, newest first, and the positions of their passages in the ' +
      'current text.',
    query: Type.Object({
      state: Type.Optional(
        OneOf(['open', 'closed', 'all'], 'Which threads to list. Default: open ones.'),
      ),
      anchor: Type.Optional(OneOf(PLACE_STATES, 'Only threads whose passage is in this state.')),
      since: Type.Optional(Timestamp('Only threads that changed after this time.')),
    }),
    items: ThreadSchema,
    rule: canReview('see'),
    find: ({ call, params, query, page }) => {
      const { state = 'open', anchor, since } = query;
      const filter = { states: STATES[state], anchor, since };
      return listThreads(call, refOf(params), filter, page);
    },
    present: presentThread,
  });

  make(api, {
    ...WRITE_COMMENTS,
    path: all,
    id: `open${title}Thread`,
    summary: `Comment on a ${kind}`,
    description:
      'Opens a thread about a passage (which must occur exactly once), a section, an element of ' +
      'a page, or the whole document. With `replacement`, it suggests another text for the ' +
      'passage.',
    body: NewThreadBody,
    bodyLimit,
    answer: ThreadSchema,
    errors: [422],
    rule: canReview('comment'),
    handler: async ({ call, params, body }) => {
      const thread = await openThread(call, refOf(params), body);
      const location = `${documentLocation(segment, params)}/threads/${thread.id}`;
      return { data: presentThread(thread), location };
    },
  });

  get(api, {
    ...READ_COMMENTS,
    path: one,
    id: `get${title}Thread`,
    summary: `Get a thread of a ${kind}`,
    description: 'With all of its comments.',
    answer: ThreadSchema,
    rule: canReview('see'),
    handler: async ({ call, params }) =>
      presentThread(await getThread(call, refOf(params), params.thread)),
  });

  change(api, {
    ...WRITE_COMMENTS,
    path: one,
    id: `change${title}Thread`,
    summary: `Resolve, reopen or move a thread of a ${kind}`,
    description: 'Send `state`, or `on` to move it.',
    body: ChangeThreadBody,
    bodyLimit,
    answer: ThreadSchema,
    errors: [422],
    rule: canReview('see', 'its author, or write'),
    handler: async ({ call, params, body: { state, on } }) => {
      const ref = refOf(params);
      if (state && on) {
        throw new FieldError('BAD_REQUEST', 'body', 'can’t have both state and on.');
      }
      const thread = on
        ? await placeThread(call, ref, params.thread, on)
        : await setThreadState(call, ref, params.thread, state ?? 'open');
      return presentThread(thread);
    },
  });
}
