import { Type } from 'typebox';
import { Nullable, NullableOneOf, Timestamp } from '../../base/schema/fields.ts';
import { KINDS } from '../../base/schema/kind.ts';
import { MEANS } from '../../base/schema/means.ts';
import { requireDocument } from '../../core/document/authorize.ts';
import { RevisionNumber } from '../../core/revision/revision-schema.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { get } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import { type Authorship, getAuthorship, type Source } from './authorship-service.ts';

const SourceSchema = Type.Object(
  {
    revision: RevisionNumber('The revision that the words are from.'),
    author: Nullable(
      'string',
      'The username of who wrote them; `null` if the account was deleted.',
    ),
    via: NullableOneOf(MEANS, 'How they were written; `null` if that was not recorded then.'),
    viaName: Nullable(
      'string',
      'The name of the token or application at that time; `null` also if you can’t see it.',
    ),
    createdAt: Timestamp('When they became part of the text.'),
  },
  { title: 'AuthorshipSource' },
);

const AuthorshipSchema = Type.Object(
  {
    revision: RevisionNumber('The revision of the text.'),
    sources: Type.Array(SourceSchema, { description: 'What the words of the text are from.' }),
    spans: Type.Array(
      Type.Object({
        start: Type.Integer({ description: 'Where it starts, in UTF-16 code units.' }),
        end: Type.Integer({ description: 'Where it ends.' }),
        source: Nullable(
          'integer',
          'An index of `sources`; `null` if the texts from which this could be seen are gone.',
        ),
      }),
      { description: 'The text in parts, in order and without gaps.' },
    ),
  },
  { title: 'Authorship' },
);

/** Adds the routes that tell who wrote which part of a text, for all kinds. */
export function addAuthorshipOperations(api: Api): void {
  for (const { kind, segment, title, titlePlural } of Object.values(KINDS)) {
    const refOf = refsOf(kind);
    get(api, {
      tag: titlePlural,
      scope: 'documents:read',
      path: `/${segment}/{owner}/{name}/authorship` as const,
      id: `get${title}Authorship`,
      summary: `Get who wrote which part of a ${kind}`,
      description:
        'Words that stay from one revision to the next keep their author, also when an older text ' +
        'is restored. What somebody suggested is theirs, whoever accepted it, and what several ' +
        'people write together in the editor is each one’s own. Revisions are compared by words. ' +
        'The first request for a long history can take several: each answers 503 until the last.',
      query: Type.Object({
        revision: Type.Optional(RevisionNumber('The revision. Default: the current one.')),
      }),
      answer: AuthorshipSchema,
      errors: [422],
      rule: documentRules(kind)('read'),
      handler: async ({ call, params, query }) => {
        const ref = refOf(params);
        const { document } = await requireDocument(call.sql.read, call.actor, ref, 'read');
        const number = query.revision ?? document.version;
        return present(await getAuthorship(call, ref, number));
      },
    });
  }
}

function present({ revision, spans }: Authorship) {
  const sources = new Map<Source, number>();
  const indexOf = (source: Source) => {
    const index = sources.get(source) ?? sources.size;
    sources.set(source, index);
    return index;
  };
  const shown = spans.map(({ start, end, source }) => ({
    start,
    end,
    source: source && indexOf(source),
  }));
  return { revision, sources: [...sources.keys()], spans: shown };
}
