import { Resolver } from 'node:dns/promises';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { createFairQueue, type FairQueue } from '../limits/fair-queue.ts';
import { addressKey, networkKey } from '../limits/rate-limit.ts';
import { createSlots, type Slots } from '../limits/slots.ts';

/**
 * Looks up a host's IP addresses.
 *
 * @param signal ends the look-up
 * @throws the signal's reason when it aborts; Error if there is no answer in time, the name has no
 *   address, or there are too many look-ups
 */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Looks up names that users chose, such as a webhook's host, without delaying anyone else. Who sends
 * names of a server that never answers waits only for their own look-ups.
 */
export interface NameLookups {
  /** Returns the look-ups of an account. */
  ofAccount(accountId: string): Resolve;
  /** Returns the look-ups of a client without an account, by its IP address. */
  ofClient(address: string): Resolve;
}

/**
 * How many look-ups one account or client may have, those that wait included. More are refused and
 * don't wait, because several people can wait for the same document: one of them mustn't make the
 * others wait behind their own look-ups.
 */
const OPEN = { total: 1_000, perKey: 8, reserved: 250 };

/** How many look-ups run at once. The others wait in turn. */
const RUNNING = { running: 128, waiting: OPEN.total };

/** How long a look-up may take in all, and how long each of its questions. */
const LOOKUP_MS = 2_500;
const QUESTION_MS = 1_000;
const QUESTIONS = 3;

/** How long a failed look-up isn't repeated, and how many are remembered. */
const FAILED_MS = 10_000;
const MAX_FAILED = 1_000;

const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * Creates the look-ups of a process. They ask name servers directly: `dns.lookup` would run two at
 * once in the whole process, and none of them could be ended.
 *
 * @param options.servers the name servers, as IP addresses with or without a port; none for those
 *   of the system
 * @param options.searches whether to also try a name with the system's search domains, as in
 *   `http://nas/`. Only of use if private addresses are allowed
 */
export function createNameLookups(options: AskOptions): NameLookups {
  // Apart, so that clients without an account can't delay accounts.
  const accounts = createPool();
  const clients = createPool();
  const hosts = readHostsFile();
  const failures = createFailures();

  const lookUp = async ({ open, queue }: Pool, key: string, host: string, signal: AbortSignal) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK;
    const listed = await hosts.find(name);
    if (listed.length > 0) return listed;
    failures.throwIfFailed(name);
    const leave = open.take(key);
    if (typeof leave === 'string') throw new Error('too many look-ups of names at once');
    const run = async () => {
      signal.throwIfAborted();
      // Another look-up of the name may have failed meanwhile.
      failures.throwIfFailed(name);
      const late = AbortSignal.timeout(LOOKUP_MS);
      try {
        return await ask(name, AbortSignal.any([signal, late]), options);
      } catch (thrown) {
        // What the caller ended says nothing about the name.
        signal.throwIfAborted();
        const error = late.aborted ? (late.reason as Error) : (thrown as Error);
        failures.add(name, error);
        throw error;
      }
    };
    return queue.run(key, run).finally(leave);
  };
  const inTurn =
    (pool: Pool, key: string): Resolve =>
    (host, signal) =>
      within(signal, lookUp(pool, key, host, signal));
  return {
    ofAccount: (accountId) => inTurn(accounts, accountId),
    ofClient: (address) => inTurn(clients, networkKey(address) ?? addressKey(address)),
  };
}

/** The look-ups that are open, and those that run. */
interface Pool {
  open: Slots;
  queue: FairQueue;
}

function createPool(): Pool {
  return { open: createSlots(OPEN), queue: createFairQueue(RUNNING) };
}

interface AskOptions {
  servers: readonly string[];
  searches: boolean;
}

/** Remembers for a short time which names could not be looked up. */
function createFailures() {
  const failed = new Map<string, { until: number; error: Error }>();
  return {
    /** @throws the error that the name's look-up ended with a moment ago */
    throwIfFailed(name: string): void {
      const found = failed.get(name);
      if (found && performance.now() < found.until) throw found.error;
    },
    add(name: string, error: Error): void {
      failed.delete(name);
      // The first one is the oldest.
      if (failed.size >= MAX_FAILED) failed.delete(failed.keys().next().value as string);
      failed.set(name, { until: performance.now() + FAILED_MS, error });
    },
  };
}

/** Asks for a name, and then for the name in each search domain. */
async function ask(
  name: string,
  signal: AbortSignal,
  { servers, searches }: AskOptions,
): Promise<readonly string[]> {
  // A resolver of its own: ending a look-up ends all of a resolver's, and a resolver avoids servers
  // that left questions unanswered.
  const resolver = new Resolver({
    timeout: QUESTION_MS,
    maxTimeout: QUESTION_MS,
    tries: QUESTIONS,
  });
  if (servers.length > 0) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await addressesBy(resolver, name);
  } catch (error) {
    if (!searches || !isUnknown(error)) throw error;
    for (const domain of await searchDomains()) {
      signal.throwIfAborted();
      const found = await addressesBy(resolver, `${name}.${domain}`).catch(() => []);
      if (found.length > 0) return found;
    }
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Returns a name's IPv4 addresses, then the IPv6 ones. @throws Error if there are none */
async function addressesBy(resolver: Resolver, name: string): Promise<string[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const found = [v4, v6].flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (found.length > 0) return found;
  const failed = [v4, v6].filter((one) => one.status === 'rejected').map(({ reason }) => reason);
  throw failed.find((reason) => !isUnknown(reason)) ?? failed[0] ?? new Error('no address');
}

/** Tells whether a name server answered that the name doesn't exist or has no such address. */
function isUnknown(error: unknown): boolean {
  return ['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Returns the system's search domains (resolv.conf(5)). */
async function searchDomains(): Promise<string[]> {
  const text = await readFile('/etc/resolv.conf', 'utf8').catch(() => '');
  const last = [...text.matchAll(/^\s*(?:search|domain)\s+(.*)$/gm)].at(-1)?.[1] ?? '';
  return last.split(/\s+/).filter((domain) => domain !== '');
}

/** Adds a signal to work that takes none. @throws the signal's reason when it aborts */
async function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const giveUp = () => late.reject(signal.reason);
  signal.addEventListener('abort', giveUp);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** The names of this machine's hosts file. */
export interface HostsFile {
  /** Returns the addresses of a name, in the file's order; none if the file doesn't have it. */
  find(name: string): Promise<readonly string[]>;
}

/** Reads a hosts file (hosts(5)), and again when it has changed. A file that is missing is empty. */
export function readHostsFile(path = '/etc/hosts'): HostsFile {
  let known: { changedAt: number; names: Promise<Map<string, string[]>> } | undefined;
  return {
    async find(name) {
      try {
        const { mtimeMs: changedAt } = await stat(path);
        if (known?.changedAt !== changedAt) {
          known = { changedAt, names: readFile(path, 'utf8').then(parseHosts) };
        }
        return (await known.names).get(name) ?? [];
      } catch {
        known = undefined;
        return [];
      }
    },
  };
}

/** Returns the addresses by name, in lower case. */
function parseHosts(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!isIP(address)) continue;
    for (const name of names.map((each) => each.toLowerCase())) {
      found.set(name, [...(found.get(name) ?? []), address]);
    }
  }
  return found;
}
