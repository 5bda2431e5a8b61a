import type { Command } from 'commander';
import { rotateAuthorizationKeys } from '../core/identity/key-service.ts';
import { withContext } from './context.ts';

/** Adds `briefs authorization-keys …`. */
export function addAuthorizationKeyCommands(program: Command): void {
  program
    .command('authorization-keys')
    .description('manage the keys of the authorization server')
    .command('rotate')
    .description('create new keys, which each process uses after its next start')
    .action(async () => {
      await withContext((context) => rotateAuthorizationKeys(context));
      console.log(
        'Created new keys. Restart the service to use them. The previous keys stay valid.',
      );
    });
}
