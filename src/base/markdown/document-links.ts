import { slug } from 'github-slugger';
import { nameFromFile } from '../text/document-name.ts';

/** Files, and names of other documents, as in `./plan.md#part`, `../grace/plan.md`, `dice.html`. */
const ADDRESS =
  /^(?:\.\/)?(?:(?<up>\.\.)\/)?(?:(?<folder>[^/?#]+)\/)?(?<stem>[^/?#]+)\.(?<ending>md|markdown|html?)(?:\?[^#]*)?(?<fragment>#.*)?$/i;

/** `mailto:joe@example.md` and other addresses with a scheme are no files. */
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** The folders of an export. No owner has such a name. */
const FOLDERS = ['briefs', 'pages'];

/** The file endings of pictures and other media. */
export const MEDIA = /\.(?:png|jpe?g|gif|webp|svg|avif|bmp|pdf|mp[34]|webm|mov|wav|ogg)$/i;

/** A link from one document to another. */
export interface DocumentLink {
  /** The owner, if the link names one. */
  owner: string | undefined;
  kind: 'brief' | 'page';
  name: string;
  /** `#part`, as it is written. May be empty. */
  fragment: string;
}

/**
 * Reads a link to another document: `name.md`, `name.html` or these below `../owner/`, as files of
 * one folder refer to one another. The name is the one that a file of this name gets. A query is
 * dropped.
 *
 * @returns `undefined` for any other address
 */
export function documentLink(address: string): DocumentLink | undefined {
  if (SCHEME.test(address)) return undefined;
  const { up, folder, stem = '', ending = '', fragment = '' } = ADDRESS.exec(address)?.groups ?? {};
  const isOfExport = folder !== undefined && FOLDERS.includes(folder);
  // A folder beside the document isn't an owner.
  if ((folder !== undefined && !isOfExport && !up) || (up && folder === undefined))
    return undefined;
  if (folder !== undefined && !/^[\w-]+$/.test(folder)) return undefined;
  const name = nameFromFile(decoded(stem));
  if (name === undefined) return undefined;
  const kind = ending.toLowerCase().startsWith('m') ? 'brief' : 'page';
  return { owner: isOfExport ? undefined : folder, kind, name, fragment };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns the address of a linked document, without its fragment.
 *
 * @param base the path of the documents of the owner whose document has the link, such as `/ada/`;
 *   empty for an address that is relative to the document's
 */
export function pathOfLink({ owner, kind, name }: DocumentLink, base: string): string {
  const own = `${kind === 'page' ? 'pages/' : ''}${encodeURIComponent(name)}`;
  if (owner === undefined) return base + own;
  return `${base === '' ? '../' : base.replace(/[^/]+\/$/, '')}${owner}/${own}`;
}

/** What `[[target#heading|label]]` says. */
export interface Wikilink {
  /** Name or path of the document. Empty for a heading of the same document. */
  target: string;
  /** The heading, without its `#`. */
  heading: string | undefined;
  label: string | undefined;
  /** Whether it is `![[…]]`. */
  isEmbed: boolean;
  /** Where it begins and ends in the block's content. */
  start: number;
  end: number;
}

/**
 * Returns the address of what a wikilink names, as {@link documentLink} reads it; `undefined` if it
 * is a picture or names nothing. `[[owner/name]]` is another owner's document, and of a longer path
 * only the last part counts: there are no folders.
 */
export function addressOfWikilink({
  target,
  heading,
}: Pick<Wikilink, 'target' | 'heading'>): string | undefined {
  const fragment = heading === undefined ? '' : `#${slug(heading)}`;
  if (target === '') return fragment;
  if (MEDIA.test(target) || SCHEME.test(target)) return undefined;
  const parts = target.split('/');
  const last = parts.at(-1) as string;
  const file = /\.(?:md|html?)$/i.test(last) ? last : `${last}.md`;
  const owner = parts.length === 2 ? `../${parts[0]?.toLowerCase()}/` : '';
  const address = owner + encodeURIComponent(file) + fragment;
  return documentLink(address) && address;
}
