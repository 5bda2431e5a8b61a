import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { dataLocation } from '../core/config/data-location.ts';
import { readConfig } from '../core/config/read-config.ts';
import type { Context } from '../core/context.ts';
import { createAccount, setAccountDisabled } from '../core/identity/account-service.ts';
import { setAdmin } from '../core/identity/admin.ts';
import { describeUserDeletion } from '../features/accounts/account-deletion-service.ts';
import { hashNewPassword, setPassword } from '../features/accounts/password-service.ts';
import { personalData } from '../features/accounts/personal-data-service.ts';
import { resetLink } from '../features/accounts/reset-service.ts';
import { unlockAccount } from '../features/accounts/sign-in-service.ts';
import { presentListed, presentPerson } from '../features/administration/administration-schema.ts';
import { getPerson, listPeople } from '../features/administration/people-service.ts';
import { PEOPLE_FILTERS, type PeopleFilter } from '../features/administration/people-store.ts';
import {
  changePerson,
  deletePerson,
  endSessionsOf,
} from '../features/administration/person-service.ts';
import { unlinkPerson } from '../features/factors/provider-service.ts';
import { resetSecondFactor } from '../features/factors/reset-factor-service.ts';
import { handOver } from '../features/moves/hand-over-service.ts';
import {
  AS_JSON,
  type JsonOption,
  listAll,
  printJson,
  printTable,
  withContext,
  withCounters,
} from './context.ts';
import { readPassword } from './password.ts';

interface CreateOptions {
  email: string;
  passwordStdin?: boolean;
  reuseName?: boolean;
}

