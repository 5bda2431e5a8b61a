import { Type } from 'typebox';
import { requireAccount } from '../../account/account-service.ts';
import type { Context } from '../../context.ts';
import { requireDocument, type Seen } from '../../document/authorize.ts';
import { updateDocument } from '../../document/document-change-service.ts';
import type { DocumentInput } from '../../document/document-input.ts';
import {
  listOrganizationDocuments,
  listOwnDocuments,
  listUserDocuments,
} from '../../document/document-listing.ts';
import { type OwnerRef, requireCreatableOwner } from '../../document/document-owner-service.ts';
import { documentBodies, documentSchema, presentDocument } from '../../document/document-schema.ts';
import {
  createDocument,
  deleteDocument,
  getDocument,
  type WholeDocument,
} from '../../document/document-service.ts';
import type { DocumentRow } from '../../document/document-store.ts';
import { KINDS } from '../../document/kind.ts';
import { LabelFilter } from '../../document/label/label-schema.ts';
import { updateFromBase } from '../../document/merge-service.ts';
import { resolving } from '../../document/review/suggestion-service.ts';
import type { WriteRow } from '../../document/revision/revision-store.ts';
import { getWrittenDocument } from '../../document/written-document-service.ts';
import { ServiceError } from '../../errors.ts';
import { parseIfMatch } from '../../http/conditional.ts';
import { requireOrganization } from '../../organization/organization-service.ts';
import {
  type Answer,
  type Api,
  addOperation,
  type Call,
  listAnswer,
  NO_CONTENT,
} from '../operation.ts';

/** The part of a call that creating needs, for all routes that create. */
type Creation = Pick<Call<string, unknown, unknown>, 'context' | 'actor' | 'body' | 'repeatable'>;

type AnyKind = (typeof KINDS)[keyof typeof KINDS];

/** Routes of documents, the same for each kind (specification, part "Briefs"). */
export function addDocumentRoutes(api: Api): void {
  for (const kind of Object.values(KINDS)) {
    addListRoutes(api, kind);
    addCreateRoutes(api, kind);
    addItemRoutes(api, kind);
  }
}

function addListRoutes(api: Api, kind: AnyKind): void {
  const list = {
    method: 'GET',
    scope: 'documents:read',
    tag: kind.titlePlural,
    paginated: true,
    query: Type.Object({ label: LabelFilter }),
    answers: { 200: Type.Array(documentSchema(kind, 'listed')) },
  } as const;
  const present = (seen: Seen<DocumentRow>) => presentDocument(api.context, 'listed', seen);

  const ownPaths = [
    [`/user/${kind.segment}`, `listOwn${kind.titlePlural}`, `List your ${kind.segment}`],
    [`/${kind.segment}`, `list${kind.titlePlural}`, `List your ${kind.segment} (short address)`],
  ] as const;
  for (const [path, id, summary] of ownPaths) {
    addOperation(api, {
      ...list,
      path,
      id,
      summary,
      description: `The ${kind.segment} you own, newest first.`,
      errors: [400],
      handler: async ({ context, actor, page, query }) =>
        listAnswer(await listOwnDocuments(context, actor, kind.kind, page, query), present),
    });
  }

  addOperation(api, {
    ...list,
    path: `/users/{username}/${kind.segment}`,
    id: `listUser${kind.titlePlural}`,
    summary: `List a user’s ${kind.segment}`,
    description: 'Only public ones, unless the user is you.',
    errors: [400, 404],
    gate: ({ sql }, _actor, { username }) => requireAccount(sql.read, username),
    handler: async ({ context, actor, params, page, query }) =>
      listAnswer(
        await listUserDocuments(context, actor, kind.kind, params.username, page, query),
        present,
      ),
  });

  addOperation(api, {
    ...list,
    path: `/orgs/{org}/${kind.segment}`,
    id: `listOrganization${kind.titlePlural}`,
    summary: `List an organization’s ${kind.segment}`,
    description:
      'Admins see all. Members see public and internal ones, and private ones where they ' +
      'collaborate. Anyone else sees public ones.',
    errors: [400, 404],
    gate: ({ sql }, actor, { org }) => requireOrganization(sql.read, actor, org),
    handler: async ({ context, actor, params, page, query }) =>
      listAnswer(
        await listOrganizationDocuments(context, actor, kind.kind, params.org, page, query),
        present,
      ),
  });
}

