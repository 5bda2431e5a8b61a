import { type Api, Servers } from './api.ts';
import type { Bodies } from './bodies.ts';
import type { LocalFile } from './files.ts';
import { inOrder, Turns } from './in-order.ts';
import type { Links } from './links.ts';
import { Lists } from './lists.ts';
import { CommandError, EXIT, isPassing, NotADocument, type Result } from './outcome.ts';
import { Output, type PrintFlags } from './output.ts';

/** How many files to work on at once, so that one request can carry many. */
const AT_ONCE = 100;

/** Options of every command. */
export interface CommonFlags extends PrintFlags {
  server?: string;
}

/** What the steps of a command that transfers files share. */
export interface Run {
  servers: Servers;
  output: Output;
  /** Which files are linked to which documents. */
  links: Links;
  lists: Lists;
  bodies: Bodies;
  /** Which names documents are being created with. */
  turns: Turns;
  /** Whether to say what would happen, and change nothing. */
  dryRun: boolean;
  /** Addresses that documents would get, with `dryRun`. */
  planned: Set<string>;
  message?: string | undefined;
}

/** The last output, which prints the error that ends the command. */
let current: Output | undefined;

/** Opens what every command needs. */
export function begin(flags: CommonFlags): { servers: Servers; output: Output } {
  current = new Output(flags);
  return { servers: new Servers(flags.server, current), output: current };
}

/** Prints the error that ends a command. */
export function printError(flags: PrintFlags, message: string, code?: string): void {
  (current ?? new Output(flags)).fail(message, code);
}

/** Begins a command that transfers files. */
export function beginRun(
  flags: CommonFlags & { dryRun?: boolean; message?: string },
  links: Links,
  bodies: Bodies,
): Run {
  const opened = begin(flags);
  const { dryRun = false, message } = flags;
  opened.output.isPlanned = dryRun;
  const lists = new Lists(links.memories());
  const state = {
    links,
    lists,
    bodies,
    turns: new Turns(),
    planned: new Set<string>(),
  };
  return { ...opened, ...state, dryRun, message };
}

/** Works on files, some at once, and prints each result. */
export function eachFile(
  { output }: Run,
  files: readonly LocalFile[],
  work: (file: LocalFile) => Promise<Result | undefined>,
): Promise<void> {
  return each({ output }, files, (file) => report(file, () => work(file)));
}

/** Works on anything, some at once, and prints each result, if there is one. */
export function each<Item>(
  { output }: Pick<Run, 'output'>,
  items: readonly Item[],
  work: (item: Item) => Promise<Result | undefined>,
): Promise<void> {
  output.expect(items.length);
  return inOrder(items, AT_ONCE, work, (result) => result && output.add(result));
}

/** Works on files that have a result already, which changes only if it is a worse one now. */
export function eachAgain(
  { output }: Run,
  files: readonly LocalFile[],
  work: (file: LocalFile) => Promise<Result | undefined>,
): Promise<void> {
  const again = (file: LocalFile) => report(file, () => work(file));
  return inOrder(files, AT_ONCE, again, (result) => result && output.amend(result));
}

/** Turns an error about one file into its result, so that the others continue. */
export async function report<Done extends Result | undefined>(
  { shown, folder }: Pick<LocalFile, 'shown' | 'folder'>,
  work: () => Promise<Done | Result>,
): Promise<Done | Result> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof CommandError ? error.exitCode : EXIT.failed;
    // Every other file would fail in the same way.
    if (code === EXIT.signedOut || code === EXIT.usage) throw error;
    const { message } = error as Error;
    if (error instanceof NotADocument && folder !== undefined) {
      return { file: shown, status: 'skipped', message };
    }
    const retry = isPassing(error) ? ({ retry: true } as const) : {};
    return { file: shown, status: 'failed', message, ...retry };
  }
}

const usernames = new WeakMap<Api, Promise<string>>();

/** Returns the caller's username. */
export function whoAmI(api: Api): Promise<string> {
  const known = usernames.get(api);
  const asked = known ?? api.request('/user').then(({ json }) => String(json?.data?.username));
  if (!known) usernames.set(api, asked);
  return asked;
}
