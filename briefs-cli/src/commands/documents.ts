import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EVENT_TYPES } from '../../../src/base/schema/event.ts';
import { type Api, pathIn } from '../api.ts';
import { pathOf } from '../document-ref.ts';
import { CommandError, EXIT, isPassing, oneLine, printable } from '../outcome.ts';
import { begin, type CommonFlags } from '../run.ts';
import { loadTarget } from '../target.ts';
import { openInBrowser } from './login.ts';
import { TARGET } from './options.ts';

interface Thread {
  id: string;
  on: { quote: string; state: string } | null;
  replacement: string | null;
  comments: { author: string | null; body: string }[];
}

interface Event {
  type: string;
  fullName: string;
  author: string | null;
  revision: number | null;
  thread: string | null;
}

/** How long one request waits: less than proxies' usual timeouts. */
const WAIT_S = 50;

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Adds open, comment, comments and wait. */
export function addDocumentCommands(program: Command): void {
  program
    .command('open')
    .description('open a document in the browser')
    .argument('<target>', TARGET)
    .option('--print', 'only print its address')
    .action(async (target: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & { print?: boolean }>();
      const { servers, output } = begin(flags);
      const { document } = await loadTarget(servers, target);
      output.print({ url: document.url }, [oneLine(document.url)]);
      if (!flags.print && !(await openInBrowser(document.url))) {
        output.notice('No browser found.');
      }
    });

  program
    .command('comment')
    .description('comment on a document or a passage, or reply to a thread')
    .argument('<target>', TARGET)
    .argument('<text>', 'Markdown; - reads it from standard input')
    .option('--on <passage>', 'the passage; it must occur once')
    .option('--thread <id>', 'the thread to answer')
    .option('--resolve', 'also resolve the thread')
    .action(async (target: string, given: string, _flags, command: Command) => {
      const flags = command.optsWithGlobals<
        CommonFlags & { on?: string; thread?: string; resolve?: boolean }
      >();
      if (flags.resolve && !flags.thread) {
        throw new CommandError('--resolve needs --thread.', EXIT.usage);
      }
      const { servers, output } = begin(flags);
      const { api, document } = await loadTarget(servers, target);
      const body = given === '-' ? await text(process.stdin) : given;
      const threads = `${pathIn(document.ref)}/threads`;
      const thread = await say(api, threads, body, flags);
      output.print({ thread, url: document.url }, [
        oneLine(`Commented on ${pathOf(document.ref)}, thread ${thread}.`),
      ]);
    });

  program
    .command('comments')
    .description('list the open threads of a document')
    .argument('<target>', TARGET)
    .action(async (target: string, _flags, command: Command) => {
      const { servers, output } = begin(command.optsWithGlobals<CommonFlags>());
      const { api, document } = await loadTarget(servers, target);
      const threads = await listThreads(api, `${pathIn(document.ref)}/threads`);
      output.print({ threads }, threads.map(threadInWords));
    });

  program
    .command('wait')
    .description('wait for the next event of a document, or of any document that concerns you')
    .argument('[target]', TARGET)
    .addOption(
      new Option(
        '--for <types>',
        'only these events, separated by commas, such as thread.opened',
      ).argParser(readTypes),
    )
    .addOption(
      new Option(
        '--after <cursor>',
        'only events after this cursor, which --json prints',
      ).argParser(readCursor),
    )
    .addOption(
      new Option('--timeout <duration>', 'such as 90s, 10m or 8h')
        .argParser(readDuration)
        .default(3600, '1h'),
    )
    .action(async (target: string | undefined, _flags, command: Command) => {
      const flags = command.optsWithGlobals<
        CommonFlags & { for?: string[]; after?: string; timeout: number }
      >();
      const { servers, output } = begin(flags);
      const found = target === undefined ? undefined : await loadTarget(servers, target);
      const api = found?.api ?? (await servers.at(undefined));
      const path = found ? `${pathIn(found.document.ref)}/events` : '/user/events';
      const { events, cursor, reset } = await waitForEvents(api, path, {
        after: flags.after,
        types: flags.for,
        until: Date.now() + flags.timeout * 1000,
      });
      if (events.length === 0) process.exitCode = EXIT.timeout;
      output.print(
        { events, cursor, reset },
        events.map((event) => oneLine(eventInWords(event))),
      );
      if (reset) output.notice('Events may be missing before these: the server has deleted some.');
      if (events.length === 0) output.notice('No event before the timeout.');
    });
}

