import type { Command } from 'commander';
import type { Scope } from '../account/scope.ts';
import { createToken, listAccountTokens, revokeToken } from '../account/token-service.ts';
import { readScopes, readSpan } from './arguments.ts';
import { printTable, withContext } from './context.ts';

interface TokenOptions {
  name: string;
  expires?: number;
  scopes?: Scope[];
}

/** `briefs tokens …`. */
export function addTokenCommands(program: Command): void {
  const tokens = program.command('tokens').description('make, list and revoke access tokens');

  tokens
    .command('create')
    .description('make a personal access token and print it, once, alone on standard output')
    .argument('<username>')
    .option('--name <name>', 'what it is for', 'command line')
    .option(
      '--expires <duration>',
      'how long it works, such as 90d or 12h; else for good',
      readSpan,
    )
    .option('--scopes <scopes>', 'what it may be used for, by commas; else everything', readScopes)
    .action(async (username: string, options: TokenOptions) => {
      const { name, expires: lifetimeMs, scopes } = options;
      const { token } = await withContext((context) =>
        createToken(context, { username, name, lifetimeMs, ...(scopes && { scopes }) }),
      );
      console.log(token);
    });

  tokens
    .command('list')
    .description('list a user’s tokens, newest first')
    .argument('<username>')
    .action(async (username: string) => {
      const rows = await withContext((context) => listAccountTokens(context, username));
      printTable(
        ['ID', 'NAME', 'CREATED', 'EXPIRES', 'LAST USED', 'REVOKED', 'SCOPES'],
        rows.map(({ id, name, createdAt, expiresAt, lastUsedAt, revokedAt, scopes }) => [
          ...[id, name, createdAt],
          ...[expiresAt, lastUsedAt, revokedAt, scopes ?? 'all'],
        ]),
      );
    });

  tokens
    .command('revoke')
    .description('make a token stop working, at once and for good')
    .argument('<id>', 'as "tokens list" shows it')
    .action(async (id: string) => {
      await withContext((context) => revokeToken(context, id));
      console.log('The token is revoked.');
    });
}
