import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Command, Option } from 'commander';
import { Servers } from '../api.ts';
import { type DocumentRef, parseTarget, pathOf } from '../document-ref.ts';
import { findFiles, type LocalFile, pathBelow } from '../files.ts';
import { Links } from '../links.ts';
import { CommandError, EXIT, exitCodeOf, lineOf, oneLine, type Result } from '../outcome.ts';
import { nameOf, type PublishOptions, publish } from '../publish.ts';
import { pullDocuments, pullOwner, pullPath, skippedResult } from '../pull.ts';
import { isLinked, pushLinked, readLinked, refuseCopy, report, syncLinked } from '../transfer.ts';

interface Common {
  server?: string;
  json?: boolean;
}

/** How to push, besides how to publish. */
interface PushOptions extends PublishOptions {
  server?: string;
  /** Whether a linked file becomes a new document. */
  new: boolean;
}

type PushFlags = Common & Omit<PushOptions, 'to' | 'message'> & { to?: string; message?: string };

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
    .option('--new', 'make a file a new document, such as a copy of a pushed file', false)
    .option(
      '--overwrite',
      'replace what others wrote; needs --to OWNER/NAME or --no-remember',
      false,
    )
    .option(
      '--no-remember',
      'don’t store addresses in the files: their names choose the documents; needs --to',
    )
    .action(async (paths: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<PushFlags>();
      const servers = new Servers(flags.server);
      const options = readPushFlags(servers, flags);
      const found = findFiles(paths);
      const { files, skipped } = found;
      if (files.length > 1 && options.to?.name) {
        throw new CommandError('--to can name a document only for one file.', EXIT.usage);
      }
      if (files.length > 1 && options.new) {
        throw new CommandError('--new is only for one file.', EXIT.usage);
      }
      const links = options.remember ? Links.around(found) : new Links([]);
      const taken = options.remember
        ? new Map<LocalFile, string>()
        : namesakes(files, paths, options);
      const results = skipped.map(skippedResult);
      for (const file of files) {
        const push = async () => {
          const problem = taken.get(file);
          if (problem) throw new CommandError(problem);
          return pushFile(servers, file, paths, links, options);
        };
        results.push(await report(file, push));
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
      const [folder = '', ...others] = paths;
      const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
      if (owner !== undefined && (others.length > 0 || !isFolder)) {
        throw new CommandError('--with needs one folder.', EXIT.usage);
      }
      const links = Links.around(findFiles(paths));
      if (owner !== undefined) {
        results.push(...(await pullOwner(servers, owner, folder, links, 'leave')));
      }
      const done = new Set(results.map(({ file }) => file));
      const options = { ...flags, prefix: '', overwrite: false, remember: true };
      const to = owner === undefined ? undefined : { owner };
      const { files, skipped } = findFiles(paths);
      results.push(...skipped.map(skippedResult));
      for (const file of files.filter(({ shown }) => !done.has(shown))) {
        const sync = async () => {
          const read = readLinked(file);
          if (isLinked(read)) {
            const { message } = flags;
            return refuseCopy(read, links) ?? syncLinked(servers, read, { message });
          }
          const api = await servers.at(undefined);
          const publishing = { ...options, to, message: undefined };
          return publish(api, read, pathOfNew(file, paths), links, publishing);
        };
        results.push(await report(file, sync));
      }
      finish(results, flags);
    });
}

function readPushFlags(servers: Servers, flags: PushFlags): PushOptions {
  const { to: text, prefix, visibility, message, overwrite, remember: remembers } = flags;
  if (!remembers && text === undefined) {
    throw new CommandError('--no-remember needs --to.', EXIT.usage);
  }
  const target = text === undefined ? undefined : readPlace(servers, text);
  if (overwrite && remembers && !target?.name) {
    throw new CommandError('--overwrite needs --to OWNER/NAME or --no-remember.', EXIT.usage);
  }
  const to = target && { owner: target.owner, ...(target.name !== '' && { name: target.name }) };
  const rest = { prefix, visibility, message, overwrite, remember: remembers, new: flags.new };
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

/**
 * Finds files whose names would choose the same document. None of them is sent, so that what happens
 * doesn't depend on which files are new.
 *
 * @returns what to say about each
 */
function namesakes(
  files: readonly LocalFile[],
  paths: readonly string[],
  options: PublishOptions,
): Map<LocalFile, string> {
  const named = new Map<string, LocalFile[]>();
  for (const file of files) {
    const name = nameOf(pathOfNew(file, paths), options);
    if (name === undefined) continue;
    const address = pathOf({ kind: file.kind, owner: options.to?.owner ?? '', name });
    named.set(address, [...(named.get(address) ?? []), file]);
  }
  const problems = new Map<LocalFile, string>();
  for (const [address, group] of named) {
    if (group.length < 2) continue;
    const names = group.map(({ shown }) => shown).join(' and ');
    const problem = `${names} would be the same document, ${address}. Rename one of them.`;
    for (const file of group) problems.set(file, problem);
  }
  return problems;
}

async function pushFile(
  servers: Servers,
  file: LocalFile,
  paths: readonly string[],
  links: Links,
  options: PushOptions,
): Promise<Result> {
  const { to, remember: remembers, message } = options;
  const read = readLinked(file);
  if (!remembers || options.new || !isLinked(read)) {
    const api = await servers.at(options.server);
    return publish(api, read, pathOfNew(file, paths), links, options);
  }
  const { owner, name } = read.memory.document;
  if (to && (to.owner !== owner || (to.name ?? name) !== name)) {
    throw new CommandError(
      `it is linked to ${owner}/${name}. To publish a copy, add --new or --no-remember.`,
    );
  }
  return refuseCopy(read, links) ?? pushLinked(servers, read, { message });
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
  else {
    for (const result of results) {
      console.log(lineOf(result));
      for (const warning of result.warnings ?? []) {
        console.error(oneLine(`warning: ${result.file}: ${warning}`));
      }
    }
  }
  process.exitCode = exitCodeOf(results);
}
