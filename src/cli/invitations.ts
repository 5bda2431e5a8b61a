import { type Command, InvalidArgumentError } from 'commander';
import { presentSignUpInvitation } from '../features/accounts/sign-up-invitation-operations.ts';
import {
  createSignUpInvitation,
  listSignUpInvitations,
  revokeSignUpInvitation,
} from '../features/accounts/sign-up-invitation-service.ts';
import { listAll, printTable, withContext } from './context.ts';

interface CreateOptions {
  uses?: number;
  days?: number;
  email?: string;
  note?: string;
}

/** Adds `briefs invitations …`. */
export function addInvitationCommands(program: Command): void {
  const invitations = program
    .command('invitations')
    .description('invite people to create an account');

  invitations
    .command('create')
    .description('create an invitation and print only its link; a mailed one prints nothing')
    .option('--uses <count>', 'how many accounts can be created with it (default: 1)', wholeNumber)
    .option('--days <days>', 'for how many days it works (default: 7)', wholeNumber)
    .option('--email <email>', 'the only address that can use it; it is mailed there with SMTP_URL')
    .option('--note <note>', 'what it is for')
    .action(async ({ uses, days: expiresIn, email, note }: CreateOptions) => {
      const input = { uses, expiresIn, email, note };
      const { url } = await withContext((context) =>
        createSignUpInvitation(context, undefined, input),
      );
      if (url !== null) console.log(url);
    });

  invitations
    .command('list')
    .description('list the invitations that can still be used, newest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const rows = await withContext((context) =>
        listAll((page) => listSignUpInvitations(context, undefined, page)),
      );
      const shown = rows.map(presentSignUpInvitation);
      if (json) {
        console.log(JSON.stringify(shown, null, 2));
        return;
      }
      printTable(
        ['ID', 'USED', 'EXPIRES', 'EMAIL', 'NOTE', 'LINK'],
        shown.map(({ id, used, uses, expiresAt, email, note, url }) => [
          id,
          `${used}/${uses}`,
          expiresAt,
          email,
          note || null,
          url,
        ]),
      );
    });

  invitations
    .command('revoke')
    .description('end an invitation; accounts that were created with it stay')
    .argument('<id>', 'an id from "invitations list"')
    .action(async (id: string) => {
      await withContext((context) => revokeSignUpInvitation(context, undefined, id));
      console.log('Revoked the invitation.');
    });
}

function wholeNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('must be a whole number.');
}
