import { type Static, Type } from 'typebox';
import {
  Id,
  Nullable,
  NullableOneOf,
  NullableTimestamp,
  OneOf,
  Timestamp,
} from '../../base/schema/fields.ts';
import { MEANS } from '../../base/schema/means.ts';
import { digestOf } from '../../core/review/suggestion-digest.ts';
import { PLACE_STATES, THREAD_KINDS, THREAD_STATES } from '../../core/review/thread.ts';
import type { ThreadRow } from '../../core/review/thread-store.ts';
import { RevisionNumber } from '../../core/revision/revision-schema.ts';
import type { CommentRow } from './comment-store.ts';

const BY = {
  author: Nullable('string', 'The username of its author; `null` if the account was deleted.'),
  via: NullableOneOf(MEANS, 'How its author wrote it.'),
  viaName: Nullable('string', 'The name of the token or application at that time.'),
};

export const CommentSchema = Type.Object(
  {
    id: Id('The comment’s id.'),
    ...BY,
    body: Type.String({ description: 'Markdown.' }),
    createdAt: Timestamp('When it was written.'),
    editedAt: NullableTimestamp('When it was last changed; `null` if never.'),
  },
  { title: 'Comment' },
);

const PlaceSchema = Type.Object(
  {
    quote: Type.String({ description: 'The passage as it was when the thread was opened.' }),
    revision: RevisionNumber('The revision that it was quoted from.'),
    state: OneOf(
      PLACE_STATES,
      '`kept`: the passage is unchanged. `changed`: it was changed. `moved`: a similar passage ' +
        'is elsewhere, or the same words in another sentence. `gone`: it was deleted. `unverified`: only a script of the page shows it, ' +
        'so `start` and `end` are 0. `pending`: after many changes, it is still being searched in ' +
        'the current text; `start` and `end` are 0 until then. Ask again in a few seconds.',
    ),
    start: Type.Integer({
      description: 'The start of its range in the current text, in UTF-16 code units.',
    }),
    end: Type.Integer({ description: 'The end of its range.' }),
    element: Nullable('string', 'The element of a page that the thread is about, if any.'),
  },
  { title: 'ThreadPlace' },
);

const ProposedSchema = Type.Object(
  {
    baseRevision: RevisionNumber('The revision that it is based on.'),
    added: Type.Integer({ description: 'The number of lines that it adds.' }),
    removed: Type.Integer({ description: 'The number of lines that it removes.' }),
  },
  { title: 'Proposed' },
);

/** A proposal, compared with its base and with the current text. */
export const ProposalSchema = Type.Object(
  {
    baseRevision: RevisionNumber('The revision that it is based on.'),
    currentRevision: RevisionNumber('The current revision.'),
    diff: Type.String({ description: 'The changes to the base, in unified format.' }),
    currentDiff: Nullable(
      'string',
      'What accepting it would change in the current text; `null` if it can’t be accepted.',
    ),
    conflicts: Type.Array(
      Type.Object(
        {
          line: Type.Integer({ description: 'The line of the current text.' }),
          base: Type.String(),
          current: Type.String(),
          proposed: Type.String(),
        },
        { title: 'ProposalConflict' },
      ),
      { description: 'The lines that the current text changes, too.' },
    ),
  },
  { title: 'Proposal' },
);

export const ThreadSchema = Type.Object(
  {
    id: Id('The thread’s id.'),
    kind: OneOf(
      THREAD_KINDS,
      '`replacement` suggests another text for the passage, `proposal` suggests changes anywhere in the text.',
    ),
    state: OneOf(THREAD_STATES, 'Whether it is open, and how it ended.'),
    on: Type.Unsafe<Static<typeof PlaceSchema> | null>({
      anyOf: [PlaceSchema, { type: 'null' }],
      description: 'The passage; `null` if it is about the whole document.',
    }),
    replacement: Nullable('string', 'The suggested text; `null` also if it was erased.'),
    set: Nullable(
      'string',
      'The same for suggestions that somebody made together, in the editor; `null` for others.',
    ),
    proposal: Type.Unsafe<Static<typeof ProposedSchema> | null>({
      anyOf: [ProposedSchema, { type: 'null' }],
      description: 'The size of a proposal’s changes; `null` if its text is no longer stored.',
    }),
    digest: Type.String({
      description:
        'Changes with the passage of a suggestion, what is around it, the suggested text and its ' +
        'author; see ' +
        '`expected` of accepting and rejecting.',
    }),
    ...BY,
    assignee: Nullable('string', 'The username of the person assigned to it.'),
    comments: Type.Array(CommentSchema, { description: 'Oldest first.' }),
    createdAt: Timestamp('When it was opened.'),
    updatedAt: Timestamp('When it last changed.'),
    closedBy: Nullable('string', 'The username of the person who closed it.'),
    closedRevision: Nullable(
      'integer',
      'The revision at that time; `null` also if accepting it changed nothing.',
    ),
  },
  { title: 'Thread' },
);

export function presentComment(comment: CommentRow): Static<typeof CommentSchema> {
  const { id, author, via, viaName, body, createdAt, editedAt } = comment;
  return { id, author, via, viaName, body, createdAt, editedAt };
}

export function presentThread(
  thread: ThreadRow & { comments: readonly CommentRow[] },
): Static<typeof ThreadSchema> {
  const { id, kind, state, replacement, author, via, viaName, assignee } = thread;
  return {
    id,
    kind,
    state,
    on: presentPlace(thread),
    replacement,
    set: thread.setId,
    author,
    via,
    viaName,
    assignee,
    proposal: presentProposed(thread),
    digest: digestOf(thread),
    comments: thread.comments.map(presentComment),
    createdAt: thread.createdAt,
    updatedAt: thread.updatedAt,
    closedBy: thread.closedBy,
    closedRevision: thread.closedVersion,
  };
}

function presentProposed({
  madeVersion: baseRevision,
  added,
  removed,
}: ThreadRow): Static<typeof ProposedSchema> | null {
  return added === null || removed === null ? null : { baseRevision, added, removed };
}

function presentPlace({
  quote,
  madeVersion,
  shownState,
  shownStart,
  shownEnd,
  element,
}: ThreadRow): Static<typeof PlaceSchema> | null {
  if (quote === null || shownState === null) return null;
  const place = { state: shownState, start: shownStart ?? 0, end: shownEnd ?? 0 };
  return { quote, revision: madeVersion, ...place, element };
}
