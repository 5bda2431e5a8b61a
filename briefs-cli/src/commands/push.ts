import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Servers } from '../api.ts';
import { Bodies } from '../bodies.ts';
import { type DocumentRef, parseTarget, pathOf } from '../document-ref.ts';
import { decodeText, findFiles, type LocalFile, pathBelow } from '../files.ts';
import { Links } from '../links.ts';
import { CommandError, EXIT, type Result } from '../outcome.ts';
import { partsOf } from '../parts.ts';
import { nameOf, type PublishOptions, publish } from '../publish.ts';
import { begin, beginRun, type CommonFlags, each, eachFile, type Run } from '../run.ts';
import { settle } from '../settle.ts';
import { isLinked, pushLinked, readLinked, refuseCopy } from '../transfer.ts';
import { DRY_RUN, EXCLUDE, MESSAGE, NEW_VISIBILITY } from './options.ts';

type Place = Pick<DocumentRef, 'kind' | 'owner' | 'name' | 'server'>;

/** How to push, besides how to publish. */
interface PushOptions extends PublishOptions {
  to: (Omit<Place, 'name'> & { name?: string }) | undefined;
  /** Whether a linked file becomes a new document. */
  new: boolean;
}

interface PushFlags extends CommonFlags, Omit<PushOptions, 'to'> {
  to?: string;
  message?: string;
  exclude: string[];
  dryRun?: boolean;
}

/** Adds push. */
export function addPush(program: Command): void {
  program
    .command('push')
    .description('send files to their documents; new files become documents')
    .argument('<path...>', 'files (.md, .html) or folders; - reads one text from standard input')
    .option('--to <owner[/name]>', 'where new documents go, or the document to update')
    .option('--prefix <text>', 'begins the names of new documents', '')
    .addOption(NEW_VISIBILITY)
    .addOption(MESSAGE)
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
    .addOption(EXCLUDE)
    .addOption(DRY_RUN)
    .action(async (paths: string[], _flags, command: Command) => {
      const flags = command.optsWithGlobals<PushFlags>();
      if (paths.includes('-')) return pushStandardInput(paths, flags);
      const { servers } = begin(flags);
      const options = readPushFlags(servers, flags);
      const found = findFiles(paths, flags.exclude);
      const { files, skipped } = found;
      if (files.length > 1 && options.to?.name) {
        throw new CommandError('--to can name a document only for one file.', EXIT.usage);
      }
      if (files.length > 1 && options.new) {
        throw new CommandError('--new is only for one file.', EXIT.usage);
      }
      const links = options.remember ? Links.around(found) : new Links([]);
      const named = options.remember ? undefined : namedDocuments(files, paths, options);
      const expected = expectedNames(files, paths, options);
      const run = beginRun(flags, links, new Bodies(paths, named, expected));
      const taken = options.remember
        ? new Map<LocalFile, string>()
        : namesakes(files, paths, options);
      await each(run, skipped, async (file) => skippedResult(file));
      const push = async (file: LocalFile) => {
        const problem = taken.get(file);
        if (problem) throw new CommandError(problem);
        return pushFile(run, file, paths, options);
      };
      await eachFile(run, files, push);
      const again = (file: LocalFile) =>
        pushFile(run, file, paths, { ...options, new: false, to: undefined });
      if (options.remember) await settle(run, files, again);
      run.output.end();
    });
}

/** Returns the result of a file that `findFiles` skipped. */
export function skippedResult({ shown, why }: { shown: string; why: string }): Result {
  return { file: shown, status: 'skipped', message: why };
}

/** Returns a file's path below the folder in the arguments. It gives a new document its name. */
export function pathOfNew({ path }: LocalFile, paths: readonly string[]): string {
  const below = paths
    .filter((given) => statSync(given).isDirectory())
    .map((given) => pathBelow(realpathSync(given), path))
    .filter((each) => !each.startsWith('../'));
  return below[0] ?? pathBelow(dirname(path), path);
}

/** Returns a function that says which name a file's document gets, if it is a new one. */
export function expectedNames(
  files: readonly LocalFile[],
  paths: readonly string[],
  options: Pick<PublishOptions, 'to' | 'prefix'>,
): (path: string) => string | undefined {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return (path) => {
    const file = byPath.get(path);
    return file && nameOf(pathOfNew(file, paths), options);
  };
}

/** Publishes what a program writes. Nothing can remember its document, so `--to` names that. */
async function pushStandardInput(paths: readonly string[], flags: PushFlags): Promise<void> {
  const given = { ...flags, remember: true };
  const options = { ...readPushFlags(begin(flags).servers, given), remember: false };
  const { to } = options;
  if (paths.length > 1 || !to?.name) {
    throw new CommandError('- needs --to OWNER/NAME, and no other file.', EXIT.usage);
  }
  const run = beginRun(flags, new Links([]), new Bodies([]));
  const bytes = await buffer(process.stdin);
  const file = { shown: '-', path: '', kind: to.kind };
  await eachFile(run, [file], async () => {
    // A program that failed writes nothing. That mustn't replace a text.
    if (bytes.length === 0) throw new CommandError('standard input is empty.');
    const body = partsOf(decodeText(to.kind, bytes)).rest;
    const api = await run.servers.at(to.server);
    return publish(run, api, { file, whole: body, body, text: body }, '', options);
  });
  run.output.end();
}

function readPushFlags(servers: Servers, flags: PushFlags): PushOptions {
  const { to: text, prefix, visibility, overwrite, remember: remembers } = flags;
  if (!remembers && text === undefined) {
    throw new CommandError('--no-remember needs --to.', EXIT.usage);
  }
  const target = text === undefined ? undefined : readPlace(servers, text);
  if (overwrite && remembers && !target?.name) {
    throw new CommandError('--overwrite needs --to OWNER/NAME or --no-remember.', EXIT.usage);
  }
  const { kind, owner, name, server } = target ?? {};
  const to = kind && owner ? { kind, owner, server, ...(name && { name }) } : undefined;
  return { to, prefix, visibility, overwrite, remember: remembers, new: flags.new };
}

/** Parses `owner`, or anything that names a document. */
function readPlace(servers: Servers, text: string): Place {
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

/** Returns a function that says which document a file becomes whose name decides that. */
function namedDocuments(
  files: readonly LocalFile[],
  paths: readonly string[],
  options: PublishOptions,
): (path: string) => DocumentRef | undefined {
  const owner = options.to?.owner ?? '';
  const documents = new Map<string, DocumentRef>();
  for (const file of files) {
    const name = nameOf(pathOfNew(file, paths), options);
    const { kind } = file;
    if (name !== undefined) documents.set(file.path, { server: undefined, owner, kind, name });
  }
  return (path) => documents.get(path);
}

async function pushFile(
  run: Run,
  file: LocalFile,
  paths: readonly string[],
  options: PushOptions,
): Promise<Result> {
  const { to, remember: remembers } = options;
  const read = readLinked(run, file);
  if (!remembers || options.new || !isLinked(read)) {
    const api = await run.servers.at(to?.server);
    return publish(run, api, read, pathOfNew(file, paths), options);
  }
  const { owner, name } = read.memory.document;
  if (to && (to.owner !== owner || (to.name ?? name) !== name)) {
    throw new CommandError(
      `it is linked to ${owner}/${name}. To publish a copy, add --new or --no-remember.`,
    );
  }
  return refuseCopy(run, read) ?? pushLinked(run, read);
}
