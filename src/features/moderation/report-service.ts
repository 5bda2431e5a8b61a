import { createHmac } from 'node:crypto';
import { FieldError, nothingAtAddress, ServiceError } from '../../base/errors.ts';
import { addressKey } from '../../base/limits/rate-limit.ts';
import type { Page, PageRequest } from '../../base/pagination/result-page.ts';
import { isStorableText } from '../../base/schema/fields.ts';
import { normaliseId } from '../../base/schema/id.ts';
import { audit } from '../../core/audit/audit.ts';
import { type Actor, type Call, type Context, later } from '../../core/context.ts';
import { requireSameDocument } from '../../core/document/document-input.ts';
import { type DocumentRef, normaliseRef } from '../../core/document/document-ref.ts';
import {
  findPublicDocumentState,
  type PublicDocumentRow,
} from '../../core/document/public-document-store.ts';
import { requireEmail } from '../../core/identity/account-service.ts';
import { listInstanceAdmins } from '../../core/identity/account-store.ts';
import { requireAdmin } from '../../core/identity/admin.ts';
import { countAttempt } from '../../core/identity/attempts.ts';
import { loadAuthorizationKeys } from '../../core/identity/key-service.ts';
import { queueNoticeTo, queuePlainNotice } from '../../core/outbox/plain-notice.ts';
import { changeOwned } from '../../core/owner/owner-service.ts';
import type { Reader, Writer } from '../../storage/sql/sql.ts';
import { MAX_WORDS, type Outcome, REPORT_KINDS, type ReportKind } from './report-kinds.ts';
import {
  closeReportsOf,
  countOpenReports,
  findReport,
  insertReport,
  listReported,
  listReports,
  listReportsOf,
  type ReportedRow,
  type ReportRow,
  type ReportState,
  updateMailed,
  wasMailedSince,
} from './report-store.ts';

/** How often administrators are mailed about new reports, at most. */
const MAIL_EVERY_MS = 60 * 60_000;

/** Who reports: a user, or somebody at an IP address. */
export interface Reporter {
  actor: Actor | undefined;
  address: string;
}

/** What a form says. */
export interface ReportInput {
  kind: string;
  words: string;
  /** Where somebody without an account wants to be answered; '' for nowhere. */
  email: string;
}

/**
 * Returns a public document that can be reported. A document that isn't public can't, whoever asks, so
 * that nobody finds one this way.
 *
 * @throws NOT_FOUND, also if the instance takes no reports
 */
export async function requireReportable(
  context: Context,
  ref: DocumentRef,
  db: Reader = context.sql.read,
): Promise<PublicDocumentRow> {
  const found = context.takesReports && (await findPublicDocumentState(db, normaliseRef(ref)));
  if (!found) throw nothingAtAddress();
  return found;
}

/**
 * Reports a public document. The same reporter has one open report of a document, however often they
 * report it. Administrators are mailed, at most once an hour.
 *
 * @param documentId the document that the form was about
 * @throws NOT_FOUND as {@link requireReportable}; CONFLICT if it is another document now; BAD_REQUEST
 *   naming `kind`, `words` or `email`; TooManyAttempts
 */
export async function reportDocument(
  context: Context,
  { actor, address }: Reporter,
  ref: DocumentRef,
  { documentId, ...input }: ReportInput & { documentId: string },
): Promise<PublicDocumentRow> {
  const document = await requireReportable(context, ref);
  requireSameDocument(documentId, document);
  const kind = requireKind(input.kind);
  const words = requireWords(input.words, kind);
  const email = actor || input.email.trim() === '' ? null : requireEmail(input.email);
  const key = actor ? `account:${actor.id}` : addressKey(address);
  await countAttempt(context.limiter, [['report', key]]);
  const reporterKey = actor ? key : await hidden(context, key);
  await changeOwned(context, ref.owner, async (tx) => {
    const { id: found } = await requireReportable(context, ref, tx);
    if (found !== document.id) throw nothingAtAddress();
    const [id, createdAt] = [context.newId(), context.now()];
    const reporterId = actor?.id ?? null;
    const report = {
      id,
      documentId: found,
      kind,
      words,
      reporterId,
      email,
      reporterKey,
      createdAt,
    };
    if (await insertReport(tx, report)) await mailAdmins(context, tx, id);
  });
  return document;
}

/** Lists reports, newest first, for administrators and commands. @throws FORBIDDEN */
export async function listAllReports(
  context: Context,
  actor: Actor | undefined,
  state: ReportState,
  page: PageRequest,
): Promise<Page<ReportRow>> {
  if (actor) await requireAdmin(context.sql.read, actor);
  return listReports(context.sql.read, state, page);
}

/** Lists the documents that have reports, the last reported first. @throws FORBIDDEN */
export async function listReportedDocuments(
  call: Call,
  state: ReportState,
  page: PageRequest,
): Promise<Page<ReportedRow>> {
  await requireAdmin(call.sql.read, call.actor);
  return listReported(call.sql.read, state, page);
}

