import type { Command } from 'commander';
import { rotateAuthorizationKeys } from '../authorization/key-service.ts';
import { withContext } from './context.ts';

/** `briefs authorization-keys …`. */
export function addAuthorizationKeyCommands(program: Command): void {
  program
    .command('authorization-keys')
    .description('look after the keys of the authorization server')
    .command('rotate')
    .description('make new keys, which each process uses from its next start on')
    .action(async () => {
      await withContext((context) => rotateAuthorizationKeys(context));
      console.log('New keys are used from the next start on; those before them stay valid.');
    });
}
