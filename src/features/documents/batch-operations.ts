import type { FastifyRequest } from 'fastify';
import { type TProperties, Type } from 'typebox';
import { BackEndUnavailable, ServiceError, unavailable } from '../../base/errors.ts';
import { Id, OneOf, Text } from '../../base/schema/fields.ts';
import { ALL_KINDS, KINDS, type Kind } from '../../base/schema/kind.ts';
import type { Context } from '../../core/context.ts';
import { documentUrl } from '../../core/document/addresses.ts';
import { documentBodies, moveBody } from '../../core/document/document-schema.ts';
import {
  createDocument,
  getDocument,
  type WholeDocument,
} from '../../core/document/document-service.ts';
import { WarningsField, withWarnings } from '../../core/document/warning-schema.ts';
import { warningsAbout } from '../../core/document/warning-service.ts';
import { type Answer, type Api, addOperation } from '../../surfaces/rest/operation.ts';
import { moveDocument } from '../moves/document-move-service.ts';

/** The most documents in one request. */
const MAX_DOCUMENTS = 100;

/** How many documents count as one request. */
const COUNTED_TOGETHER = 10;

/** How much content one response has, in bytes. It is made at once, while other requests wait. */
const MAX_CONTENT_BYTES = 1024 * 1024;

const TypeField = OneOf(ALL_KINDS, 'The kind of document.');
const { name, visibility } = documentBodies(KINDS.brief).optional;

const CreateBody = severalOf(
  'CreateDocuments',
  {
    type: TypeField,
    owner: Type.Optional(
      Text({ description: 'Your username (default) or an organization’s namespace.' }),
    ),
    name,
    visibility,
    content: Text({ description: 'Its text: Markdown, or HTML of a page.' }),
  },
  { type: 'brief', name: 'Release notes', content: '# Notes' },
);

const NAMED = {
  type: TypeField,
  owner: Text({ description: 'A username or an organization’s namespace.' }),
  name: Text({ description: 'Its name.' }),
};
const NAMED_EXAMPLE = { type: 'brief', owner: 'ada', name: 'release-notes' };

const ReadBody = severalOf('ReadDocuments', NAMED, NAMED_EXAMPLE);

const { owner, visibility: movedVisibility } = moveBody(KINDS.brief).properties;
const MoveBody = severalOf('MoveDocuments', NAMED, NAMED_EXAMPLE, {
  owner,
  visibility: movedVisibility,
});

function severalOf<Fields extends TProperties, Shared extends TProperties = Record<never, never>>(
  title: string,
  fields: Fields,
  example: object,
  shared = {} as Shared,
) {
  const one = Type.Object(fields, { additionalProperties: false });
  const amount = { minItems: 1, maxItems: MAX_DOCUMENTS, examples: [[example]] };
  return Type.Object(
    { documents: Type.Array(one, amount), ...shared },
    { title, additionalProperties: false },
  );
}

const ResultSchema = Type.Object(
  {
    status: Type.Integer({
      description: 'The status that a request for this document alone would have had.',
    }),
    document: Type.Optional(
      Type.Object({
        id: Id('Its id.'),
        type: TypeField,
        fullName: Type.String({ description: 'The document’s owner and name.' }),
        url: Type.String({ format: 'uri', description: 'Its URL.' }),
        revision: Type.Integer({ description: 'The current revision, as in `X-Revision`.' }),
        etag: Type.String({ description: 'The entity tag, for `If-Match`.' }),
        content: Type.Optional(Type.String({ description: 'Its text, when it was read.' })),
        warnings: WarningsField,
      }),
    ),
    error: Type.Optional(
      Type.Object({
        code: Type.String({ description: 'The error, for programs.' }),
        message: Type.String({ description: 'The error, for people.' }),
      }),
    ),
  },
  { title: 'DocumentResult' },
);

const ResultsSchema = Type.Array(ResultSchema);