/** Lists all reports of a document, newest first. @throws FORBIDDEN; NOT_FOUND if it has none */
export async function listDocumentReports(
  call: Call,
  documentId: string,
  page: PageRequest,
): Promise<Page<ReportRow>> {
  await requireAdmin(call.sql.read, call.actor);
  const found = await listReportsOf(call.sql.read, normaliseId(documentId), page);
  if (found.total === 0) throw nothingAtAddress();
  return found;
}

/**
 * Closes a report, with all open ones of its document: one decision answers them. Their reporters are
 * mailed, if they have an account or gave an address.
 *
 * @param actor who does it; without one, an operator's command
 * @throws FORBIDDEN; NOT_FOUND; UNPROCESSABLE if it is closed already
 */
export async function closeReport(
  context: Context,
  actor: Actor | undefined,
  id: string,
  outcome: Exclude<Outcome, 'taken_down'>,
): Promise<ReportRow> {
  if (actor) await requireAdmin(context.sql.read, actor);
  const { ownerNamespace } = await requireReport(context.sql.read, id);
  return changeOwned(context, ownerNamespace, async (tx) => {
    if (actor) await requireAdmin(tx, actor);
    const report = await requireReport(tx, id);
    if (report.closedAt !== null) {
      throw new ServiceError('UNPROCESSABLE', 'This report is closed already.');
    }
    const { documentId, documentName, documentType } = report;
    const fullName = `${ownerNamespace}/${documentName}`;
    const document = { id: documentId, kind: documentType, fullName };
    const count = await answerReports(context, tx, document, outcome);
    await audit(context, tx, {
      action: 'document.reports_closed',
      ...(actor && { actor }),
      documentId,
      subject: fullName,
      detail: { kind: documentType, outcome, reports: count },
    });
    return requireReport(tx, id);
  });
}

/** What reporters are told. */
const ANSWERS: Record<Outcome, string> = {
  taken_down: 'An administrator has taken it down.',
  dismissed: 'An administrator has looked at it and found no reason to take it down.',
  closed: 'An administrator has looked at it.',
};

/**
 * Closes the open reports of a document, and mails their reporters. The transaction has locked the owner.
 *
 * @returns how many
 */
export async function answerReports(
  context: Context,
  tx: Writer,
  document: { id: string; kind: string; fullName: string },
  outcome: Outcome,
): Promise<number> {
  const closed = await closeReportsOf(tx, document.id, { at: context.now(), outcome });
  const notice = {
    subject: `Your report of ${document.fullName}`,
    says: [
      `You reported the ${document.kind} ${document.fullName}. ${ANSWERS[outcome]} Thank you.`,
    ],
    reason: 'You get this mail because you reported it.',
  };
  const users = closed.flatMap(({ reporterId }) => reporterId ?? []);
  await queueNoticeTo(context, tx, users, notice);
  const addresses = new Set(closed.flatMap(({ email }) => email ?? []));
  for (const address of addresses) {
    await queuePlainNotice(context, tx, { ...notice, username: '', address });
  }
  return closed.length;
}

/** Mails administrators about a new report, unless they were mailed within the hour. */
async function mailAdmins(context: Context, tx: Writer, reportId: string): Promise<void> {
  if (!context.sendsMail) return;
  const now = context.now();
  if (await wasMailedSince(tx, later(now, -MAIL_EVERY_MS))) return;
  await updateMailed(tx, reportId, now);
  const open = await countOpenReports(tx);
  await queueNoticeTo(context, tx, await listInstanceAdmins(tx), {
    subject: open === 1 ? 'A document was reported' : `${open} reports are open`,
    says: [
      `Somebody has reported a public document. ${open === 1 ? 'It is the only open report.' : `${open} reports are open.`} The next mail about reports comes in an hour at the earliest.`,
    ],
    link: { label: 'Look at the reports', path: '/admin/reports' },
    reason: 'You get this mail because you are an administrator of this instance.',
  });
}

async function requireReport(db: Reader, id: string): Promise<ReportRow> {
  const found = await findReport(db, normaliseId(id));
  if (!found) throw new FieldError('NOT_FOUND', 'id', 'there is no such report.');
  return found;
}

function requireKind(given: string): ReportKind {
  if (Object.hasOwn(REPORT_KINDS, given)) return given as ReportKind;
  throw new FieldError('BAD_REQUEST', 'kind', 'choose what is wrong.');
}

/** Only what no kind says has to be said in words. */
function requireWords(given: string, kind: ReportKind): string {
  const words = given.replaceAll('\r\n', '\n').trim();
  if (words.length > MAX_WORDS || !isStorableText(words)) {
    throw new FieldError('BAD_REQUEST', 'words', `must be at most ${MAX_WORDS} characters.`);
  }
  if (kind === 'other' && words === '') {
    throw new FieldError('BAD_REQUEST', 'words', 'say what is wrong.');
  }
  return words;
}

/** Makes a key from which nobody reads an IP address. */
async function hidden(context: Context, key: string): Promise<string> {
  const [secret = ''] = (await loadAuthorizationKeys(context)).cookie;
  return `network:${createHmac('sha256', secret).update(`report ${key}`).digest('base64url')}`;
}
