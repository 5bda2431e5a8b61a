import { Type } from 'typebox';
import { type Api, addOperation, listAnswer } from '../../surfaces/rest/operation.ts';
import { ADMINISTRATOR } from '../../surfaces/rest/rules.ts';
import { CloseReportBody, presentReport, ReportSchema, ReportsQuery } from './report-schema.ts';
import { closeReport, listAllReports } from './report-service.ts';

const tag = 'Reports';

/** Adds the routes with which administrators of the instance read reports and close them. */
export function addReportOperations(api: Api): void {
  addOperation(api, {
    method: 'GET',
    scope: 'admin',
    path: '/admin/reports',
    id: 'listReports',
    tag,
    summary: 'List reports of documents',
    description: 'Newest first. Taking a document down closes its reports.',
    query: ReportsQuery,
    paginated: true,
    rule: ADMINISTRATOR,
    answers: { 200: Type.Array(ReportSchema) },
    handler: async ({ context, actor, query, page }) =>
      listAnswer(await listAllReports(context, actor, query.state ?? 'open', page), presentReport),
  });

  addOperation(api, {
    method: 'PUT',
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
    answers: { 200: ReportSchema },
    handler: async ({ context, actor, params, body }) => ({
      status: 200,
      data: presentReport(await closeReport(context, actor, params.id, body.outcome)),
    }),
  });
}