/** Adds the routes of several documents at once. One that fails doesn't stop the others. */
export function addBatchOperations(api: Api): void {
  const shared = {
    method: 'POST',
    tag: 'Briefs',
    answers: { 200: ResultsSchema },
  } as const;

  addOperation(api, {
    ...shared,
    path: '/documents',
    scope: 'documents:write',
    id: 'createDocuments',
    summary: 'Create several briefs and pages',
    description:
      `At most ${MAX_DOCUMENTS}, of you and of organizations. Each is created or refused by ` +
      'itself, in their order; the results have the same order. ' +
      `${COUNTED_TOGETHER} count as one request.`,
    body: CreateBody,
    bodyLimit: KINDS.page.bodyLimitBytes,
    handler: ({ call, body, request }) =>
      answerEach(request, body.documents, 201, async (document) => {
        const { type: kind, owner: namespace = call.actor.username, ...input } = document;
        const isOwn = namespace.toLowerCase() === call.actor.username;
        const owner = { type: isOwn ? 'user' : 'organization', namespace } as const;
        const created = await createDocument(call, kind, owner, input);
        const warnings = await warningsAbout(call, created);
        return withWarnings(present(call, kind, created), warnings);
      }),
  });

  addOperation(api, {
    ...shared,
    path: '/documents/read',
    scope: 'documents:read',
    id: 'readDocuments',
    summary: 'Get several briefs and pages',
    description:
      `At most ${MAX_DOCUMENTS}, with their texts; the results have their order. Texts of more ` +
      'than 1 MB in all come with another request: status 413. A renamed document has status 308. ' +
      `${COUNTED_TOGETHER} count as one request.`,
    body: ReadBody,
    handler: ({ call, body, request }) => {
      let bytes = 0;
      return answerEach(request, body.documents, 200, async ({ type: kind, ...ref }) => {
        // Once there is no room, nothing more is loaded.
        const seen = bytes <= MAX_CONTENT_BYTES && (await getDocument(call, { kind, ...ref }));
        if (seen) bytes += seen.document.sizeBytes;
        if (seen && bytes <= MAX_CONTENT_BYTES) {
          return { ...present(call, kind, seen), content: seen.text };
        }
        throw new ServiceError('CONTENT_TOO_LARGE', 'Read this document with another request.');
      });
    },
  });

  addOperation(api, {
    ...shared,
    path: '/documents/move',
    scope: 'documents:write',
    id: 'moveDocuments',
    summary: 'Give several briefs and pages to another owner',
    description:
      `At most ${MAX_DOCUMENTS}, with the visibility that they get there. Each is moved as a whole ` +
      'or refused by itself, in their order, as by `POST …/move`; the results have the same order. ' +
      `${COUNTED_TOGETHER} count as one request.`,
    body: MoveBody,
    handler: ({ call, body: { documents, ...move }, request }) =>
      answerEach(request, documents, 200, async ({ type: kind, ...ref }) => {
        const moved = await moveDocument(call, { kind, ...ref }, move, undefined);
        return present(call, kind, moved);
      }),
  });
}

/**
 * Answers with a result for each document, also if it failed. They count as several requests, and the
 * token must work until the last one.
 *
 * @param status of those that didn't fail
 */
async function answerEach<Item>(
  request: Pick<FastifyRequest, 'countAs' | 'requireToken'>,
  documents: readonly Item[],
  status: number,
  work: (document: Item) => Promise<object>,
): Promise<Answer> {
  await request.countAs(Math.ceil(documents.length / COUNTED_TOGETHER));
  const data: object[] = [];
  for (const document of documents) {
    try {
      await request.requireToken();
      data.push({ status, document: await work(document) });
    } catch (thrown) {
      const error = thrown instanceof BackEndUnavailable ? unavailable(thrown) : thrown;
      if (!(error instanceof ServiceError)) throw error;
      data.push({ status: error.status, ...error.toBody() });
    }
  }
  return { status: 200, data };
}

function present(context: Context, kind: Kind, seen: WholeDocument): object {
  const { id, ownerNamespace: owner, name, version: revision } = seen.document;
  const url = documentUrl(context.webUrl, seen.document);
  return { id, type: kind, fullName: `${owner}/${name}`, url, revision, etag: seen.etag };
}
