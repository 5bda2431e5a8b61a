import { Type } from 'typebox';
import { unknownCursor } from '../../base/pagination/result-page-schema.ts';
import { Text } from '../../base/schema/fields.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { requireTime } from '../../base/schema/time.ts';
import type { Call } from '../../core/context.ts';
import {
  type Answer,
  type Api,
  type ApiRequest,
  addOperation,
} from '../../surfaces/rest/operation.ts';
import { inOrganization, type Rule } from '../../surfaces/rest/rules.ts';
import { LINES_TYPE, linesOf } from './audit-lines.ts';
import { AuditQuerySchema, AuditSchema } from './audit-schema.ts';
import {
  type AuditQuery,
  allEntries,
  organizationAudit,
  ownAudit,
  type ReadAudit,
  requireAuditor,
  wholeAudit,
} from './audit-service.ts';

const BY_ADMINS: Rule<unknown> = {
  needs: 'instance admin',
  refusals: [403],
  check: ({ sql, actor }: Call) => requireAuditor(sql.read, actor),
};

/** Adds the routes of the audit trail. */
export function addAuditOperations(api: Api): void {
  const tag = 'Audit trail';
  const description =
    'Newest first. With `Accept: application/x-ndjson`, the response is a stream of all entries as ' +
    'JSON lines.';

  addOperation(api, {
    method: 'GET',
    path: '/user/audit',
    id: 'listOwnAudit',
    tag,
    isAboutAll: true,
    scope: 'documents:read',
    summary: 'List what happened to your account',
    description:
      'What you did, and what others did that concerns your account or your documents. Apps don’t ' +
      `get addresses and devices. ${description}`,
    query: Type.Object(AuditQuerySchema),
    paginated: 'cursor',
    answers: { 200: AuditSchema },
    handler: (asked) => answer(asked, ownAudit(asked.call, queryOf(asked.query))),
  });

  addOperation(api, {
    method: 'GET',
    path: '/orgs/{org}/audit',
    id: 'listOrganizationAudit',
    tag,
    scope: 'organizations',
    summary: 'List what happened in an organization',
    description: `What concerns its documents and members. ${description}`,
    query: Type.Object(AuditQuerySchema),
    paginated: 'cursor',
    answers: { 200: AuditSchema },
    rule: inOrganization('seeAudit'),
    handler: (asked) => {
      const { call, params, query } = asked;
      return answer(asked, organizationAudit(call, params.org, queryOf(query)));
    },
  });

  addOperation(api, {
    method: 'GET',
    path: '/admin/audit',
    id: 'listAudit',
    tag,
    scope: 'admin',
    summary: 'List what happened on the instance',
    description: `Only for administrators of the instance, not for their apps. ${description}`,
    query: Type.Object({
      ...AuditQuerySchema,
      person: Type.Optional(
        Text({ description: 'Only by or about this user: a username or an id.', maxLength: 100 }),
      ),
      organization: Type.Optional(
        Text({
          description: 'Only about what this organization or user owns: a namespace or an id.',
          maxLength: 100,
        }),
      ),
    }),
    paginated: 'cursor',
    answers: { 200: AuditSchema },
    rule: BY_ADMINS,
    errors: [404],
    handler: (request) => {
      const { call, query } = request;
      const { person, organization } = query;
      const asked = { ...queryOf(query), person, organization };
      return answer(request, wholeAudit(call, asked));
    },
  });
}

/** @throws BAD_REQUEST naming `since` or `until` */
function queryOf({ action, since, until }: AuditQuery): AuditQuery {
  return {
    action,
    since: since === undefined ? undefined : requireTime('since', since),
    until: until === undefined ? undefined : requireTime('until', until),
  };
}

/** @throws BAD_REQUEST naming `after`; errors of reading */
async function answer(
  {
    request,
    after,
    page,
  }: Pick<ApiRequest<string, unknown, unknown>, 'request' | 'after' | 'page'>,
  read: ReadAudit,
): Promise<Answer> {
  if (request.headers.accept?.includes(LINES_TYPE)) {
    // Fails before the answer begins, if it does.
    await read({ size: 1 });
    const { requireToken } = request;
    const body = linesOf(allEntries(read, requireToken));
    return { status: 200, stream: { type: LINES_TYPE, body } };
  }
  const cursor = after === undefined ? undefined : normaliseId(after);
  if (cursor === '') throw unknownCursor();
  return { status: 200, data: await read({ after: cursor, size: page.size }) };
}
