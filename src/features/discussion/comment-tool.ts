import { type Static, Type } from 'typebox';
import { FieldError } from '../../base/errors.ts';
import { fold } from '../../base/text/alike.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { requireScope } from '../../core/identity/scope.ts';
import { REVIEW_LIMITS } from '../../core/review/thread.ts';
import { RevisionNumber } from '../../core/revision/revision-schema.ts';
import { invalidArgument } from '../../surfaces/mcp/arguments.ts';
import { Choice } from '../../surfaces/mcp/choice.ts';
import { DocumentArguments, refOf } from '../../surfaces/mcp/document.ts';
import { type FieldRules, requireFields } from '../../surfaces/mcp/fields.ts';
import { OptionalText } from '../../surfaces/mcp/optional-text.ts';
import { AnyObject } from '../../surfaces/mcp/paging.ts';
import { quoteCandidates } from '../../surfaces/mcp/quote.ts';
import { defineTool } from '../../surfaces/mcp/tool.ts';
import { openThread } from '../comments/new-thread-service.ts';
import { QuoteNotFound } from '../comments/quote-service.ts';
import type { Thread } from '../comments/thread-service.ts';
import { getReviews, giveReview, requestReview } from '../reviews/review-service.ts';
import { acceptSuggestions, rejectSuggestions } from '../suggestions/suggestion-service.ts';
import { answerThreads } from './answer-service.ts';
import { REVIEW_STATES, reviewData } from './threads-reading.ts';

const ON_THREADS = ['open', 'suggest', 'reply', 'resolve', 'reopen', 'accept', 'reject'] as const;
const REVIEWS = ['request_review', 'approve', 'request_changes'] as const;

const Input = Type.Object(
  {
    ...DocumentArguments,
    action: Choice([...ON_THREADS, ...REVIEWS], {
      description:
        '`open`: a new thread. `suggest`: `replacement` for `quote`. `accept`, `reject`: ' +
        'suggestions.',
    }),
    body: OptionalText({ description: 'Markdown.' }),
    quote: OptionalText({
      maxLength: REVIEW_LIMITS.quote,
      description: 'The exact passage; without it, the whole document.',
    }),
    section: OptionalText({ maxLength: REVIEW_LIMITS.element, description: 'A heading.' }),
    element: OptionalText({ maxLength: REVIEW_LIMITS.element, description: '#id or div:2/p:1.' }),
    prefix: Type.Optional(Type.String({ description: 'The text right before it.' })),
    suffix: Type.Optional(Type.String()),
    replacement: Type.Optional(Type.String()),
    threads: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: REVIEW_LIMITS.together,
        description: 'Ids, from read_document.',
      }),
    ),
    answers: Type.Optional(
      Type.Array(
        Type.Object(
          {
            thread: Type.String(),
            body: OptionalText(),
            resolve: Type.Optional(Type.Boolean()),
          },
          { additionalProperties: false },
        ),
        {
          minItems: 1,
          maxItems: REVIEW_LIMITS.together,
          description: 'reply: several threads at once, instead of threads and body.',
        },
      ),
    ),
    reviewer: OptionalText(),
    revision: Type.Optional(RevisionNumber('The one you read.')),
    expected: Type.Optional(
      Type.Array(Type.String(), {
        description: 'accept, reject: each thread’s digest as read (or `revision`).',
      }),
    ),
  },
  { additionalProperties: false },
);
type Input = Static<typeof Input>;

type Field = Exclude<keyof Input, 'action' | keyof typeof DocumentArguments>;

/** The arguments of each action, besides those that name the document. */
const FIELDS: FieldRules<Input['action'], Field> = {
  open: { needs: ['body'], takes: ['quote', 'section', 'element', 'prefix', 'suffix', 'revision'] },
  suggest: {
    needs: ['replacement'],
    takes: ['quote', 'element', 'body', 'prefix', 'suffix', 'revision'],
  },
  reply: { needs: [], takes: ['threads', 'body', 'answers'] },
  resolve: { needs: ['threads'], takes: ['body'] },
  reopen: { needs: ['threads'], takes: ['body'] },
  accept: { needs: ['threads'], takes: ['revision', 'expected'] },
  reject: { needs: ['threads'], takes: ['revision', 'expected', 'body'] },
  request_review: { needs: ['reviewer'], takes: ['body'] },
  approve: { needs: ['revision'], takes: ['body'] },
  request_changes: { needs: ['revision'], takes: ['body'] },
};

