import type { AnyKind } from '../../base/schema/kind.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentInput } from '../../core/document/document-input.ts';
import { documentBodies, presentDocument } from '../../core/document/document-schema.ts';
import { createDocument, type WholeDocument } from '../../core/document/document-service.ts';
import { withWarnings, writtenSchema } from '../../core/document/warning-schema.ts';
import { warningsAbout } from '../../core/document/warning-service.ts';
import { type OwnerRef, requireCreatableOwner } from '../../core/owner/document-owner-service.ts';
import { documentLocation } from '../../surfaces/rest/document-path.ts';
import {
  type Answer,
  type Api,
  type ApiRequest,
  addOperation,
} from '../../surfaces/rest/operation.ts';
import type { Rule } from '../../surfaces/rest/rules.ts';
import { documentInputOf } from './document-body.ts';

/** The part of a call that all routes for creating a document need. */
type Creation = Pick<ApiRequest<string, unknown, unknown>, 'call' | 'body'>;

/** Makes the rule of creating documents for an owner. */
function creatable<Params>(ownerOf: (params: Params) => OwnerRef): Rule<Params> {
  return {
    refusals: [403, 404],
    check: ({ sql, actor }, params) => requireCreatableOwner(sql.read, actor, ownerOf(params)),
  };
}

/** Adds the routes that create a document: the actor's own, or an organization's. */
export function addCreateOperations(api: Api, kind: AnyKind): void {
  const create = {
    method: 'POST',
    scope: 'documents:write',
    tag: kind.titlePlural,
    body: documentBodies(kind).create,
    bodyLimit: kind.bodyLimitBytes,
    conditional: true,
    answers: { 201: writtenSchema(kind, 'created') },
    sends: { 201: ['Location', 'X-Revision'] },
  } as const;
  async function answer({ call, body }: Creation, owner: OwnerRef): Promise<Answer> {
    const input = documentInputOf(kind, body as object) as DocumentInput & { content: string };
    const created = await createDocument(call, kind.kind, owner, input);
    return present(call, created);
  }
  async function present(call: Call, seen: WholeDocument): Promise<Answer> {
    const { ownerNamespace, name, version } = seen.document;
    const warnings = await warningsAbout(call, seen);
    return {
      status: 201,
      data: withWarnings(presentDocument(call, 'created', seen), warnings),
      etag: seen.etag,
      location: documentLocation(kind.segment, { owner: ownerNamespace, name }),
      revision: version,
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
      description: 'You own it. Without a name, the first heading names it.',
      errors: [422],
      handler: (asked) => answer(asked, asUser(asked.call.actor.username)),
    });
  }

  addOperation(api, {
    ...create,
    path: `/users/{username}/${kind.segment}`,
    id: `createUser${kind.title}`,
    summary: `Create a ${kind.kind} under your username`,
    description: 'The user must be you. Without a name, the first heading names it.',
    errors: [422],
    rule: creatable(({ username }: { username: string }) => asUser(username)),
    handler: (asked) => answer(asked, asUser(asked.params.username)),
  });

  addOperation(api, {
    ...create,
    path: `/orgs/{org}/${kind.segment}`,
    id: `createOrganization${kind.title}`,
    summary: `Create a ${kind.kind} in an organization`,
    description:
      'For members, if the organization lets them create documents. You become an admin of the ' +
      'document.',
    errors: [422],
    rule: creatable(({ org }: { org: string }) => asOrganization(org)),
    handler: (asked) => answer(asked, asOrganization(asked.params.org)),
  });
}
