import { Type } from 'typebox';
import { KINDS } from '../../base/schema/kind.ts';
import { documentSchema, presentDocument } from '../../core/document/document-schema.ts';
import { refsOf } from '../../surfaces/rest/document-path.ts';
import { list } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { documentRules } from '../../surfaces/rest/rules.ts';
import { getBacklinks } from './backlink-service.ts';

/** Adds the lists of what links to a document, for all kinds. */
export function addBacklinkOperations(api: Api): void {
  const kinds = Object.values(KINDS);
  const schemas = kinds.map((kind) => documentSchema(kind, 'listed'));
  for (const { kind, segment, title } of kinds) {
    const refOf = refsOf(kind);
    list(api, {
      tag: 'Backlinks',
      scope: 'documents:read',
      path: `/${segment}/{owner}/{name}/backlinks` as const,
      id: `list${title}Backlinks`,
      summary: `List what links to a ${kind}`,
      description:
        'The briefs and pages that link to it by its name or a former one, of those that you can ' +
        'read, last changed first; only the 500 newest are considered. A change shows about a ' +
        'second later.',
      items: Type.Union(schemas),
      rule: documentRules(kind)('read'),
      find: ({ call, params, page }) => getBacklinks(call, refOf(params), page),
      present: (seen, { call }) => presentDocument(call, 'listed', seen),
    });
  }
}
