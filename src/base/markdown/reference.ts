/** How a reference is written. `resource` is a style sheet, script or frame of a page. */
export type ReferenceForm = 'link' | 'image' | 'definition' | 'wikilink' | 'embed' | 'resource';

/** A reference to a file or document at a relative address, or at one that begins with a slash. */
export interface Reference {
  form: ReferenceForm;
  /**
   * What it names, decoded: `../My File.md`, `/docs/a.md`; of a wikilink its target, `My note`.
   * Never empty, and no URL but those of this service, if they are asked for.
   */
  path: string;
  /** `#part`, as it is written; of a wikilink its heading after a `#`. May be empty. */
  fragment: string;
  /** The label of a wikilink or embed. */
  label: string | undefined;
  /** The range in the text that {@link Reference.path} is written in, with its markup if any. */
  start: number;
  end: number;
}

/** A reference and how its range is written with a new address. */
export interface PlacedReference extends Reference {
  write(address: string): string;
}

/**
 * Splits an address at its fragment; `undefined` if it isn't local. Drops a query.
 *
 * @param own the beginnings of URLs that count as local; they aren't decoded
 */
export function localAddress(
  address: string,
  own: readonly string[],
): { path: string; fragment: string } | undefined {
  const trimmed = address.trim();
  const isOwn = own.some((each) => trimmed.startsWith(`${each}/`));
  if (!isOwn && /^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(trimmed)) return undefined;
  const [, written = '', fragment = ''] = /^([^?#]*)(?:\?[^#]*)?(#.*)?$/s.exec(trimmed) ?? [];
  if (written === '') return undefined;
  return { path: isOwn ? written : decoded(written), fragment };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** As the beginning of an address that counts as local: pictures that are written into the text. */
export const DATA_PICTURES = 'data:image';

/** Tells whether a reference is a picture that is written into the text. */
export function isDataPicture({ path }: Pick<Reference, 'path'>): boolean {
  return path.startsWith(`${DATA_PICTURES}/`);
}
