import type { Command } from 'commander';
import { createToken, listAccountTokens, revokeToken } from '../account/token-service.ts';
import { readSpan } from './arguments.ts';
import { printTable, withContext } from './context.ts';

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
    .action(async (username: string, options: { name: string; expires?: number }) => {
      const { token } = await withContext((context) =>
        createToken(context, { username, name: options.name, lifetimeMs: options.expires }),
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
        ['ID', 'NAME', 'CREATED', 'EXPIRES', 'LAST USED', 'REVOKED'],
        rows.map(({ id, name, createdAt, expiresAt, lastUsedAt, revokedAt }) => [
          ...[id, name, createdAt],
          ...[expiresAt, lastUsedAt, revokedAt],
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