/** @returns the thread's id */
async function say(
  api: Api,
  threads: string,
  body: string,
  { on, thread, resolve }: { on?: string; thread?: string; resolve?: boolean },
): Promise<string> {
  if (thread === undefined) {
    const sent = { body, ...(on !== undefined && { on: { quote: on } }) };
    const { json } = await api.request(threads, { method: 'POST', body: sent });
    return String(json?.data?.id);
  }
  const path = `${threads}/${encodeURIComponent(thread)}`;
  await api.request(`${path}/comments`, { method: 'POST', body: { body } });
  if (resolve) await api.request(path, { method: 'PATCH', body: { state: 'resolved' } });
  return thread;
}

async function listThreads(api: Api, path: string): Promise<Thread[]> {
  const threads: Thread[] = [];
  for (let page = 1; ; page++) {
    const { json, headers } = await api.request(`${path}?page=${page}`);
    threads.push(...(json?.data ?? []));
    if (!/rel="?next"?/.test(headers.get('link') ?? '')) return threads;
  }
}

function threadInWords({ id, on, replacement, comments }: Thread): string {
  const place = on
    ? `on “${on.quote}”${on.state === 'kept' ? '' : ` (${on.state})`}`
    : 'on the whole';
  const said = comments.map(({ author, body }) => `${author ?? 'someone'}: ${body}`);
  const suggested = replacement === null ? [] : [`suggests: ${replacement}`];
  // Further lines of a comment begin with a mark, so that none looks like another comment, or like
  // a command to the program that reads the output (`::error::` in build logs).
  const below = [...suggested, ...said].map(
    (text) => `  ${printable(text).replace(/\n/g, '\n  | ')}`,
  );
  return [oneLine(`${id} ${place}`), ...below].join('\n');
}

function eventInWords({ type, fullName, author, revision, thread }: Event): string {
  const about = thread ? ` thread ${thread}` : revision ? ` revision ${revision}` : '';
  return `${type} ${fullName}${about} by ${author ?? 'someone'}`;
}

/** Waits for an event. Goes on if the server or the network is unavailable for a while. */
async function waitForEvents(
  api: Api,
  path: string,
  query: { after: string | undefined; types: string[] | undefined; until: number },
): Promise<{ events: Event[]; cursor: number | null; reset: boolean }> {
  let reset = false;
  let after = query.after ?? (await api.request(path)).json?.data?.cursor;
  for (;;) {
    const leftS = Math.ceil((query.until - Date.now()) / 1000);
    if (leftS <= 0) return { events: [], cursor: Number(after), reset };
    const wait = Math.min(leftS, WAIT_S);
    const sent = { timeoutMs: (wait + 30) * 1000 };
    try {
      const search = new URLSearchParams({ after: String(after), wait: String(wait) });
      const { json } = await api.request(`${path}?${search}`, sent);
      const all: Event[] = json?.data?.items ?? [];
      after = json?.data?.cursor;
      reset ||= json?.data?.reset === true;
      const events = all.filter(({ type }) => query.types?.includes(type) ?? true);
      if (events.length > 0) return { events, cursor: Number(after), reset };
    } catch (error) {
      if (!isPassing(error)) throw error;
      await sleep(Math.min(leftS, 5) * 1000);
    }
  }
}

function readTypes(text: string): string[] {
  const types = text.split(',').map((type) => type.trim());
  const wrong = types.find((type) => !EVENT_TYPES.some((known) => known === type));
  if (wrong === undefined) return types;
  throw new InvalidArgumentError(`“${wrong}” is no event. Events are ${EVENT_TYPES.join(', ')}.`);
}

function readCursor(text: string): string {
  if (/^\d{1,15}$/.test(text)) return text;
  throw new InvalidArgumentError('Use a number that "wait --json" printed as cursor, or 0.');
}

/** @returns seconds */
function readDuration(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('Use a number and s, m, h or d.');
  return Number(number) * (UNITS[unit] as number);
}
