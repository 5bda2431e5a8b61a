import { type Static, Type } from 'typebox';
import { Nullable, NullableOneOf, OneOf, Text, Timestamp } from '../../base/schema/fields.ts';
import { MEANS } from '../../base/schema/means.ts';
import { RevisionNumber } from '../revision/revision-schema.ts';
import type { Unapproved } from './protection-service.ts';
import { REVIEW_STATES, VERDICTS } from './review.ts';
import type { RequestRow, ReviewRow } from './review-store.ts';

export const ReviewsSchema = Type.Object(
  {
    state: OneOf(
      REVIEW_STATES,
      '`requested`: someone was asked and hasn’t answered. `approved`, `changes_requested`: a ' +
        'verdict on the current text. `outdated`: approved, but changed since.',
    ),
    revision: RevisionNumber('The current revision.'),
    protected: Type.Boolean({
      description: 'Whether it needs an approval before it can become public.',
    }),
    requests: Type.Array(
      Type.Object(
        {
          username: Type.String({ description: 'The requested reviewer.' }),
          requestedBy: Nullable(
            'string',
            'The person who asked; `null` if that account was deleted.',
          ),
          revision: RevisionNumber('The revision at that time.'),
          note: Nullable('string', 'The text of the request.'),
          answered: Type.Boolean({ description: 'Whether they have given a review since then.' }),
          createdAt: Timestamp('When they were last asked.'),
        },
        { title: 'ReviewRequest' },
      ),
    ),
    reviews: Type.Array(
      Type.Object(
        {
          author: Nullable('string', 'The reviewer’s username.'),
          via: NullableOneOf(MEANS, 'How it was given.'),
          viaName: Nullable('string', 'The name of the token or application at that time.'),
          verdict: OneOf(VERDICTS, 'The verdict.'),
          revision: RevisionNumber('The reviewed revision.'),
          current: Type.Boolean({
            description: 'Whether the verdict is valid for the current text.',
          }),
          body: Nullable('string', 'Markdown.'),
          createdAt: Timestamp('When it was given.'),
        },
        { title: 'Review' },
      ),
      { description: 'The latest review of each person, newest first.' },
    ),
    unapproved: Type.Array(
      Type.Object(
        {
          author: Nullable(
            'string',
            'The username of who made the changes; `null` if the account was deleted: then two ' +
              'people have to approve them.',
          ),
          firstRevision: RevisionNumber('The first revision with such changes.'),
          lastRevision: RevisionNumber('The last revision with such changes.'),
        },
        { title: 'UnapprovedChanges' },
      ),
      {
        description:
          'Whose changes still need the approval of somebody else, where two people are needed. ' +
          'Empty if the document is public or not protected, and for people to whom it wasn’t ' +
          'shared.',
      },
    ),
  },
  { title: 'Reviews' },
);

export const ReviewBody = Type.Object(
  {
    verdict: OneOf(VERDICTS, 'Your verdict.'),
    revision: RevisionNumber('The revision that you read; 409 if the text has changed since then.'),
    body: Type.Optional(Text({ description: 'Markdown, at most 10 KB.' })),
  },
  { title: 'GiveReview', additionalProperties: false },
);

export const RequestBody = Type.Object(
  { note: Type.Optional(Text({ description: 'A note for the reviewer, at most 10 KB.' })) },
  { title: 'RequestReview', additionalProperties: false },
);

export const ProtectionSchema = Type.Object(
  {
    protected: Type.Boolean({
      description: 'Whether all documents need an approval before they can become public.',
    }),
    twoPeople: Type.Boolean({
      description: 'Whether who wrote unapproved words can’t approve them alone.',
    }),
  },
  { title: 'Protection', additionalProperties: false },
);

export const ProtectionBody = Type.Partial(ProtectionSchema, {
  title: 'ChangeProtection',
  additionalProperties: false,
  minProperties: 1,
});

/** The state of a document's reviews. */
interface Reviews {
  state: (typeof REVIEW_STATES)[number];
  revision: number;
  isProtected: boolean;
  requests: readonly (RequestRow & { isAnswered: boolean })[];
  reviews: readonly (ReviewRow & { isFresh: boolean })[];
  unapproved: readonly Unapproved[];
}

export function presentReviews(given: Reviews): Static<typeof ReviewsSchema> {
  const { state, revision, isProtected, requests, reviews, unapproved } = given;
  return {
    state,
    revision,
    protected: isProtected,
    requests: requests.map(({ username, requestedBy, version, note, isAnswered, createdAt }) => ({
      username,
      requestedBy,
      revision: version,
      note,
      answered: isAnswered,
      createdAt,
    })),
    reviews: reviews.map(
      ({ author, via, viaName, verdict, version, isFresh, body, createdAt }) => ({
        author,
        via,
        viaName,
        verdict,
        revision: version,
        current: isFresh,
        body,
        createdAt,
      }),
    ),
    unapproved: unapproved.map(({ author, first, last }) => ({
      author,
      firstRevision: first,
      lastRevision: last,
    })),
  };
}
