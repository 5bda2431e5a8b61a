import { Type } from 'typebox';
import {
  Id,
  Nullable,
  NullableOneOf,
  NullableTimestamp,
  NullableUsername,
  OneOf,
  Timestamp,
} from '../../base/schema/fields.ts';
import { pickFields } from '../../base/schema/pick-fields.ts';
import { OUTCOMES, REPORT_KINDS, type ReportKind } from './report-kinds.ts';
import type { ReportRow } from './report-store.ts';

export const ReportSchema = Type.Object(
  {
    id: Id('The report’s id.'),
    kind: OneOf(Object.keys(REPORT_KINDS) as ReportKind[], 'What is wrong.'),
    words: Type.String({ description: 'What the reporter says.', examples: ['In line 3.'] }),
    reporter: NullableUsername('Who reported it; `null` also for somebody without an account.'),
    email: Nullable('string', 'Where somebody without an account wants the answer.'),
    createdAt: Timestamp('When it was reported.'),
    closedAt: NullableTimestamp('When it was closed; `null` while it is open.'),
    outcome: NullableOneOf(OUTCOMES, 'What was decided; `null` while it is open.'),
    documentId: Id('The document’s id.'),
    documentType: OneOf(['brief', 'page'], 'What kind of document it is.'),
    fullName: Type.String({ description: 'Owner and name.', examples: ['ada/release-notes'] }),
    isTakenDown: Type.Boolean({ description: 'Whether the document is taken down.' }),
  },
  { title: 'Report' },
);

export const CloseReportBody = Type.Object(
  {
    outcome: OneOf(
      ['dismissed', 'closed'],
      'What its reporters are told: `dismissed`, that there is no reason to take it down.',
    ),
  },
  { title: 'CloseReport', additionalProperties: false },
);

export const ReportsQuery = Type.Object({
  state: Type.Optional(OneOf(['open', 'closed'], 'Which reports. Default: `open`.')),
});

export function presentReport(report: ReportRow) {
  return pickFields(ReportSchema, {
    ...report,
    fullName: `${report.ownerNamespace}/${report.documentName}`,
    isTakenDown: report.takenDownAt !== null,
  });
}
