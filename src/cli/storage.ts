import type { Command } from 'commander';
import { ConfigError } from '../base/config-error.ts';
import { readConfig } from '../core/config/read-config.ts';
import { SWEEP_AFTER_MS, sweepBlobs } from '../features/files/sweep.ts';
import { SIGNED_ADDRESS_LIFETIME } from '../features/pages/signed-address.ts';
import { rotateSigningKey } from '../features/pages/signing-key-service.ts';
import { parseDurationArgument } from './arguments.ts';
import { withContext } from './context.ts';

/** Adds `briefs storage …` and `briefs signing-key …`. */
export function addStorageCommands(program: Command): void {
  const storage = program.command('storage').description('manage stored pages and files');

  storage
    .command('sweep')
    .description('remove unused pages and files; the service also does this itself')
    .option(
      '--older-than <duration>',
      'only content older than this (default: 1h)',
      parseDurationArgument,
    )
    .action(async ({ olderThan = SWEEP_AFTER_MS }: { olderThan?: number }) => {
      const removed = await withContext((context) => sweepBlobs(context, olderThan));
      console.log(`Removed ${removed} unused blobs.`);
    });

  storage
    .command('create-bucket')
    .description('create the bucket of BLOB_URL, if it is missing')
    .action(async () => {
      const { blobs } = readConfig(process.env);
      if (!blobs) throw new ConfigError('BLOB_URL: is not set, so pages and files are in DATA_DIR');
      const { createS3Bucket } = await import('../storage/blob/s3.ts');
      const isCreated = await createS3Bucket(blobs);
      console.log(
        isCreated ? `Created the bucket ${blobs.bucket}.` : `The bucket ${blobs.bucket} exists.`,
      );
    });

  const signingKey = program
    .command('signing-key')
    .description('manage the key that signs page addresses');

  signingKey
    .command('rotate')
    .description('create a new signing key')
    .option(
      '--revoke',
      'revoke addresses that old keys signed; otherwise they work for up to ' +
        `${SIGNED_ADDRESS_LIFETIME}`,
    )
    .action(async ({ revoke = false }: { revoke?: boolean }) => {
      await withContext((context) => rotateSigningKey(context, { revoke }));
      console.log('Created a new signing key.');
    });
}
