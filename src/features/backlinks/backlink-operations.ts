import { Type } from 'typebox';
import { type DocumentKind, KINDS } from '../../base/schema/kind.ts';
import { documentSchema, presentDocument } from '../../core/document/document-schema.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { type Api, addOperation } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import { getBacklinks } from './backlink-service.ts';

/** Adds the lists of what links to a document, for all kinds. */
export function addBacklinkOperations(api: Api): void {
  for (const kind of Object.values(KINDS)) addList(api, kind);
}

function addList(api: Api, { kind, segment, title }: DocumentKind): void {
  const refOf = refsOf(kind);
  const schemas = Object.values(KINDS).map((each) => documentSchema(each, 'listed'));
  addOperation(api, {
    tag: 'Backlinks',
    method: 'GET',
    scope: 'documents:read',
    path: `/${segment}/{owner}/{name}/backlinks` as const,
    id: `list${title}Backlinks`,
    summary: `List what links to a ${kind}`,
    description:
      'The briefs and pages that link to it by its name or a former one, of those that you can ' +
      'read, last changed first. At most 100. A change shows about a second later.',
    answers: { 200: Type.Array(Type.Union(schemas)) },
    rule: documentRules(kind)('read'),
    handler: async ({ context, actor, params }) => {
      const found = await getBacklinks(context, actor, refOf(params));
      return { status: 200, data: found.map((seen) => presentDocument(context, 'listed', seen)) };
    },
  });
}