/** Adds `briefs users …`. */
export function addUserCommands(program: Command): void {
  const users = program
    .command('users')
    .description('create, list, disable and delete user accounts');

  users
    .command('create')
    .description('create an account')
    .argument('<username>', 'up to 39 letters a-z, digits or single hyphens')
    .requiredOption('--email <email>', 'the user’s email address (required)')
    .option('--password-stdin', 'read a password for signing in from standard input')
    .option('--reuse-name', 'take a name that is still reserved after its owner was deleted')
    .action(async (username: string, { email, passwordStdin, reuseName }: CreateOptions) => {
      const password = passwordStdin ? await readPassword() : undefined;
      const create = async (context: Context) => {
        const hash = password && (await hashNewPassword(context, password, { username, email }));
        return createAccount(context, {
          username,
          email,
          passwordHash: hash ?? null,
          reuseName: reuseName ?? false,
        });
      };
      const account = await withContext(create, { create: true });
      const location = dataLocation(readConfig(process.env));
      console.log(`Created the account ${account.username} (${account.id}) in ${location}.`);
      if (account.adminSince !== null) {
        console.log(`${account.username} is an administrator (FIRST_ACCOUNT=admin).`);
      }
      if (password === undefined) {
        console.log(`To sign in, ${account.username} needs a password: briefs users reset-link.`);
      }
    });

  users
    .command('set-password')
    .description('set a user’s password; ends all their sessions and disconnects all applications')
    .argument('<username>')
    .option(
      '--password-stdin',
      'has no effect: the password is always read from standard input or the terminal',
    )
    .action(async (username: string) => {
      const password = await readPassword();
      await withContext((context) => setPassword(context, username, password));
      console.log(
        `Set the password of ${username}. All sessions ended and all applications were ` +
          'disconnected. Personal access tokens still work.',
      );
    });

  users
    .command('reset-link')
    .description('print a link with which a user sets a new password, once, within a day')
    .argument('<username>')
    .action(async (username: string) => {
      console.log(await withContext((context) => resetLink(context, username)));
    });

  users
    .command('list')
    .description('list all accounts, newest first')
    .addOption(
      new Option('--filter <filter>', 'which accounts').choices(PEOPLE_FILTERS).default('all'),
    )
    .option('--json', AS_JSON)
    .action(async ({ filter, json }: JsonOption & { filter: PeopleFilter }) => {
      const found = await withContext((context) =>
        listAll((page) => listPeople(context, undefined, { filter }, page)),
      );
      const all = found.map(presentListed);
      if (json) return printJson(all);
      printTable(
        [
          'USERNAME',
          'EMAIL',
          'VERIFIED',
          'ADMIN',
          'CREATED',
          'LAST SIGN-IN',
          'DISABLED',
          'DOCUMENTS',
          'BYTES',
          'ID',
        ],
        all.map((one) => [
          one.username,
          one.email,
          one.emailVerifiedAt === null ? 'no' : 'yes',
          one.adminSince === null ? 'no' : 'yes',
          one.createdAt,
          one.lastSignInAt,
          one.disabledAt,
          String(one.usage.documents),
          String(one.usage.totalBytes),
          one.id,
        ]),
      );
    });

  users
    .command('show')
    .description('show an account with what it stores; names of documents, no texts')
    .argument('<username>')
    .option('--json', AS_JSON)
    .action(async (username: string, { json }: JsonOption) => {
      const person = presentPerson(
        await withContext((context) => getPerson(context, undefined, username)),
      );
      if (json) return printJson(person);
      printTable(
        ['WHAT', 'VALUE'],
        [
          ['username', person.username],
          ['email', person.email],
          ['email verified', person.emailVerifiedAt],
          ['created', person.createdAt],
          ['last sign-in', person.lastSignInAt],
          ['admin since', person.adminSince],
          ['disabled', person.disabledAt],
          ['sessions', String(person.sessions)],
          ['tokens', String(person.tokens.length)],
          ['applications', String(person.applications.length)],
          [
            'organizations',
            person.memberships.map(({ namespace }) => namespace).join(', ') || null,
          ],
          ['documents', String(person.usage.documents)],
          ['bytes', String(person.usage.totalBytes)],
          ['id', person.id],
        ],
      );
    });

  users
    .command('rename')
    .description('change a username; addresses of the user’s documents change with it')
    .argument('<username>')
    .argument('<new-username>')
    .action(async (username: string, to: string) => {
      const renamed = await withContext((context) =>
        changePerson(context, undefined, username, { username: to }),
      );
      console.log(`${username} is ${renamed.username} now.`);
    });

  users
    .command('set-email')
    .description('change a user’s email address')
    .argument('<username>')
    .argument('<email>')
    .option('--verified', 'count the address as verified, without a mail')
    .action(async (username: string, email: string, { verified }: { verified?: true }) => {
      const changed = await withContext((context) =>
        changePerson(context, undefined, username, { email, emailVerified: verified }),
      );
      console.log(`The address of ${changed.username} is ${changed.email}.`);
    });

  users
    .command('end-sessions')
    .description('sign a user out in every browser')
    .argument('<username>')
    .action(async (username: string) => {
      await withContext((context) => endSessionsOf(context, undefined, username));
      console.log(`Ended all sessions of ${username}.`);
    });

  const states = [
    ['disable', true, 'disable an account: its tokens stop working immediately'],
    ['enable', false, 'enable a disabled account'],
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
        if (disabled) {
          console.log(
            `It keeps its documents: briefs users hand-over ${account.username} --to … gives them ` +
              'to somebody else.',
          );
        }
      });
  }

  users
    .command('hand-over')
    .description('give a user’s documents to another user or an organization; shows no texts')
    .argument('<username>')
    .argument('[documents...]', 'ids, or names: plan, pages/dice; without any, all')
    .requiredOption('--to <owner>', 'a username, or the namespace of an organization (required)')
    .action(async (username: string, documents: string[], { to }: { to: string }) => {
      const which = documents.length > 0 ? { to, documents } : { to };
      const number = await withContext((context) => handOver(context, undefined, username, which));
      console.log(`Handed over to ${to}: ${number} of the documents of ${username}.`);
    });

  users
    .command('set-admin')
    .description('make a user an administrator of the instance')
    .argument('<username>')
    .option('--remove', 'make them no longer one')
    .action(async (username: string, { remove = false }: { remove?: boolean }) => {
      const account = await withContext((context) =>
        setAdmin(context, undefined, { username, isAdmin: !remove }),
      );
      console.log(
        remove
          ? `${account.username} is no longer an administrator.`
          : `${account.username} is an administrator.`,
      );
    });

  users
    .command('reset-second-factor')
    .description(
      'remove all passkeys and one-time codes of a user who has lost them; ends all sessions',
    )
    .argument('<username>')
    .action(async (name: string) => {
      const username = await withContext((context) => resetSecondFactor(context, undefined, name));
      console.log(
        `Removed the second factor of ${username}. All sessions ended. The password still works.`,
      );
    });

  users
    .command('unlink')
    .description('remove the link of a user to a sign-in at the OpenID provider; ends all sessions')
    .argument('<username>')
    .action(async (name: string) => {
      const provider = readConfig(process.env).upstream?.name ?? 'the provider';
      const username = await withContext((context) =>
        unlinkPerson(context, undefined, name, provider),
      );
      console.log(`${username} is linked to no sign-in at the provider now. All sessions ended.`);
    });

  users
    .command('export')
    .description('print everything that is stored about a user, as JSON; documents are not in it')
    .argument('<username>')
    .action(async (username: string) => {
      await withContext(async (context) => {
        await pipeline(await personalData(context, username), process.stdout, { end: false });
      });
    });

  users
    .command('unlock')
    .description('let a user sign in again after too many failed attempts')
    .argument('<username>')
    .action(async (username: string) => {
      const unlocked = await withCounters((context) => unlockAccount(context, username));
      console.log(`Reset the failed sign-ins of ${unlocked}.`);
    });

  users
    .command('delete')
    .description('permanently delete an account with all its documents and files')
    .argument('<username>')
    .option('--yes', 'delete; without it, only show what would be deleted')
    .option(
      '--hand-over-to <owner>',
      'give the documents, with the files, to this user or organization',
    )
    .action(async (username: string, options: { yes?: true; handOverTo?: string }) => {
      const { yes = false, handOverTo: to } = options;
      const documents = to === undefined ? 'delete' : { to };
      const going = await withContext(async (context) => {
        const described = await describeUserDeletion(context, username);
        if (yes) await deletePerson(context, undefined, username, { documents });
        return described;
      });
      const counts = {
        briefs: going.briefs,
        pages: going.pages,
        'in the trash': going.trashed,
        'taken down': going.takenDown,
        files: going.files,
        tokens: going.tokens,
        applications: going.applications,
      };
      printTable(
        ['WHAT', 'HOW MANY'],
        Object.entries(counts).map(([what, number]) => [what, String(number)]),
      );
      if (going.lastAdminOf.length > 0) {
        console.log(
          `${username} is the last admin of ${going.lastAdminOf.join(', ')}, so it can't be ` +
            'deleted. Make someone else an admin, or delete the organization.',
        );
        return;
      }
      console.log(
        yes
          ? `Deleted the account ${username}.`
          : 'Nothing was deleted. Use --yes to delete all of it; with --hand-over-to, somebody else gets ' +
              'the documents and files, but not what is in the trash or taken down.',
      );
    });
}
