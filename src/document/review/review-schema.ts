import { type Static, Type } from 'typebox';
import { MEANS } from '../../account/means.ts';
import { Nullable, NullableOneOf, OneOf, Text, Timestamp } from '../../schema/fields.ts';
import { RevisionNumber } from '../revision/revision-schema.ts';
import { REVIEW_STATES, VERDICTS } from './review.ts';
import type { RequestRow, ReviewRow } from './review-store.ts';

export const ReviewsSchema = Type.Object(
  {
    state: OneOf(
      REVIEW_STATES,
      '`requested`: someone is asked and has not answered. `approved`, `changes_requested`: of ' +
        'the ' +
        'current text. `outdated`: approved, but changed since.',
    ),
    revision: RevisionNumber('The revision that the document has now.'),
    protected: Type.Boolean({ description: 'Whether it needs an approval before it is public.' }),
    requests: Type.Array(
      Type.Object(
        {
          username: Type.String({ description: 'Who is asked.' }),
          requestedBy: Nullable('string', 'Who asked; `null` if that account was deleted.'),
          revision: RevisionNumber('The revision that the document had then.'),
          note: Nullable('string', 'What the request says.'),
          answered: Type.Boolean({ description: 'Whether they gave a review since.' }),
          createdAt: Timestamp('When they were asked, the last time.'),
        },
        { title: 'ReviewRequest' },
      ),
    ),
    reviews: Type.Array(
      Type.Object(
        {
          author: Nullable('string', 'The username of who gave it.'),
          via: NullableOneOf(MEANS, 'With what it was given.'),
          viaName: Nullable('string', 'What the token or the application was called.'),
          verdict: OneOf(VERDICTS, 'What they think.'),
          revision: RevisionNumber('The revision that they read.'),
          current: Type.Boolean({ description: 'Whether the text is still the one they read.' }),
          body: Nullable('string', 'Markdown.'),
          createdAt: Timestamp('When it was given.'),
        },
        { title: 'Review' },
      ),
      { description: 'The latest of each person, newest first.' },
    ),
  },
  { title: 'Reviews' },
);

export const ReviewBody = Type.Object(
  {
    verdict: OneOf(VERDICTS, 'What you think of it.'),
    revision: RevisionNumber('The revision that you read; 409 if the text has changed since.'),
    body: Type.Optional(Text({ description: 'Markdown, at most 10 KB.' })),
  },
  { title: 'GiveReview', additionalProperties: false },
);

export const RequestBody = Type.Object(
  { note: Type.Optional(Text({ description: 'What to look at, at most 10 KB.' })) },
  { title: 'RequestReview', additionalProperties: false },
);

export const ProtectionSchema = Type.Object(
  {
    protected: Type.Boolean({
      description: 'Whether all documents need an approval before they are public.',
    }),
  },
  { title: 'Protection', additionalProperties: false },
);

/** The state of a document's reviews. */
interface Reviews {
  state: (typeof REVIEW_STATES)[number];
  revision: number;
  isProtected: boolean;
  requests: readonly (RequestRow & { isAnswered: boolean })[];
  reviews: readonly (ReviewRow & { isFresh: boolean })[];
}

export function presentReviews(given: Reviews): Static<typeof ReviewsSchema> {
  const { state, revision, isProtected, requests, reviews } = given;
  return {
    ...{ state, revision, protected: isProtected },
    requests: requests.map(({ username, requestedBy, version, note, isAnswered, createdAt }) => ({
      ...{ username, requestedBy, revision: version, note, answered: isAnswered, createdAt },
    })),
    reviews: reviews.map(
      ({ author, via, viaName, verdict, version, isFresh, body, createdAt }) => ({
        ...{ author, via, viaName, verdict, revision: version, current: isFresh, body, createdAt },
      }),
    ),
  };
}
