import type { Command } from 'commander';
import { rotateSigningKey } from '../document/page-service.ts';
import { SIGNED_ADDRESS_LIFETIME } from '../document/signed-address.ts';
import { SWEEP_AFTER_MS, sweepBlobs } from '../file/sweep.ts';
import { readSpan } from './arguments.ts';
import { withContext } from './context.ts';

/** `briefs storage …` and `briefs signing-key …`. */
export function addStorageCommands(program: Command): void {
  const storage = program.command('storage').description('look after stored pages and files');

  storage
    .command('sweep')
    .description('remove stored content that nothing names; the service does so by itself, too')
    .option('--older-than <duration>', 'spare what is younger than this; else 1h', readSpan)
    .action(async ({ olderThan = SWEEP_AFTER_MS }: { olderThan?: number }) => {
      const removed = await withContext((context) => sweepBlobs(context, olderThan));
      console.log(`Removed ${removed} blobs that nothing named.`);
    });

  const signingKey = program
    .command('signing-key')
    .description('look after the key that signs addresses of pages');

  signingKey
    .command('rotate')
    .description('sign with a new key from now on')
    .option(
      '--revoke',
      `end the addresses that the old key signed; else they work up to ${SIGNED_ADDRESS_LIFETIME} more`,
    )
    .action(async ({ revoke = false }: { revoke?: boolean }) => {
      await withContext((context) => rotateSigningKey(context, { revoke }));
      console.log('A new key signs from now on.');
    });
}
