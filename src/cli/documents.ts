import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { DocumentRef } from '../core/document/document-ref.ts';
import { presentTakedown } from '../features/moderation/takedown-schema.ts';
import {
  endTakedown,
  listAllTakedowns,
  takeDown,
} from '../features/moderation/takedown-service.ts';
import { listAll, printTable, withContext } from './context.ts';

/** Adds `briefs documents …`. */
export function addDocumentCommands(program: Command): void {
  const documents = program
    .command('documents')
    .description('take documents down, and restore them');
  const address = 'OWNER/NAME; OWNER/pages/NAME for an HTML page';

  documents
    .command('take-down')
    .description('hide a document from everybody; those who manage it see the reason')
    .argument('<document>', address, parseDocument)
    .requiredOption('--reason <text>', 'why, for those who manage it (required)')
    .action(async (ref: DocumentRef, { reason }: { reason: string }) => {
      const { kind, ownerNamespace, name } = await withContext((context) =>
        takeDown(context, undefined, ref, { reason }),
      );
      console.log(`Took the ${kind} ${ownerNamespace}/${name} down.`);
    });

  documents
    .command('restore')
    .description('bring a document back that was taken down, as it was')
    .argument('<document>', address, parseDocument)
    .action(async (ref: DocumentRef) => {
      const { kind, ownerNamespace, name } = await withContext((context) =>
        endTakedown(context, undefined, ref),
      );
      console.log(`Restored the ${kind} ${ownerNamespace}/${name}.`);
    });

  documents
    .command('taken-down')
    .description('list the documents that are taken down')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const rows = await withContext((context) =>
        listAll((page) => listAllTakedowns(context, undefined, page)),
      );
      if (json) {
        console.log(JSON.stringify(rows.map(presentTakedown), null, 2));
        return;
      }
      printTable(
        ['DOCUMENT', 'KIND', 'TAKEN DOWN', 'DELETED', 'REASON'],
        rows.map(({ ownerNamespace, name, kind, takenDownAt, deletedAt, takenDownReason }) => [
          addressOf({ kind, owner: ownerNamespace, name }),
          kind,
          takenDownAt,
          deletedAt,
          takenDownReason,
        ]),
      );
    });
}

/** Writes an address as the commands take it: `ada/plan` or `ada/pages/plan`. */
export function addressOf({ kind, owner, name }: DocumentRef): string {
  return `${owner}/${kind === 'page' ? 'pages/' : ''}${name}`;
}

/** Parses `ada/plan` or `ada/pages/plan`. */
export function parseDocument(text: string): DocumentRef {
  const [owner, ...rest] = text.replace(/^\//, '').split('/');
  const [first, second] = rest;
  if (owner && rest.length === 1 && first) return { kind: 'brief', owner, name: first };
  if (owner && rest.length === 2 && first === 'pages' && second) {
    return { kind: 'page', owner, name: second };
  }
  throw new InvalidArgumentError('must be OWNER/NAME, or OWNER/pages/NAME for an HTML page.');
}
