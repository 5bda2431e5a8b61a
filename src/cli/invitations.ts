import type { Command } from 'commander';
import { presentSignUpInvitation } from '../features/accounts/sign-up-invitation-operations.ts';
import {
  createSignUpInvitation,
  listSignUpInvitations,
  revokeSignUpInvitation,
} from '../features/accounts/sign-up-invitation-service.ts';
import { listAll, printTable, withContext } from './context.ts';

/** Adds `briefs invitations …`. */
export function addInvitationCommands(program: Command): void {
  const invitations = program
    .command('invitations')
    .description('invite people to create an account');

  invitations
    .command('create')
    .description('mail an invitation; without SMTP_URL, print only its link')
    .argument('<email>', 'the only address that can use it')
    .action(async (email: string) => {
      const { url } = await withContext((context) =>
        createSignUpInvitation(context, undefined, email),
      );
      // Scripts read the link from standard output.
      if (url !== null) console.log(url);
      else console.error(`Mailed an invitation to ${email}.`);
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
        ['ID', 'EXPIRES', 'EMAIL', 'LINK'],
        shown.map(({ id, expiresAt, email, url }) => [id, expiresAt, email, url]),
      );
    });

  invitations
    .command('revoke')
    .description('end an invitation')
    .argument('<id>', 'an id from "invitations list"')
    .action(async (id: string) => {
      await withContext((context) => revokeSignUpInvitation(context, undefined, id));
      console.log('Revoked the invitation.');
    });
}
