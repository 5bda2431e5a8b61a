import type { Command } from 'commander';
import { VIA_WEB } from '../base/schema/means.ts';
import { callOf } from '../core/context.ts';
import { resolveReach } from '../core/document/reach-service.ts';
import { requireAccount } from '../core/identity/account-service.ts';
import type { Scope } from '../core/identity/scope.ts';
import { createToken, listAccountTokens, revokeToken } from '../core/identity/token-service.ts';
import { parseDurationArgument, parseScopesArgument } from './arguments.ts';
import { AS_JSON, type JsonOption, printJson, printTable, withContext } from './context.ts';

interface TokenOptions {
  name: string;
  expires?: number;
  scopes?: Scope[];
  only?: string;
}

/** Adds `briefs tokens …`. */
export function addTokenCommands(program: Command): void {
  const tokens = program.command('tokens').description('create, list and revoke access tokens');

  tokens
    .command('create')
    .description('create a personal access token and print only the token; it is not shown again')
    .argument('<username>')
    .option('--name <name>', 'what it is for', 'command line')
    .option(
      '--expires <duration>',
      'lifetime, such as 90d or 12h (default: never expires)',
      parseDurationArgument,
    )
    .option(
      '--scopes <scopes>',
      'what it can access, separated by commas (default: everything but admin)',
      parseScopesArgument,
    )
    .option(
      '--only <documents>',
      'limit it to documents, such as ada/plan, or all of an owner, such as ada, separated by commas',
    )
    .action(async (username: string, options: TokenOptions) => {
      const { name, expires: lifetimeMs, scopes, only = '' } = options;
      const { token } = await withContext(async (context) => {
        const { id } = await requireAccount(context.sql.read, username);
        const person = { id, username: username.toLowerCase(), scopes: [], via: VIA_WEB };
        const reach = await resolveReach(callOf(context, person), only);
        return createToken(context, {
          username,
          name,
          lifetimeMs,
          reach,
          ...(scopes && { scopes }),
        });
      });
      console.log(token);
    });

  tokens
    .command('list')
    .description('list a user’s tokens, newest first')
    .argument('<username>')
    .option('--json', AS_JSON)
    .action(async (username: string, { json }: JsonOption) => {
      const rows = await withContext((context) => listAccountTokens(context, username));
      if (json) return printJson(rows);
      printTable(
        ['ID', 'NAME', 'CREATED', 'EXPIRES', 'LAST USED', 'REVOKED', 'SCOPES'],
        rows.map(({ id, name, createdAt, expiresAt, lastUsedAt, revokedAt, scopes, reach }) => [
          id,
          name,
          createdAt,
          expiresAt,
          lastUsedAt,
          revokedAt,
          (scopes ?? 'all') + (reach === null ? '' : ' (limited)'),
        ]),
      );
    });

  tokens
    .command('revoke')
    .description('revoke a token immediately and permanently')
    .argument('<id>', 'an id from "tokens list"')
    .action(async (id: string) => {
      await withContext((context) => revokeToken(context, id));
      console.log('Revoked the token.');
    });
}
