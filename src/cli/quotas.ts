import { type Command, InvalidArgumentError } from 'commander';
import { amountInWords, LIMITS, type OwnLimit } from '../core/quota/quota.ts';
import { readAmount } from '../features/quotas/amount.ts';
import {
  getOwnerQuotas,
  type OwnerQuotas,
  recountAll,
  setExceptions,
} from '../features/quotas/quota-admin-service.ts';
import { presentQuotas } from '../features/quotas/quota-schema.ts';
import { printTable, withContext } from './context.ts';

type SetOptions = Partial<Record<OwnLimit, { amount: number | null }>> & { json?: boolean };

/** Adds `briefs quotas …`. */
export function addQuotaCommands(program: Command): void {
  const quotas = program
    .command('quotas')
    .description('show and change what users and organizations may have');

  quotas
    .command('show')
    .description('print what an owner has and may have')
    .argument('<owner>', 'a username or an organization’s namespace')
    .option('--json', 'print JSON')
    .action(async (owner: string, { json }: { json?: boolean }) => {
      print(await withContext((context) => getOwnerQuotas(context, undefined, owner)), json);
    });

  quotas
    .command('set')
    .description(
      'replace the limits that an owner has of its own; without an option, as for everyone',
    )
    .argument('<owner>', 'a username or an organization’s namespace')
    .option('--documents <number>', 'or none', (text) => readLimit('documents', text))
    .option('--bytes <size>', 'such as 5GB, or none', (text) => readLimit('bytes', text))
    .option('--json', 'print JSON')
    .action(async (owner: string, { json, ...limits }: SetOptions) => {
      const entries = Object.entries(limits).map(([limit, { amount }]) => [limit, amount]);
      const exceptions = Object.fromEntries(entries);
      print(
        await withContext((context) => setExceptions(context, undefined, owner, exceptions)),
        json,
      );
    });

  quotas
    .command('recount')
    .description('count what all owners have anew')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { owners, wrong } = await withContext(recountAll);
      if (json) console.log(JSON.stringify({ owners, wrong }));
      else console.log(`Counted ${owners} owners. ${wrong.length} counts were wrong.`);
    });
}

function readLimit(limit: OwnLimit, text: string): { amount: number | null } {
  const read = readAmount(limit, text);
  if ('problem' in read) throw new InvalidArgumentError(`${read.problem}.`);
  return read;
}

function print(quotas: OwnerQuotas, json: boolean | undefined): void {
  if (json) {
    console.log(JSON.stringify(presentQuotas(quotas)));
    return;
  }
  const { exceptions, usage } = quotas;
  printTable(
    ['LIMIT', 'USED', 'ALLOWED', 'OF ITS OWN'],
    LIMITS.map((limit) => {
      const { used, allowed } = usage[limit];
      const most = allowed === null ? 'none' : amountInWords(limit, allowed);
      const isOwn = limit in exceptions;
      return [limit, amountInWords(limit, used), most, isOwn ? 'yes' : 'no'];
    }),
  );
}
