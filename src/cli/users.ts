import type { Command } from 'commander';
import { createAccount, listAllAccounts, setAccountDisabled } from '../account/account-service.ts';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { printTable, withContext } from './context.ts';

/** `briefs users …`. */
export function addUserCommands(program: Command): void {
  const users = program.command('users').description('make, list and lock out user accounts');

  users
    .command('create')
    .description('make an account')
    .argument('<username>', '1 to 39 letters a-z, digits and single hyphens between them')
    .requiredOption('--email <email>', 'the user’s email address (required)')
    .action(async (username: string, { email }: { email: string }) => {
      const create = (context: Context) => createAccount(context, { username, email });
      const account = await withContext(create, { create: true });
      const { dataDir } = readConfig(process.env);
      console.log(`Made the account ${account.username} (${account.id}) in ${dataDir}.`);
    });

  users
    .command('list')
    .description('list all accounts, newest first')
    .action(async () => {
      const accounts = await withContext(listAllAccounts);
      printTable(
        ['USERNAME', 'EMAIL', 'CREATED', 'DISABLED', 'ID'],
        accounts.map(({ username, email, createdAt, disabledAt, id }) => [
          ...[username, email, createdAt],
          ...[disabledAt, id],
        ]),
      );
    });

  const states = [
    ['disable', true, 'lock an account out: its tokens stop working at once'],
    ['enable', false, 'let a disabled account in again'],
  ] as const;
  for (const [name, disabled, description] of states) {
    users
      .command(name)
      .description(description)
      .argument('<username>')
      .action(async (username: string) => {
        const account = await withContext((context) =>
          setAccountDisabled(context, username, disabled),
        );
        console.log(`The account ${account.username} is ${name}d.`);
      });
  }
}
