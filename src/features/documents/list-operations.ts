import { Type } from 'typebox';
import type { AnyKind } from '../../base/schema/kind.ts';
import type { Seen } from '../../core/document/authorize.ts';
import { documentSchema, presentDocument } from '../../core/document/document-schema.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { list } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { ANY_ORGANIZATION, ANY_USER } from '../../surfaces/rest/rules.ts';
import { LabelFilter } from '../labels/label-schema.ts';
import {
  listOrganizationDocuments,
  listOwnDocuments,
  listUserDocuments,
} from '../library/document-listing.ts';

/** Adds the routes that list an owner's documents. */
export function addListOperations(api: Api, kind: AnyKind): void {
  const listed = {
    scope: 'documents:read',
    tag: kind.titlePlural,
    query: Type.Object({ label: LabelFilter }),
    items: documentSchema(kind, 'listed'),
    present: (seen: Seen<DocumentRow>) => presentDocument(api.context, 'listed', seen),
  } as const;

  const ownPaths = [
    [`/user/${kind.segment}`, `listOwn${kind.titlePlural}`, `List your ${kind.segment}`],
    [`/${kind.segment}`, `list${kind.titlePlural}`, `List your ${kind.segment} (short address)`],
  ] as const;
  for (const [path, id, summary] of ownPaths) {
    list(api, {
      ...listed,
      path,
      id,
      summary,
      description: `The ${kind.segment} you own, newest first.`,
      find: ({ call, page, query }) => listOwnDocuments(call, kind.kind, page, query),
    });
  }

  list(api, {
    ...listed,
    path: `/users/{username}/${kind.segment}`,
    id: `listUser${kind.titlePlural}`,
    summary: `List a user’s ${kind.segment}`,
    description: 'Only public ones, unless you are the user.',
    rule: ANY_USER,
    find: ({ call, params, page, query }) =>
      listUserDocuments(call, kind.kind, params.username, page, query),
  });

  list(api, {
    ...listed,
    path: `/orgs/{org}/${kind.segment}`,
    id: `listOrganization${kind.titlePlural}`,
    summary: `List an organization’s ${kind.segment}`,
    description:
      'Admins see all. Members see public and internal ones, and private ones where they ' +
      'collaborate. Anyone else sees public ones, and so do members without the second factor that ' +
      'the organization may require.',
    rule: ANY_ORGANIZATION,
    find: ({ call, params, page, query }) =>
      listOrganizationDocuments(call, kind.kind, params.org, page, query),
  });
}
