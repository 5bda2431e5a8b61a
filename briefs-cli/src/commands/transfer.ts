import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Command, Option } from 'commander';
import { Servers } from '../api.ts';
import { type DocumentRef, parseTarget } from '../document-ref.ts';
import { findFiles, type LocalFile, pathBelow } from '../files.ts';
import { CommandError, EXIT, exitCodeOf, lineOf, type Result } from '../outcome.ts';
import { type PublishOptions, publish } from '../publish.ts';
import { pullDocuments, pullOwner, pullPath, skippedResult } from '../pull.ts';
import { isLinked, pushLinked, readLinked, report, syncLinked } from '../transfer.ts';

interface Common {
  server?: string;
  json?: boolean;
}

type PushFlags = Common &
  Omit<PublishOptions, 'to' | 'message'> & { to?: string; message?: string };

const VISIBILITY = new Option('--visibility <who>', 'who can read new documents')
  .choices(['private', 'internal', 'public'])
  .default('private');

/** Adds push, pull and sync. */
export function addTransferCommands(program: Command): void {
  program
    .command('push')
    .description('send files to their documents; new files become documents')
    .argument('<path...>', 'files (.md, .html) or folders')
    .option('--to <owner[/name]>', 'where new documents go, or the document to update')
    .option('--prefix <text>', 'begins the names of new documents', '')
    .addOption(VISIBILITY)
    .option('--message <text>', 'what changed, for the history')
    .option('--overwrite', 'replace what others wrote to the document of --to', false)
    .option('--no-remember', 'don’t store addresses in the files; needs --to')
    .action(async (paths: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<PushFlags>();
      const servers = new Servers(flags.server);
      const options = readPushFlags(servers, flags);
      const { files, skipped } = findFiles(paths);
      if (files.length > 1 && options.to?.name) {
        throw new CommandError('--to can name a document only for one file.', EXIT.usage);
      }
      const results = skipped.map(skippedResult);
      for (const file of files) {
        results.push(await report(file, () => pushFile(servers, file, paths, options)));
      }
      finish(results, flags);
    });

  program
    .command('pull')
    .description('download documents to files, except files that you changed')
    .argument('<target...>', 'files, folders, documents (owner/name or an address), or an owner')
    .option('--into <folder>', 'where new files go', '.')
    .action(async (targets: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<Common & { into: string }>();
      const servers = new Servers(flags.server);
      const results: Result[] = [];
      for (const target of targets) {
        const isLocal = statSync(target, { throwIfNoEntry: false }) !== undefined;
        if (isLocal) results.push(...(await pullPath(servers, target)));
        else results.push(...(await pullDocuments(servers, target, flags.into)));
      }
      finish(results, flags);
    });

  program
    .command('sync')
    .description('push local changes, pull remote ones, and merge files that changed on both sides')
    .argument('<path...>', 'files or folders')
    .option('--with <owner>', 'also download this owner’s other documents to the folder')
    .addOption(VISIBILITY)
    .option('--message <text>', 'what changed, for the history')
    .action(async (paths: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<PushFlags & { with?: string }>();
      const servers = new Servers(flags.server);
      const owner = flags.with;
      const results: Result[] = [];
      if (owner !== undefined) {
        const [folder = '', ...others] = paths;
        if (others.length > 0 || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
          throw new CommandError('--with needs one folder.', EXIT.usage);
        }
        results.push(...(await pullOwner(servers, owner, folder, 'leave')));
      }
      const done = new Set(results.map(({ file }) => file));
      const options = { ...flags, prefix: '', overwrite: false, remember: true };
      const to = owner === undefined ? undefined : { owner };
      const { files, skipped } = findFiles(paths);
      results.push(...skipped.map(skippedResult));
      for (const file of files.filter(({ shown }) => !done.has(shown))) {
        const sync = async () => {
          const read = readLinked(file);
          if (isLinked(read)) return syncLinked(servers, read, { message: flags.message });
          const api = await servers.at(undefined);
          return publish(api, read, pathOfNew(file, paths), { ...options, to, message: undefined });
        };
        results.push(await report(file, sync));
      }
      finish(results, flags);
    });
}

function readPushFlags(servers: Servers, flags: PushFlags): PublishOptions & { server?: string } {
  const { to: text, prefix, visibility, message, overwrite, remember: remembers } = flags;
  if (!remembers && text === undefined) {
    throw new CommandError('--no-remember needs --to.', EXIT.usage);
  }
  const target = text === undefined ? undefined : readPlace(servers, text);
  const to = target && { owner: target.owner, ...(target.name !== '' && { name: target.name }) };
  const rest = { prefix, visibility, message, overwrite, remember: remembers };
  return { to, ...rest, ...(target?.server && { server: target.server }) };
}

/** Parses `owner`, or anything that names a document. */
function readPlace(servers: Servers, text: string): Pick<DocumentRef, 'owner' | 'name' | 'server'> {
  const owner = parseTarget(`${text}/x`);
  if (owner && !text.includes('/')) return { ...owner, name: '' };
  const found = parseTarget(text, servers.known());
  if (!found) throw new CommandError(`--to: “${text}” isn’t an owner or owner/name.`, EXIT.usage);
  return found;
}

async function pushFile(
  servers: Servers,
  file: LocalFile,
  paths: readonly string[],
  options: PublishOptions & { server?: string },
): Promise<Result> {
  const { to, remember: remembers, message } = options;
  const read = readLinked(file);
  if (!remembers || !isLinked(read)) {
    return publish(await servers.at(options.server), read, pathOfNew(file, paths), options);
  }
  const { owner, name } = read.memory.document;
  if (to && (to.owner !== owner || (to.name ?? name) !== name)) {
    throw new CommandError(
      `it is linked to ${owner}/${name}. To publish a copy, use --no-remember.`,
    );
  }
  return pushLinked(servers, read, { message });
}

/** Returns a file's path below the folder in the arguments. It gives a new document its name. */
function pathOfNew({ path }: LocalFile, paths: readonly string[]): string {
  const below = paths
    .filter((given) => statSync(given).isDirectory())
    .map((given) => pathBelow(realpathSync(given), path))
    .filter((each) => !each.startsWith('../'));
  return below[0] ?? pathBelow(dirname(path), path);
}

function finish(results: readonly Result[], { json }: Common): void {
  if (json) console.log(JSON.stringify({ results }));
  else for (const result of results) console.log(lineOf(result));
  process.exitCode = exitCodeOf(results);
}
