import type { Command } from 'commander';
import { deleteUser, describeUserDeletion } from '../account/account-deletion-service.ts';
import { createAccount, listAllAccounts, setAccountDisabled } from '../account/account-service.ts';
import { hashNewPassword, setPassword } from '../account/password-service.ts';
import { unlockAccount } from '../account/sign-in-service.ts';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { dataLocation } from '../runtime/data-location.ts';
import { printTable, withContext, withCounters } from './context.ts';
import { readPassword } from './password.ts';

interface CreateOptions {
  email: string;
  passwordStdin?: boolean;
  reuseName?: boolean;
}

/** `briefs users …`. */
export function addUserCommands(program: Command): void {
  const users = program.command('users').description('make, list and lock out user accounts');

  users
    .command('create')
    .description('make an account')
    .argument('<username>', '1 to 39 letters a-z, digits and single hyphens between them')
    .requiredOption('--email <email>', 'the user’s email address (required)')
    .option('--password-stdin', 'read a password for signing in from standard input')
    .option('--reuse-name', 'take the name of a user or organization deleted in the last 90 days')
    .action(async (username: string, { email, passwordStdin, reuseName }: CreateOptions) => {
      const password = passwordStdin ? await readPassword() : undefined;
      const create = async (context: Context) => {
        const hash = password && (await hashNewPassword(password, { username, email }));
        return createAccount(context, {
          ...{ username, email, passwordHash: hash ?? null },
          ...{ reuseName: reuseName ?? false },
        });
      };
      const account = await withContext(create, { create: true });
      const place = dataLocation(readConfig(process.env));
      console.log(`Made the account ${account.username} (${account.id}) in ${place}.`);
    });

  users
    .command('set-password')
    .description(
      'set the password that a user signs in with; end all their sessions and connected applications',
    )
    .argument('<username>')
    .option(
      '--password-stdin',
      'read it from standard input, as it does in any case; a terminal is asked',
    )
    .action(async (username: string) => {
      const password = await readPassword();
      await withContext((context) => setPassword(context, username, password));
      console.log(
        `The password of ${username} is set. All sessions and connected applications are ended; ` +
          'tokens made by hand stay as they are.',
      );
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

  users
    .command('unlock')
    .description('let a user sign in again after too many failed attempts with the user’s name')
    .argument('<username>')
    .action(async (username: string) => {
      const unlocked = await withCounters((context) => unlockAccount(context, username));
      console.log(`Failed sign-ins as ${unlocked} are forgotten.`);
    });

  users
    .command('delete')
    .description('delete an account with all its documents and files, for good')
    .argument('<username>')
    .option('--yes', 'do it; else only say what would go')
    .action(async (username: string, { yes = false }: { yes?: boolean }) => {
      const going = await withContext(async (context) => {
        const described = await describeUserDeletion(context, username);
        if (yes) await deleteUser(context, username);
        return described;
      });
      const counts = ['briefs', 'pages', 'files', 'tokens', 'applications'] as const;
      printTable(
        ['WHAT', 'HOW MANY'],
        counts.map((what) => [what, String(going[what])]),
      );
      if (going.lastAdminOf.length > 0) {
        console.log(
          `It is the last admin of ${going.lastAdminOf.join(', ')}, so it cannot go yet: ` +
            'somebody else has to be made an admin there first, or the organization deleted.',
        );
        return;
      }
      console.log(
        yes
          ? `The account ${username} is deleted.`
          : 'Nothing is deleted; --yes deletes all of it.',
      );
    });
}
