import { type Static, Type } from 'typebox';
import { requireScope } from '../../account/scope.ts';
import type { Actor, Context } from '../../context.ts';
import type { DocumentRef } from '../../document/document-ref.ts';
import { addComment } from '../../document/review/comment-service.ts';
import { acceptSuggestions, rejectSuggestions } from '../../document/review/suggestion-service.ts';
import { REVIEW_LIMITS, THREAD_STATES } from '../../document/review/thread.ts';
import { openThread, setThreadState, type Thread } from '../../document/review/thread-service.ts';
import { RevisionNumber } from '../../document/revision/revision-schema.ts';
import { OneOf } from '../../schema/fields.ts';
import { invalidArgument } from '../arguments.ts';
import { DocumentArguments, refOf } from '../document.ts';
import { defineTool } from '../tool.ts';

const ACTIONS = ['open', 'reply', 'suggest', 'resolve', 'reopen', 'accept', 'reject'] as const;

const Input = Type.Object(
  {
    ...DocumentArguments,
    action: OneOf(
      ACTIONS,
      '`open`: a new thread. `suggest`: replace `quote` by `replacement`. `reply`, `resolve`, ' +
        '`reopen`: a thread. `accept`, `reject`: suggestions.',
    ),
    body: Type.Optional(Type.String({ description: 'open, suggest, reply: Markdown.' })),
    quote: Type.Optional(
      Type.String({
        maxLength: REVIEW_LIMITS.quote,
        description: 'open, suggest: the passage, letter for letter; without it, all of it.',
      }),
    ),
    section: Type.Optional(
      Type.String({
        maxLength: REVIEW_LIMITS.element,
        description: 'open: a heading of a brief instead of a quote.',
      }),
    ),
    element: Type.Optional(
      Type.String({
        maxLength: REVIEW_LIMITS.element,
        description: 'open, suggest: an element of a page instead of a quote: #id or div:2/p:1.',
      }),
    ),
    prefix: Type.Optional(
      Type.String({ description: 'What stands directly before the quote, if it occurs twice.' }),
    ),
    suffix: Type.Optional(Type.String({ description: 'What stands directly after it.' })),
    revision: Type.Optional(RevisionNumber('The revision that you quote; default the current.')),
    replacement: Type.Optional(Type.String({ description: 'suggest: the new text.' })),
    threads: Type.Optional(
      Type.Array(Type.String(), {
        ...{ minItems: 1, maxItems: REVIEW_LIMITS.together },
        description: 'Ids from list_threads; several only to accept or reject.',
      }),
    ),
  },
  { additionalProperties: false },
);
type Input = Static<typeof Input>;

/** What each action needs, and what else it takes. */
const FIELDS: Record<Input['action'], { needs: (keyof Input)[]; takes?: (keyof Input)[] }> = {
  open: { needs: ['body'], takes: ['quote', 'section', 'element', 'prefix', 'suffix', 'revision'] },
  suggest: {
    needs: ['replacement'],
    takes: ['quote', 'element', 'body', 'prefix', 'suffix', 'revision'],
  },
  reply: { needs: ['threads', 'body'] },
  resolve: { needs: ['threads'] },
  reopen: { needs: ['threads'] },
  accept: { needs: ['threads'] },
  reject: { needs: ['threads'] },
};

export const comment = defineTool({
  name: 'comment',
  title: 'Comment on a document',
  description:
    'Opens a thread about a passage or the whole document, suggests another text for a passage, ' +
    'replies, resolves, reopens, accepts or rejects. Accepting writes a revision.',
  scope: 'comments',
  effect: { destroys: true },
  input: Input,
  output: Type.Object({
    threads: Type.Array(
      Type.Object({ id: Type.String(), state: OneOf(THREAD_STATES, 'Its state now.') }),
    ),
    revision: Type.Optional(Type.Integer()),
  }),
  argumentNames: {
    thread: 'threads',
    state: 'threads',
    'on.quote': 'quote',
    'on.revision': 'revision',
    'on.section': 'section',
    'on.element': 'element',
    on: 'quote',
  },
  handler: async ({ context, actor, input }) => {
    requireFields(input);
    const ref = refOf(context, actor, input);
    const { threads, revision } = await act(context, actor, ref, input);
    const count = threads.length === 1 ? 'The thread is' : `${threads.length} threads are`;
    return {
      summary: `${count} ${threads[0]?.state}.`,
      data: { threads, ...(revision !== undefined && { revision }) },
    };
  },
});

/** @throws InvalidArguments for an argument that the action needs or does not take */
function requireFields(input: Input): void {
  const { needs, takes = [] } = FIELDS[input.action];
  for (const name of needs) {
    if (input[name] === undefined) throw invalidArgument(name, `is needed to ${input.action}`);
  }
  for (const name of Object.keys(input) as (keyof Input)[]) {
    const isMeant = ['kind', 'owner', 'name', 'action', ...needs, ...takes].includes(name);
    if (!isMeant) throw invalidArgument(name, `has no meaning in "${input.action}"`);
  }
  const isOne = input.threads?.length === 1 || ['accept', 'reject'].includes(input.action);
  if (input.threads && !isOne) throw invalidArgument('threads', `must be one to ${input.action}`);
}

type Done = { threads: Pick<Thread, 'id' | 'state'>[]; revision?: number };

async function act(
  context: Context,
  actor: Actor,
  ref: DocumentRef,
  { action, body, revision, replacement, threads = [], ...input }: Input,
): Promise<Done> {
  const [id = ''] = threads;
  const of = ({ id, state }: Thread): Done => ({ threads: [{ id, state }] });
  switch (action) {
    case 'open':
    case 'suggest': {
      const { quote, section, element, prefix, suffix } = input;
      const isPlaced = (quote ?? section ?? element) !== undefined;
      const on = isPlaced ? { quote, section, element, prefix, suffix, revision } : undefined;
      return of(await openThread(context, actor, ref, { body, on, replacement }));
    }
    case 'reply': {
      const { threadId, state } = await addComment(context, actor, ref, id, body ?? '');
      return { threads: [{ id: threadId, state }] };
    }
    case 'resolve':
      return of(await setThreadState(context, actor, ref, id, 'resolved'));
    case 'reopen':
      return of(await setThreadState(context, actor, ref, id, 'open'));
    case 'accept': {
      requireScope(actor, 'documents:write');
      const { document } = await acceptSuggestions(context, actor, ref, threads);
      const accepted = threads.map((id) => ({ id, state: 'accepted' as const }));
      return { threads: accepted, revision: document.version };
    }
    case 'reject':
      await rejectSuggestions(context, actor, ref, threads);
      return { threads: threads.map((id) => ({ id, state: 'rejected' as const })) };
  }
}