function addCreateRoutes(api: Api, kind: AnyKind): void {
  const create = {
    method: 'POST',
    scope: 'documents:write',
    tag: kind.titlePlural,
    body: documentBodies(kind).create,
    bodyLimit: kind.bodyLimitBytes,
    conditional: true,
    answers: { 201: documentSchema(kind, 'created') },
    repeat: async ({ context, actor }: Creation, write: WriteRow) =>
      present(context, await getWrittenDocument(context, actor, write)),
  } as const;
  async function answer(
    { context, actor, body, repeatable }: Creation,
    owner: OwnerRef,
  ): Promise<Answer> {
    const input = readInput(kind, body as object) as DocumentInput & { content: string };
    const note = { request: repeatable };
    return present(context, await createDocument(context, actor, kind.kind, owner, input, note));
  }
  function present(context: Context, seen: WholeDocument): Answer {
    const { ownerNamespace, name } = seen.document;
    return {
      status: 201,
      data: presentDocument(context, 'created', seen),
      etag: seen.etag,
      location: `/${kind.segment}/${ownerNamespace}/${encodeURIComponent(name)}`,
    };
  }
  const asUser = (namespace: string) => ({ type: 'user', namespace }) as const;
  const asOrganization = (namespace: string) => ({ type: 'organization', namespace }) as const;

  const ownPaths = [
    [`/user/${kind.segment}`, `createOwn${kind.title}`, `Create a ${kind.kind}`],
    [`/${kind.segment}`, `create${kind.title}`, `Create a ${kind.kind} (short address)`],
  ] as const;
  for (const [path, id, summary] of ownPaths) {
    addOperation(api, {
      ...create,
      path,
      id,
      summary,
      description: 'You own it. Without a name, the first heading gives it one.',
      errors: [400, 422],
      handler: (call) => answer(call, asUser(call.actor.username)),
    });
  }

  addOperation(api, {
    ...create,
    path: `/users/{username}/${kind.segment}`,
    id: `createUser${kind.title}`,
    summary: `Create a ${kind.kind} under your username`,
    description: 'The user must be you. Without a name, the first heading gives it one.',
    errors: [400, 403, 404, 422],
    gate: ({ sql }, actor, { username }) =>
      requireCreatableOwner(sql.read, actor, asUser(username)),
    handler: (call) => answer(call, asUser(call.params.username)),
  });

  addOperation(api, {
    ...create,
    path: `/orgs/{org}/${kind.segment}`,
    id: `createOrganization${kind.title}`,
    summary: `Create a ${kind.kind} in an organization`,
    description:
      'For members, if the organization lets them create. You become an admin of the document.',
    errors: [400, 403, 404, 422],
    gate: ({ sql }, actor, { org }) => requireCreatableOwner(sql.read, actor, asOrganization(org)),
    handler: (call) => answer(call, asOrganization(call.params.org)),
  });
}

/** Headers of answers with a document. */
const REVISION_HEADER = {
  'X-Revision': { type: 'integer', description: 'The revision that the document has now.' },
};

/** Headers of answers to a write. */
const WRITE_HEADERS = {
  ...REVISION_HEADER,
  'X-Merged': {
    type: 'boolean',
    description: 'Whether changes of others since `baseRevision` were merged in.',
  },
};

