import { type Command, InvalidArgumentError } from 'commander';
import { takeFileAway } from '../features/files/file-service.ts';
import { withContext } from './context.ts';

/** Adds `briefs files …`. */
export function addFileCommands(program: Command): void {
  program
    .command('files')
    .description('delete uploaded files of others')
    .command('delete')
    .description(
      'delete an uploaded file for good, wherever it is shown; its owner sees the reason',
    )
    .argument('<address>', 'the address of the file: https://…/files/…', parseAddress)
    .requiredOption('--reason <text>', 'why, for its owner (required)')
    .action(async (address: string, { reason }: { reason: string }) => {
      const { name, owner } = await withContext((context) =>
        takeFileAway(context, address, { reason }),
      );
      console.log(`Deleted the file ${name} of ${owner}.`);
    });
}

/** Returns the secret part of a file's address. */
function parseAddress(text: string): string {
  const [, address] = /(?:^|\/files\/)([\w-]{20,})(?:\/[^/]*)?$/.exec(text) ?? [];
  if (address !== undefined) return address;
  throw new InvalidArgumentError('must be the address of a file, such as https://…/files/….');
}
