import { realpathSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { Bodies } from '../bodies.ts';
import { Deletions } from '../deletions.ts';
import { findFiles, type LocalFile } from '../files.ts';
import { Links } from '../links.ts';
import { CommandError, EXIT, type Result } from '../outcome.ts';
import { publish } from '../publish.ts';
import { pullOwner } from '../pull.ts';
import { begin, beginRun, type CommonFlags, each, eachFile, type Run } from '../run.ts';
import { settle } from '../settle.ts';
import { DocumentGone, isLinked, readLinked, refuseCopy, syncLinked } from '../transfer.ts';
import { watch } from '../watch.ts';
import { DRY_RUN, EXCLUDE, MESSAGE, NEW_VISIBILITY } from './options.ts';
import { expectedNames, pathOfNew, skippedResult } from './push.ts';

interface SyncFlags extends CommonFlags {
  with?: string;
  visibility: string;
  message?: string;
  exclude: string[];
  delete?: boolean;
  watch?: boolean;
  dryRun?: boolean;
}

/** Adds sync and status. */
export function addSync(program: Command): void {
  program
    .command('sync')
    .description('push local changes, pull remote ones, and merge files that changed on both sides')
    .argument('<path...>', 'files or folders')
    .option('--with <owner>', 'also download this owner’s other documents to the folder')
    .addOption(NEW_VISIBILITY)
    .addOption(MESSAGE)
    .addOption(EXCLUDE)
    .option('--delete', 'also follow deletions in the folder, to the trash of either side')
    .option('--watch', 'sync again after every change here or on the server')
    .addOption(DRY_RUN)
    .action(async (paths: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<SyncFlags>();
      if (flags.watch && flags.dryRun) {
        throw new CommandError('--watch doesn’t go with --dry-run.', EXIT.usage);
      }
      if (!flags.watch) {
        await sync(paths, flags);
        return;
      }
      // Wrong paths end the command at the beginning only: an editor may replace a file.
      findFiles(paths, flags.exclude);
      const { servers, output } = begin(flags);
      const open = () => servers.at(undefined);
      const notice = (text: string) => output.notice(text);
      await watch({ paths, open, act: () => sync(paths, flags), notice });
    });

  program
    .command('status')
    .description('say what sync would do, and change nothing')
    .argument('[path...]', 'files or folders; by default this folder', ['.'])
    .option('--with <owner>', 'as for sync')
    .option('--delete', 'as for sync')
    .addOption(EXCLUDE)
    .action(async (paths: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<SyncFlags>();
      await sync(paths, { ...flags, visibility: 'private', dryRun: true });
    });
}

async function sync(paths: readonly string[], flags: SyncFlags): Promise<readonly Result[]> {
  const { with: owner, exclude } = flags;
  const [shown = '', ...others] = paths;
  const isFolder = statSync(shown, { throwIfNoEntry: false })?.isDirectory();
  if ((owner !== undefined || flags.delete) && (others.length > 0 || !isFolder)) {
    const option = owner === undefined ? '--delete' : '--with';
    throw new CommandError(`${option} needs one folder.`, EXIT.usage);
  }
  const found = findFiles(paths, exclude);
  const { files, skipped } = found;
  const expected = expectedNames(files, paths, { to: undefined, prefix: '' });
  const run = beginRun(flags, Links.around(found), new Bodies(paths, undefined, expected));
  const deletions = flags.delete ? new Deletions(run, realpathSync(shown), shown) : undefined;
  await deletions?.deleteDocuments();
  if (owner !== undefined) await pullOwner(run, owner, shown, 'leave', exclude);
  const done = run.output.filesDone();
  await each(run, skipped, async (file) => skippedResult(file));
  const rest = files.filter((file) => !done.has(file.shown));
  const syncOne = (file: LocalFile) => syncFile(run, file, paths, flags, deletions);
  await eachFile(run, rest, syncOne);
  await settle(run, rest, syncOne);
  if (deletions) {
    await deletions.deleteFiles(files.length);
    const left = findFiles(paths, exclude);
    deletions.remember([...left.files, ...left.ignored]);
  }
  return run.output.end(run.dryRun ? { dryRun: true } : {});
}

/** @returns `undefined` if the file is to be deleted */
async function syncFile(
  run: Run,
  file: LocalFile,
  paths: readonly string[],
  { with: owner, visibility }: SyncFlags,
  deletions: Deletions | undefined,
): Promise<Result | undefined> {
  const read = readLinked(run, file);
  if (isLinked(read)) {
    const refused = refuseCopy(run, read);
    if (refused) return refused;
    try {
      return await syncLinked(run, read);
    } catch (error) {
      if (error instanceof DocumentGone && deletions?.take(read)) return undefined;
      throw error;
    }
  }
  const api = await run.servers.at(undefined);
  const to = owner === undefined ? undefined : { owner };
  const options = { to, visibility, prefix: '', overwrite: false, remember: true };
  return publish(run, api, read, pathOfNew(file, paths), options);
}