function addItemRoutes(api: Api, kind: AnyKind): void {
  const full = documentSchema(kind, 'full');
  const item = {
    tag: kind.titlePlural,
    path: `/${kind.segment}/{owner}/{name}`,
    conditional: true,
  } as const;
  const answer = (seen: WholeDocument) => ({
    status: 200,
    data: presentDocument(api.context, 'full', seen),
    etag: seen.etag,
    headers: { 'x-revision': String(seen.document.version) },
  });

  addOperation(api, {
    ...item,
    method: 'GET',
    scope: 'documents:read',
    id: `get${kind.title}`,
    summary: `Get a ${kind.kind}`,
    description: `With its content${kind.kind === 'page' ? ' as HTML' : ' as Markdown'}.`,
    answers: { 200: full },
    headers: REVISION_HEADER,
    errors: [404],
    handler: async ({ context, actor, params }) =>
      answer(await getDocument(context, actor, { kind: kind.kind, ...params })),
  });

  addOperation(api, {
    ...item,
    method: 'PATCH',
    scope: 'documents:write',
    id: `update${kind.title}`,
    summary: `Update a ${kind.kind}`,
    needs: 'write; admin for visibility',
    description:
      'Send at least one field. If every field has this value already, nothing changes: `updatedAt` ' +
      'and the entity tag stay. After a rename, the old address answers 308 until another document ' +
      'takes the name.',
    body: documentBodies(kind).update,
    bodyLimit: kind.bodyLimitBytes,
    answers: { 200: full },
    headers: WRITE_HEADERS,
    errors: [400, 403, 404, 409, 412, 422],
    gate: ({ sql }, actor, params) =>
      requireDocument(sql.read, actor, { kind: kind.kind, ...params }, 'editContent'),
    handler: async ({ context, actor, params, body, ifMatch }) => {
      const ref = { kind: kind.kind, ...params };
      const { baseRevision, message, resolves, ...fields } = body as UpdateBody;
      const input = readInput(kind, fields);
      if (Object.keys(input).length === 0) throw nothingToUpdate(kind);
      const alongside = resolving(context, actor, resolves);
      const condition = parseIfMatch(ifMatch);
      const after =
        baseRevision !== undefined && input.content !== undefined
          ? await updateFromBase(
              ...([context, actor, ref, { ...input, content: input.content }] as const),
              { baseRevision, message, alongside },
              condition,
            )
          : await updateDocument(context, actor, ref, input, condition, { message, alongside });
      const merged = 'merged' in after && after.merged;
      const { headers, ...rest } = answer(after);
      return { ...rest, headers: { ...headers, 'x-merged': String(merged) } };
    },
  });

  addOperation(api, {
    ...item,
    method: 'DELETE',
    scope: 'documents:write',
    id: `delete${kind.title}`,
    summary: `Delete a ${kind.kind}`,
    needs: 'admin',
    description:
      'It can be restored from the trash for a while, with its history and collaborators. Pending ' +
      'invitations end. Its name is free at once.',
    bodyLimit: kind.bodyLimitBytes,
    answers: { 204: null },
    errors: [400, 403, 404, 412],
    gate: ({ sql }, actor, params) =>
      requireDocument(sql.read, actor, { kind: kind.kind, ...params }, 'delete'),
    handler: async ({ context, actor, params, ifMatch }) => {
      const ref = { kind: kind.kind, ...params };
      await deleteDocument(context, actor, ref, parseIfMatch(ifMatch));
      return NO_CONTENT;
    },
  });
}

interface UpdateBody {
  baseRevision?: number;
  message?: string;
  resolves?: string[];
}

function nothingToUpdate({ contentField }: AnyKind): ServiceError {
  const fields = `${contentField}, name and visibility`;
  return new ServiceError('BAD_REQUEST', `Send at least one of ${fields}.`);
}

/** Reads a validated body and renames the kind's content field as the services call it. */
function readInput(kind: AnyKind, body: object): DocumentInput {
  const { [kind.contentField]: content, ...rest } = body as Record<string, string | undefined>;
  return { ...rest, ...(content !== undefined && { content }) };
}
