import type { FastifyReply, FastifyRequest } from 'fastify';
import { nothingAtAddress, ServiceError } from '../../base/errors.ts';
import type { Kind } from '../../base/schema/kind.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { sendOwnPage } from '../../surfaces/web/account-parts.ts';
import { documentPath, REPORTS_PATH } from '../../surfaces/web/addresses.ts';
import type { AppParts } from '../../surfaces/web/app-parts.ts';
import { addDocumentRoutes, type DocumentRoute } from '../../surfaces/web/document-routes.ts';
import {
  faultsOf,
  isCorrectable,
  pageNumberOf,
  readForm,
  requireChoice,
} from '../../surfaces/web/form.ts';
import { LIST_SIZE } from '../../surfaces/web/pages/pager.tsx';
import {
  documentReportsPage,
  renderReportedPage,
  renderReportPage,
  reportPage,
  reportsPage,
  suggestedReason,
} from './report-pages.tsx';
import {
  closeReport,
  listDocumentReports,
  listReportedDocuments,
  reportDocument,
  requireReportable,
} from './report-service.ts';
import { requireAdminScreen, takeDown } from './takedown-service.ts';

/** The most reports of one document on its page. */
const REPORTS_SHOWN = 100;

const FIELDS = ['kind', 'words', 'email', 'document'] as const;
const EMPTY = { kind: '', words: '', email: '' };

/**
 * Adds `/report/…`, where anyone reports a public document, and `/admin/reports`, where administrators
 * of the instance decide.
 */
export function addReportRoutes(parts: AppParts): void {
  const { context, site, get, post, show, goOn, act } = parts;

  const addressed = (kind: Kind, found: { id: string; ownerNamespace: string; name: string }) => ({
    kind,
    id: found.id,
    ownerNamespace: found.ownerNamespace,
    name: found.name,
  });

  const refOf = (kind: Kind, request: FastifyRequest): DocumentRef => ({
    kind,
    ...(request.params as DocumentRoute['Params']),
  });

  /** Reports for somebody without an account. */
  const reportSignedOut =
    (kind: Kind) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const ref = refOf(kind, request);
      const document = addressed(kind, await requireReportable(context, ref));
      const back = documentPath('read', document);
      if (request.method !== 'POST') {
        const form = { document, ...EMPTY, faults: {} };
        return sendOwnPage(reply, renderReportPage(site, form, back));
      }
      const { document: documentId, ...input } = readForm(request.body, FIELDS);
      const reporter = { actor: undefined, address: request.ip };
      try {
        await reportDocument(context, reporter, ref, { ...input, documentId });
      } catch (error) {
        if (!isShown(error)) throw error;
        const form = { document, ...input, faults: faultsOf(error) };
        return sendOwnPage(reply, renderReportPage(site, form, back), error.status);
      }
      return sendOwnPage(reply, renderReportedPage(site, document, back));
    };

  addDocumentRoutes(parts, 'report', {
    get: async (asked, ref) => {
      const document = addressed(ref.kind, await requireReportable(context, ref));
      return show(asked, reportPage({ document, ...EMPTY, faults: {} }));
    },
    getSignedOut: reportSignedOut,
    post: async (asked, ref) => {
      const { call, request } = asked;
      const document = addressed(ref.kind, await requireReportable(context, ref));
      const { document: documentId, ...input } = readForm(request.body, FIELDS);
      try {
        const reporter = { actor: call.actor, address: request.ip };
        await reportDocument(context, reporter, ref, { ...input, documentId });
      } catch (error) {
        if (!isShown(error)) throw error;
        const form = { document, ...input, faults: faultsOf(error) };
        return show(asked, reportPage(form), error.status);
      }
      const message = 'Thank you. An administrator will look at it.';
      return goOn(asked, documentPath('read', document), { message });
    },
    postSignedOut: reportSignedOut,
  });

  get<{ Querystring: { page?: unknown; state?: unknown } }>(REPORTS_PATH, async (asked) => {
    const { call, request } = asked;
    await requireAdminScreen(context.sql.read, call.actor);
    const state = request.query.state === 'closed' ? 'closed' : 'open';
    const page = pageNumberOf(request.query.page);
    const size = LIST_SIZE;
    const found = await listReportedDocuments(call, state, { number: page, size });
    const list = { ...found, page, size, state, takesReports: context.takesReports } as const;
    return show(asked, reportsPage({ ...list, now: context.now() }));
  });

  type OneRoute = { Params: { id: string } };
  const all = { number: 1, size: REPORTS_SHOWN };

  get<OneRoute>(`${REPORTS_PATH}/:id`, async (asked) => {
    await requireAdminScreen(context.sql.read, asked.call.actor);
    const { id } = asked.request.params;
    const { items: reports } = await listDocumentReports(asked.call, id, all);
    const form = { reason: suggestedReason(reports) };
    return show(asked, documentReportsPage({ reports, form, now: context.now() }));
  });

  post<OneRoute>(`${REPORTS_PATH}/:id/take-down`, async (asked) => {
    await requireAdminScreen(context.sql.read, asked.call.actor);
    const { id } = asked.request.params;
    const { reason } = readForm(asked.request.body, ['reason']);
    const { items: reports } = await listDocumentReports(asked.call, id, all);
    const [report] = reports;
    if (!report) throw nothingAtAddress();
    const { documentType: kind, ownerNamespace: owner, documentName: name } = report;
    try {
      // What was reported, even if another document has its address by now.
      const actor = { ...asked.call.actor, documentId: report.documentId };
      await takeDown(context, actor, { kind, owner, name }, { reason });
    } catch (error) {
      if (!isCorrectable(error)) throw error;
      const form = { reason, fault: error.sentence };
      return show(asked, documentReportsPage({ reports, form, now: context.now() }), 422);
    }
    return goOn(asked, REPORTS_PATH, { message: `${owner}/${name} was taken down.` });
  });

  post<OneRoute>(`${REPORTS_PATH}/:id/close`, async (asked) => {
    const { call, request } = asked;
    await requireAdminScreen(context.sql.read, call.actor);
    return act(asked, REPORTS_PATH, async () => {
      const form = readForm(request.body, ['outcome']);
      const outcome = requireChoice(['dismissed', 'closed'], form.outcome, 'outcome');
      const { items } = await listDocumentReports(call, request.params.id, all);
      const open = items.find(({ closedAt }) => closedAt === null);
      if (!open) return { message: 'These reports are closed already.' };
      await closeReport(context, call.actor, open.id, outcome);
      return { message: `The reports of ${open.ownerNamespace}/${open.documentName} are closed.` };
    });
  });
}

/** Tells whether a form shows an error: also that there were too many reports. */
function isShown(error: unknown): error is ServiceError {
  return isCorrectable(error) || (error instanceof ServiceError && error.code === 'RATE_LIMITED');
}
