import { type Command, InvalidArgumentError } from 'commander';
import { amountInWords, LIMITS, type Limit } from '../core/quota/quota.ts';
import { readAmount } from '../features/quotas/amount.ts';
import {
  getOwnerQuotas,
  listExceptions,
  type OwnerQuotas,
  recountAll,
  setExceptions,
} from '../features/quotas/quota-admin-service.ts';
import { presentExcepted } from '../features/quotas/quota-schema.ts';
import { AS_JSON, type JsonOption, printJson, printTable, withContext } from './context.ts';

type SetOptions = Partial<Record<Limit, { amount: number | null }>> & { json?: boolean };

/** Adds `briefs quotas …`. */
export function addQuotaCommands(program: Command): void {
  const quotas = program
    .command('quotas')
    .description('show and change what users and organizations may have');

  quotas
    .command('list')
    .description('list the users and organizations that have limits of their own')
    .option('--json', AS_JSON)
    .action(async ({ json }: JsonOption) => {
      const all = await withContext((context) => listExceptions(context, undefined));
      if (json) return printJson(all.map(presentExcepted));
      printTable(
        ['OWNER', 'LIMIT', 'ALLOWED'],
        all.flatMap(({ owner, exceptions }) =>
          LIMITS.flatMap((limit) => {
            const amount = exceptions[limit];
            if (amount === undefined) return [];
            return [[owner, limit, amount === null ? 'none' : amountInWords(limit, amount)]];
          }),
        ),
      );
    });

  quotas
    .command('show')
    .description('print what an owner has and may have')
    .argument('<owner>', 'a username or an organization’s namespace')
    .option('--json', 'print JSON')
    .action(async (owner: string, { json }: { json?: boolean }) => {
      print(await withContext((context) => getOwnerQuotas(context, undefined, owner)), json);
    });

  const set = quotas
    .command('set')
    .description('give an owner limits of its own; those that aren’t named stay')
    .argument('<owner>', 'a username or an organization’s namespace');
  const options: Record<Limit, string> = {
    documents: '--documents <number>',
    bytes: '--bytes <size>',
    tokens: '--tokens <number>',
    webhooks: '--webhooks <number>',
    documentsPerDay: '--documents-per-day <number>',
    organizations: '--organizations <number>',
  };
  for (const limit of LIMITS) {
    const example = limit === 'bytes' ? 'such as 5GB, or none' : 'or none';
    set.option(options[limit], example, (text: string) => readLimit(limit, text));
  }
  set.option('--json', 'print JSON').action(async (owner: string, given: SetOptions) => {
    const { json, ...limits } = given;
    const changed = await withContext(async (context) => {
      const { exceptions } = await getOwnerQuotas(context, undefined, owner);
      const entries = Object.entries(limits).map(([limit, { amount }]) => [limit, amount]);
      const after = { ...exceptions, ...Object.fromEntries(entries) };
      return setExceptions(context, undefined, owner, after);
    });
    print(changed, json);
  });

  quotas
    .command('unset')
    .description('remove an owner’s own limits')
    .argument('<owner>', 'a username or an organization’s namespace')
    .option('--json', 'print JSON')
    .action(async (owner: string, { json }: { json?: boolean }) => {
      print(await withContext((context) => setExceptions(context, undefined, owner, {})), json);
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

function readLimit(limit: Limit, text: string): { amount: number | null } {
  const read = readAmount(limit, text);
  if ('problem' in read) throw new InvalidArgumentError(`${read.problem}.`);
  return read;
}

function print({ owner, exceptions, usage }: OwnerQuotas, json: boolean | undefined): void {
  if (json) {
    console.log(JSON.stringify({ owner, limits: exceptions, usage }));
    return;
  }
  printTable(
    ['LIMIT', 'USED', 'ALLOWED', 'OF ITS OWN'],
    LIMITS.map((limit) => {
      const { used, allowed } = usage[limit];
      const most = allowed === null ? 'none' : amountInWords(limit, allowed);
      const isOwn = exceptions[limit] !== undefined;
      return [limit, amountInWords(limit, used), most, isOwn ? 'yes' : 'no'];
    }),
  );
}
