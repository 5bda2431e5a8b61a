import { type Command, InvalidArgumentError } from 'commander';
import { type AuditAction, isAuditAction } from '../core/audit/actions.ts';
import { later } from '../core/context.ts';
import { allEntries, everything } from '../features/audit/audit-service.ts';
import { parseDurationArgument } from './arguments.ts';
import { printTable, withContext } from './context.ts';

interface AuditOptions {
  since?: number;
  person?: string;
  organization?: string;
  action?: AuditAction;
  json?: boolean;
}

/** How many entries are printed as a table. */
const SHOWN = 100;

/** Adds `briefs audit`. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('print the audit trail, newest first')
    .option('--since <duration>', 'only the last while, such as 7d or 12h', parseDurationArgument)
    .option('--person <user>', 'only by or about this user: a username or an id')
    .option('--organization <owner>', 'only about what it owns: a namespace or an id')
    .option('--action <action>', 'only this action, such as token.created', parseAction)
    .option('--json', `print all entries as JSON lines; without it, a table of the last ${SHOWN}`)
    .action(async ({ since, json, ...filter }: AuditOptions) => {
      await withContext(async (context) => {
        const from = since === undefined ? undefined : later(context.now(), -since);
        const read = everything(context, { ...filter, since: from });
        if (json) {
          for await (const entry of allEntries(read)) {
            if (!(await print(`${JSON.stringify(entry)}\n`))) return;
          }
          return;
        }
        const { items } = await read({ size: SHOWN });
        printTable(
          ['AT', 'ACTION', 'BY', 'MEANS', 'ADDRESS', 'SUBJECT'],
          items.map(({ at, action, actor, means, meansName, address, subject }) => [
            at,
            action,
            actor ?? (means === 'command' ? meansName : null),
            means,
            address,
            subject,
          ]),
        );
      });
    });
}

function parseAction(text: string): AuditAction {
  if (isAuditAction(text)) return text;
  throw new InvalidArgumentError('there is no such action.');
}

/**
 * Waits until a slow reader has read it, so that a long trail is never in memory as a whole.
 *
 * @returns whether somebody reads on
 */
function print(line: string): Promise<boolean> {
  return new Promise((resolve) => process.stdout.write(line, (error) => resolve(!error)));
}
