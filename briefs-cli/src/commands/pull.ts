import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { Bodies } from '../bodies.ts';
import { findFiles, isTaken, type LocalFile } from '../files.ts';
import { Links } from '../links.ts';
import { CommandError, EXIT } from '../outcome.ts';
import { pullFile, pullInto, pullOwner } from '../pull.ts';
import { beginRun, type CommonFlags, each, eachFile } from '../run.ts';
import { settle } from '../settle.ts';
import { documentOfTarget } from '../target.ts';
import { DRY_RUN, EXCLUDE } from './options.ts';
import { skippedResult } from './push.ts';

interface PullFlags extends CommonFlags {
  into: string;
  exclude: string[];
  dryRun?: boolean;
}

/** Adds pull. */
export function addPull(program: Command): void {
  program
    .command('pull')
    .description('download documents to files, except files that you changed')
    .argument('<target...>', 'files, folders, documents (owner/name or an address), or an owner')
    .option('--into <folder>', 'where new files go', '.')
    .addOption(EXCLUDE)
    .addOption(DRY_RUN)
    .action(async (targets: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<PullFlags>();
      const { into, exclude } = flags;
      if (isTaken(into) && !statSync(into, { throwIfNoEntry: false })?.isDirectory()) {
        throw new CommandError(`--into: ${into} isn’t a folder.`, EXIT.usage);
      }
      const local = targets.filter(isLocal);
      const found = findFiles(local, exclude);
      const there = isTaken(into) && local.length < targets.length ? findFiles([into]) : undefined;
      const known = new Map<string, LocalFile>();
      const beside = there ? [...there.files, ...there.ignored] : [];
      for (const file of [...Links.filesAround(found), ...beside]) known.set(file.path, file);
      const run = beginRun(flags, new Links([...known.values()]), new Bodies([...local, into]));
      await each(run, found.skipped, async (file) => skippedResult(file));
      await eachFile(run, found.files, (file) => pullFile(run, file));
      for (const target of targets.filter((each) => !isLocal(each))) {
        if (/^[a-z0-9-]+$/i.test(target)) {
          await pullOwner(run, target, into, 'pull', exclude);
          continue;
        }
        const ref = documentOfTarget(run.servers, target);
        const api = await run.servers.at(ref.server);
        await each(run, [ref], () => pullInto(run, api, ref, into));
      }
      await settle(run, [], async () => undefined);
      run.output.end();
    });
}

function isLocal(target: string): boolean {
  return statSync(target, { throwIfNoEntry: false }) !== undefined;
}
