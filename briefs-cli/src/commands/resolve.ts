import { existsSync, renameSync } from 'node:fs';
import type { Command } from 'commander';
import { Bodies } from '../bodies.ts';
import { hasMarks } from '../conflict.ts';
import { conflictPathOf, findFiles, type LocalFile } from '../files.ts';
import { Links } from '../links.ts';
import { hashOf } from '../memory.ts';
import { CommandError, EXIT } from '../outcome.ts';
import { recallFile } from '../recall-file.ts';
import { beginRun, type CommonFlags, eachFile } from '../run.ts';
import { isLinked, pushLinked, readLinked } from '../transfer.ts';
import { MESSAGE } from './options.ts';

/** Adds resolve. */
export function addResolve(program: Command): void {
  program
    .command('resolve')
    .description('replace a file by its edited conflict file, and push it')
    .argument('<file>', 'the file, not the one that shows the conflict')
    .option('--discard', 'replace the file even if it was changed since the conflict', false)
    .addOption(MESSAGE)
    .action(async (path: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & { discard: boolean; message?: string }>();
      const { files } = findFiles([path]);
      const [file] = files;
      if (!file || files.length > 1) throw new CommandError('Name one file.', EXIT.usage);
      const links = Links.around({ files, skipped: [], ignored: [] });
      const run = beginRun(flags, links, new Bodies([path]));
      await eachFile(run, [file], async () => {
        replaceByConflict(file, flags.discard);
        const read = readLinked(run, file);
        if (isLinked(read)) return pushLinked(run, read);
        throw new CommandError('its line is missing, so nothing was sent.');
      });
      run.output.end();
    });
}

/** @throws CommandError if the conflict isn't resolved, or the file has newer changes */
function replaceByConflict(file: LocalFile, discards: boolean): void {
  const path = conflictPathOf(file.path);
  if (!existsSync(path)) throw new CommandError('there is no conflict to resolve.');
  const { text, memory } = recallFile({ ...file, path });
  const shown = conflictPathOf(file.shown);
  if (hasMarks(text)) {
    throw new CommandError(`${shown} still has conflict marks. Resolve them first.`);
  }
  const { whole } = recallFile(file);
  const replaces = memory?.replaces;
  if (!discards && replaces !== undefined && replaces !== hashOf(whole)) {
    throw new CommandError(
      `it was changed after ${shown} was written. Copy the changes to ${shown}, then use ` +
        '--discard.',
    );
  }
  renameSync(path, file.path);
}