export const comment = defineTool({
  name: 'comment',
  title: 'Comment or review',
  description:
    'Opens a thread about a passage or the document, suggests another text, answers and closes ' +
    'threads, asks for a review, approves or requests changes. Accepting writes a revision. ' +
    'People approve protected documents in the web app.',
  scope: 'comments',
  opensLinks: () => true,
  effect: { destroys: true },
  input: Input,
  output: Type.Object({
    threads: Type.Optional(Type.Array(AnyObject)),
    revision: Type.Optional(Type.Integer()),
    judged: Type.Optional(Type.Integer()),
    state: Type.Optional(Type.String()),
    waitingFor: Type.Optional(Type.Array(Type.String())),
  }),
  argumentNames: {
    thread: 'threads',
    state: 'threads',
    'on.quote': 'quote',
    'on.revision': 'revision',
    'on.section': 'section',
    'on.element': 'element',
    on: 'quote',
    username: 'reviewer',
    note: 'body',
  },
  handler: async ({ call, input, anchor }) => {
    requireArguments(input);
    const ref = refOf(call, input);
    if (isReview(input)) return review(call, ref, input);
    const done = await openedAt(call, ref, input, anchor).catch(withCandidates);
    const { threads, revision, said } =
      done ?? (await act(call, ref, input as OnThreads).catch(withCandidates));
    return {
      summary: summaryOf(input.action, threads) + (said ?? ''),
      data: { threads, ...(revision !== undefined && { revision }) },
      usesAnchor: done !== undefined,
    };
  },
});

/**
 * Requires the arguments that an action needs, and no others.
 *
 * @throws InvalidArguments also for an answer without anything to say or do
 */
function requireArguments({ action, kind, owner, name, ...given }: Input): void {
  requireFields(FIELDS, { action, given });
  if (action !== 'reply') return;
  const { answers, ...one } = given;
  if (!answers) {
    requireFields({ reply: { needs: ['threads', 'body'] } }, { action, given: one });
    return;
  }
  const [other] = Object.keys(one);
  if (other) throw invalidArgument(other, 'can’t be used with answers');
  const empty = answers.findIndex(({ body, resolve }) => body === undefined && !resolve);
  if (empty >= 0) throw invalidArgument(`answers.${empty}.body`, 'is needed, or resolve: true');
}

type OnThreads = Input & { action: (typeof ON_THREADS)[number] };
type Done = { threads: Pick<Thread, 'id' | 'state'>[]; revision?: number; said?: string };

/**
 * Opens a thread about the section that the document's address names. @returns `undefined`, without
 * any effect, if it names none or the arguments name a place
 */
async function openedAt(
  call: Call,
  ref: DocumentRef,
  input: Input,
  section: string | undefined,
): Promise<Done | undefined> {
  const { action, quote, element } = input;
  const isPlaced = (quote ?? input.section ?? element) !== undefined;
  if (action !== 'open' || section === undefined || isPlaced) return undefined;
  return act(call, ref, { ...input, action, section }).catch((error: unknown) => {
    if (error instanceof FieldError && error.field === 'on.section') return undefined;
    throw error;
  });
}

