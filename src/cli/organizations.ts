import type { Command } from 'commander';
import { deleteOrganization } from '../core/owner/organization-service.ts';
import {
  presentOrganization,
  presentOrganizationDetails,
} from '../features/administration/administration-schema.ts';
import {
  appointOrganizationAdmin,
  describeOrganization,
  listOrganizations,
} from '../features/administration/organizations-service.ts';
import {
  AS_JSON,
  type JsonOption,
  listAll,
  printJson,
  printTable,
  withContext,
} from './context.ts';

/** Adds `briefs organizations …`. */
export function addOrganizationCommands(program: Command): void {
  const organizations = program
    .command('organizations')
    .description('list organizations, and give one an admin');

  organizations
    .command('list')
    .description('list all organizations, newest first')
    .option('--json', AS_JSON)
    .action(async ({ json }: JsonOption) => {
      const found = await withContext((context) =>
        listAll((page) => listOrganizations(context, undefined, {}, page)),
      );
      const all = found.map(presentOrganization);
      if (json) return printJson(all);
      printTable(
        ['ORGANIZATION', 'NAME', 'CREATED', 'MEMBERS', 'ADMINS', 'DOCUMENTS', 'BYTES'],
        all.map(({ namespace, name, createdAt, members, admins, usage }) => [
          namespace,
          name,
          createdAt,
          String(members),
          String(admins),
          String(usage.documents),
          String(usage.totalBytes),
        ]),
      );
    });

  organizations
    .command('show')
    .description('show an organization with its members, admins first, at most 50')
    .argument('<organization>')
    .option('--json', AS_JSON)
    .action(async (org: string, { json }: JsonOption) => {
      const shown = presentOrganizationDetails(
        await withContext((context) => describeOrganization(context, undefined, org)),
      );
      if (json) return printJson(shown);
      printTable(
        ['MEMBER', 'ROLE', 'JOINED', 'DISABLED'],
        shown.people.map(({ username, role, joinedAt, disabledAt }) => [
          username,
          role,
          joinedAt,
          disabledAt,
        ]),
      );
    });

  organizations
    .command('delete')
    .description('permanently delete an organization with all its documents; its admins are told')
    .argument('<organization>')
    .option('--yes', 'delete; without it, only show what would be deleted')
    .action(async (org: string, { yes = false }: { yes?: boolean }) => {
      const { namespace, usage, members } = await withContext(async (context) => {
        const described = await describeOrganization(context, undefined, org);
        if (yes) await deleteOrganization(context, undefined, org);
        return presentOrganizationDetails(described);
      });
      printTable(
        ['WHAT', 'HOW MANY'],
        [
          ['documents', String(usage.documents)],
          ['bytes', String(usage.totalBytes)],
          ['memberships', String(members)],
        ],
      );
      console.log(
        yes
          ? `Deleted the organization ${namespace}.`
          : 'Nothing was deleted. Use --yes to delete all of it.',
      );
    });

  organizations
    .command('set-admin')
    .description('make a user, a member or not, an admin of an organization')
    .argument('<organization>')
    .argument('<username>')
    .option('--json', 'print the organization as JSON')
    .action(async (org: string, username: string, { json }: JsonOption) => {
      const shown = await withContext(async (context) => {
        await appointOrganizationAdmin(context, undefined, org, username);
        return describeOrganization(context, undefined, org);
      });
      if (json) return printJson(presentOrganizationDetails(shown));
      console.log(`${username} is an admin of ${shown.namespace}.`);
    });
}
