import { Type } from 'typebox';
import { Id, NullableTimestamp, OneOf, Text } from '../../base/schema/fields.ts';
import { RevisionNumber } from '../revision/revision-schema.ts';
import { COMMENT_SETTINGS } from './review-access.ts';
import { REVIEW_LIMITS } from './thread.ts';

const BodyField = Text({
  description: 'Markdown, at most 10 KB. `@username` mentions someone who can see it.',
  examples: ['Which month is this figure from?'],
});

const PlaceField = Type.Object(
  {
    quote: Type.Optional(
      Text({
        description:
          'The passage, as in the source or as shown to readers. It must occur exactly once.',
        minLength: 1,
        maxLength: REVIEW_LIMITS.quote,
        examples: ['What is new.'],
      }),
    ),
    section: Type.Optional(
      Text({
        description:
          'The heading of a section of a brief: its text, its anchor or the start of its text.',
        minLength: 1,
        maxLength: REVIEW_LIMITS.element,
      }),
    ),
    element: Type.Optional(
      Text({
        description:
          'An element of a page: `#id`, or a path such as `div:2/p:1` (the first `p` in the ' +
          'second `div`; `html`, `head`, `body` and `tbody` are left out), or both. With ' +
          '`quote`, the element to search first.',
        minLength: 1,
        maxLength: REVIEW_LIMITS.element,
      }),
    ),
    unverified: Type.Optional(
      Type.Boolean({
        description:
          'Accept a quote that is not in the page’s HTML, because a script shows it. For an ' +
          'element added by a script, the closest one in the HTML is used.',
      }),
    ),
    prefix: Type.Optional(
      Text({
        description: 'The text directly before it, to distinguish several occurrences.',
        maxLength: 1_000,
      }),
    ),
    suffix: Type.Optional(Text({ description: 'The text directly after it.', maxLength: 1_000 })),
    line: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 9_999_999,
        description:
          'For a selection in a rendered brief: the `data-line` (line of the source) of the block ' +
          'in which the selection begins; 0 if the block has none.',
      }),
    ),
    revision: Type.Optional(
      RevisionNumber('The revision that the quote is from. Default: the current one.'),
    ),
  },
  { title: 'Place', additionalProperties: false, minProperties: 1 },
);

export const NewThreadBody = Type.Object(
  {
    body: Type.Optional(BodyField),
    on: Type.Optional(PlaceField),
    replacement: Type.Optional(
      Text({
        description:
          'A text to replace the passage with, at most 100 KB: Markdown, or HTML for a page. The ' +
          'answer has it as it is written into the text: with the rest of what the quote cuts, such ' +
          'as a link, and escaped where its place needs that.',
      }),
    ),
    assignee: Type.Optional(Text({ description: 'The username of the person to assign.' })),
  },
  { title: 'OpenThread', additionalProperties: false, minProperties: 1 },
);

export const ChangeThreadBody = Type.Object(
  {
    state: Type.Optional(OneOf(['open', 'resolved'], 'Resolves or reopens it.')),
    on: Type.Optional(PlaceField),
  },
  { title: 'ChangeThread', additionalProperties: false, minProperties: 1 },
);

export const CommentBody = Type.Object(
  { body: BodyField },
  { title: 'WriteComment', additionalProperties: false },
);

export const ThreadIds = (description: string) =>
  Type.Array(Id('A thread’s id.'), {
    minItems: 1,
    maxItems: REVIEW_LIMITS.together,
    description,
    examples: [['019a5c2e-7b1a-7c3d-9e4f-8a6b5c4d3e2f']],
  });

/** What the caller saw; see `Shown`. */
export const ShownFields = {
  revision: Type.Optional(
    RevisionNumber(
      'The revision that you read: if the text has changed since, nothing happens (409).',
    ),
  ),
  expected: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      description:
        'The `digest` of each of the threads as you read them, in the same order: if one has ' +
        'changed since, or is elsewhere in the text, nothing happens (409). This or `revision` is ' +
        'needed.',
    }),
  ),
};

export const ReviewSettingsSchema = Type.Object(
  {
    comments: OneOf(
      COMMENT_SETTINGS,
      'Who can comment: `insiders` (the owner, collaborators, members who can read), `readers` ' +
        '(everyone signed in who can read), or no one (`off`).',
    ),
    protected: Type.Boolean({
      description:
        'Whether it needs an approval before it becomes public. Can only be turned off in the web ' +
        'app.',
    }),
    twoPeople: Type.Boolean({
      description:
        'Whether who wrote unapproved words can’t approve them alone. Can only be turned off in ' +
        'the web app. In an organization, this is its setting.',
    }),
    threadsSince: NullableTimestamp(
      'Readers who aren’t owner, collaborators or members only see threads opened since, and the ' +
        'texts of reviews given since; `null` if they see all. Set to the current time whenever the ' +
        'document is opened to more such readers: it becomes public, `comments` becomes ' +
        '`readers`, or a first link allows commenting. While the document is protected, an earlier ' +
        'time or `null` can only be set in the web app.',
    ),
  },
  { title: 'ReviewSettings', additionalProperties: false },
);
