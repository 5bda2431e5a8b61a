import { startOfText } from '../text/raw-length.ts';
import type { Reference } from './reference.ts';

/** Endings that a link to a document may leave out, likeliest first. */
const ENDINGS = ['.md', '.markdown', '.html', '.htm'];

/** The document that a link to a folder means, likeliest first. */
const INDEXES = ['README', 'index'];

/** Finds the file of a folder that a reference in one of its files means. */
export type FindFile = (
  from: string,
  reference: Pick<Reference, 'form' | 'path'>,
) => string | undefined;

/**
 * Returns a function that finds the files of a folder or archive that references mean, as the
 * programs that write such folders read them:
 *
 * - Addresses are relative to the file; with a slash, to the folder or one above the file.
 * - Endings may be missing, and `page.html` may stand for `page.md`, as in generated sites.
 * - A folder means its README or index.
 * - A wikilink names a file of any folder by the end of its path. If several have it, the one with
 *   the shortest path, as in Obsidian. A bare file name in a link means the one file of this name.
 * - Upper and lower case, and forms of Unicode, count only if both exist.
 *
 * @param paths paths below the folder, with slashes
 */
export function createFindFile(paths: Iterable<string>): FindFile {
  const exact = new Set<string>();
  const byKey = new Map<string, string>();
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    exact.add(path);
    if (!byKey.has(keyOf(path))) byKey.set(keyOf(path), path);
    const name = keyOf(lastOf(path));
    const others = byName.get(name);
    if (others) others.push(path);
    else byName.set(name, [path]);
  }
  for (const each of byName.values()) each.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));

  /** Finds a path as it is written, or with an ending. */
  const at = (path: string): string | undefined => {
    for (const each of spellings(path)) {
      const found = exact.has(each) ? each : byKey.get(keyOf(each));
      if (found !== undefined) return found;
    }
    return undefined;
  };

  const endingIn = (path: string): string[] => {
    for (const each of spellings(path)) {
      const key = keyOf(each);
      const found = (byName.get(lastOf(key)) ?? []).filter((one) =>
        `/${keyOf(one)}`.endsWith(`/${key}`),
      );
      if (found.length > 0) return found;
    }
    return [];
  };

  return (from, { form, path: written }) => {
    const path = written.replaceAll('\\', '/');
    const folder = from.split('/').slice(0, -1);
    const isWiki = form === 'wikilink' || form === 'embed';
    if (path.startsWith('/')) {
      return firstOf(folder.length + 1, (depth) => joined(folder.slice(0, depth), path), at);
    }
    const places = isWiki && !path.startsWith('.') ? [[], folder] : [folder];
    const found = firstOf(places.length, (index) => joined(places[index] ?? [], path), at);
    if (found !== undefined || path.startsWith('.')) return found;
    const named = isWiki || !path.includes('/') ? endingIn(path) : [];
    return isWiki || named.length === 1 ? named[0] : undefined;
  };
}

function firstOf(
  count: number,
  pathOf: (index: number) => string | undefined,
  find: (path: string) => string | undefined,
): string | undefined {
  for (let index = 0; index < count; index++) {
    const path = pathOf(index);
    const found = path === undefined ? undefined : find(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

function* spellings(path: string): Generator<string> {
  if (path !== '' && !path.endsWith('/')) {
    yield path;
    for (const ending of ENDINGS) yield path + ending;
    const stem = /^(.+)\.html?$/i.exec(path)?.[1];
    if (stem !== undefined) for (const ending of ENDINGS) yield stem + ending;
  }
  const folder = path === '' || path.endsWith('/') ? path : `${path}/`;
  for (const index of INDEXES) for (const ending of ENDINGS) yield folder + index + ending;
}

/** Returns the path below the root, or `undefined` if it would be above it. */
function joined(folder: readonly string[], path: string): string | undefined {
  const parts = [...folder];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/') + (path.endsWith('/') && parts.length > 0 ? '/' : '');
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function keyOf(path: string): string {
  return startOfText(path).normalize('NFC').toLowerCase();
}
