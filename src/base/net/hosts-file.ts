import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';

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