async function act(
  call: Call,
  ref: DocumentRef,
  { action, body, revision, replacement, threads = [], ...input }: OnThreads,
): Promise<Done> {
  const shown = { revision, expected: input.expected };
  const of = (...all: Thread[]): Done => ({ threads: all.map(({ id, state }) => ({ id, state })) });
  const answer = async (state?: 'open' | 'resolved') => {
    const answers = threads.map((thread) => ({ thread, body, state }));
    return of(...(await answerThreads(call, ref, answers)));
  };
  switch (action) {
    case 'open':
    case 'suggest': {
      const { quote, section, element, prefix, suffix } = input;
      const isPlaced = (quote ?? section ?? element) !== undefined;
      const on = isPlaced ? { quote, section, element, prefix, suffix, revision } : undefined;
      const thread = await openThread(call, ref, { body, on, replacement });
      const heading = section?.replace(/^#+ */, '');
      const said = quoteInWords(quote, thread, 'quote') || quoteInWords(heading, thread, 'heading');
      return { ...of(thread), said };
    }
    case 'reply': {
      const answers = input.answers?.map(({ resolve, ...said }) => ({
        ...said,
        state: resolve ? ('resolved' as const) : undefined,
      }));
      if (!answers) return answer();
      return of(...(await answerThreads(call, ref, answers, 'answers')));
    }
    case 'resolve':
      return answer('resolved');
    case 'reopen':
      return answer('open');
    case 'accept': {
      requireScope(call.actor, 'documents:write');
      const { document } = await acceptSuggestions(call, ref, threads, shown);
      const accepted = threads.map((id) => ({ id, state: 'accepted' as const }));
      return { threads: accepted, revision: document.version };
    }
    case 'reject':
      await rejectSuggestions(call, ref, threads, { ...shown, body });
      return { threads: threads.map((id) => ({ id, state: 'rejected' as const })) };
  }
}

/** Says that a thread's passage differs from the given one, as `findPlace` allows. */
function quoteInWords(
  given: string | undefined,
  { quote }: Thread,
  what: 'quote' | 'heading',
): string {
  if (given === undefined || !quote || sameWords(quote, given)) return '';
  return sameWords(fold(quote).text, fold(given).text)
    ? ` The text has the ${what} with other quotes, dashes or invisible signs; the thread is there.`
    : '';
}

function sameWords(one: string, other: string): boolean {
  return one.replaceAll(/\s+/g, '') === other.replaceAll(/\s+/g, '');
}

/** @throws the error; if a quote isn't in the text, with the closest passages */
function withCandidates(error: unknown): never {
  if (!(error instanceof QuoteNotFound)) throw error;
  const { fault, candidates } = error;
  if (candidates.length === 0) throw invalidArgument('quote', fault.replace(/\.$/, ''));
  const quotation = quoteCandidates('the closest passages', candidates);
  throw invalidArgument('quote', `${fault} Below are ${quotation.what}`, quotation);
}

function summaryOf(action: Input['action'], threads: Done['threads']): string {
  const state = threads[0]?.state;
  if (action === 'reply' && threads.length > 1) return `Answered ${threads.length} threads.`;
  if (action === 'reply') {
    return state === 'open' ? 'Replied.' : `Replied. The thread is ${state}.`;
  }
  // Resolving and reopening may have changed nothing.
  const isNew = action !== 'resolve' && action !== 'reopen';
  const subject = threads.length === 1 ? 'The thread is' : `${threads.length} threads are`;
  return `${subject} ${isNew ? 'now ' : ''}${state}.`;
}

type Review = Input & { action: (typeof REVIEWS)[number] };

function isReview(input: Input): input is Review {
  return (REVIEWS as readonly string[]).includes(input.action);
}

/** Requests or gives a review. */
async function review(
  call: Call,
  ref: DocumentRef,
  { action, body, reviewer = '', revision = 0 }: Review,
) {
  if (action === 'request_review') {
    await requestReview(call, ref, { username: reviewer, note: body });
  } else {
    const verdict = action === 'approve' ? 'approved' : 'changes_requested';
    await giveReview(call, ref, { verdict, revision, body });
  }
  const reviews = await getReviews(call, ref);
  const { revision: current, state, waitingFor } = reviewData(reviews);
  const judged = action === 'request_review' ? undefined : revision;
  const done = judged === undefined ? '' : `You judged revision ${judged}. `;
  return {
    summary: `${done}Revision ${current}: ${REVIEW_STATES[state]}.`,
    data: { revision: current, ...(judged !== undefined && { judged }), state, waitingFor },
  };
}
