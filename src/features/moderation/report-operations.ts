import { list, put } from '../../surfaces/rest/endpoints.ts';
import type { Api } from '../../surfaces/rest/operation.ts';
import { ADMINISTRATOR } from '../../surfaces/rest/rules.ts';
import { CloseReportBody, presentReport, ReportSchema, ReportsQuery } from './report-schema.ts';
import { closeReport, listAllReports } from './report-service.ts';

const tag = 'Reports';

/** Adds the routes with which administrators of the instance read reports and close them. */
export function addReportOperations(api: Api): void {
  list(api, {
    scope: 'admin',
    path: '/admin/reports',
    id: 'listReports',
    tag,
    summary: 'List reports of documents',
    description: 'Newest first. Taking a document down closes its reports.',
    query: ReportsQuery,
    rule: ADMINISTRATOR,
    items: ReportSchema,
    find: ({ call, query, page }) => listAllReports(call, call.actor, query.state ?? 'open', page),
    present: presentReport,
  });

  put(api, {
    scope: 'admin',
    path: '/admin/reports/{id}/outcome',
    id: 'closeReport',
    tag,
    summary: 'Close a report',
    description:
      'Closes all open reports of the document, and mails those who reported it, if they have an ' +
      'account or gave an address.',
    body: CloseReportBody,
    rule: ADMINISTRATOR,
    errors: [404, 422],
    answer: ReportSchema,
    handler: async ({ call, params, body }) =>
      presentReport(await closeReport(call, call.actor, params.id, body.outcome)),
  });
}
