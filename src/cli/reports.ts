import { type Command, Option } from 'commander';
import { presentReport } from '../features/moderation/report-schema.ts';
import { closeReport, listAllReports } from '../features/moderation/report-service.ts';
import type { ReportRow } from '../features/moderation/report-store.ts';
import { listAll, printTable, withContext } from './context.ts';
import { addressOf } from './documents.ts';

/** Adds `briefs reports …`. */
export function addReportCommands(program: Command): void {
  const reports = program
    .command('reports')
    .description('list reports of documents, and close them');

  reports
    .command('list')
    .description('list the open reports, newest first')
    .option('--closed', 'list the closed ones instead')
    .option('--json', 'print JSON')
    .action(async ({ closed, json }: { closed?: boolean; json?: boolean }) => {
      const state = closed ? 'closed' : 'open';
      const rows = await withContext((context) =>
        listAll((page) => listAllReports(context, undefined, state, page)),
      );
      const shown = rows.map(presentReport);
      if (json) {
        console.log(JSON.stringify(shown, null, 2));
        return;
      }
      printTable(
        ['ID', 'DOCUMENT', 'WHY', 'REPORTED', 'BY', 'OUTCOME', 'WORDS'],
        shown.map((report, at) => [
          report.id,
          addressOfReported(rows[at] as ReportRow),
          report.kind,
          report.createdAt,
          report.reporter ?? report.email,
          report.outcome,
          report.words.replace(/\s+/gu, ' '),
        ]),
      );
    });

  reports
    .command('close')
    .description('close a report, with all others of its document; their reporters are mailed')
    .argument('<id>', 'an id from "reports list"')
    .addOption(
      new Option('--outcome <outcome>', 'what the reporters are told')
        .choices(['dismissed', 'closed'])
        .default('closed'),
    )
    .action(async (id: string, { outcome }: { outcome: 'dismissed' | 'closed' }) => {
      const { ownerNamespace, documentName } = await withContext((context) =>
        closeReport(context, undefined, id, outcome),
      );
      console.log(`Closed the reports of ${ownerNamespace}/${documentName}.`);
    });
}

function addressOfReported({
  documentType: kind,
  ownerNamespace: owner,
  documentName: name,
}: ReportRow): string {
  return addressOf({ kind, owner, name });
}
