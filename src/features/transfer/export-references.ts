import { documentLink } from '../../base/markdown/document-links.ts';
import type { Reference } from '../../base/markdown/reference.ts';
import { KINDS, type Kind } from '../../base/schema/kind.ts';
import { presentAddress } from '../../base/text/former-address.ts';
import type { Context } from '../../core/context.ts';
import { DOCUMENT_ACTS, refOfAddress } from '../../core/document/addresses.ts';
import { normaliseRef } from '../../core/document/document-ref.ts';
import { isNameTaken } from '../../core/document/document-store.ts';
import { type FileRow, findFileByAddress } from '../files/file-store.ts';

const ENDING_BY_KIND = { brief: 'md', page: 'html' } as const satisfies Record<Kind, string>;

export function documentInExport(kind: Kind, name: string): string {
  return `${KINDS[kind].segment}/${name}.${ENDING_BY_KIND[kind]}`;
}

/** Returns the path of an uploaded file in an export. */
export function fileInExport({ id, name }: Pick<FileRow, 'id' | 'name'>): string {
  return `files/${id}-${name}`;
}

/** Makes the references of exported texts lead to the files of the archive. */
export interface ExportedReferences {
  /** @throws BackEndUnavailable */
  relative(kind: Kind, text: string): Promise<string>;
  /** The uploaded files that texts refer to so far, by id. */
  files: Map<string, FileRow>;
}

/**
 * Addresses of the owner's documents and of uploaded files become relative paths in the archive,
 * which an import turns into addresses again. Anyone who has a file's address can fetch it, so the
 * archive may have it whoever uploaded it.
 */
export function exportedReferences(
  context: Context,
  key: string,
  owner: { id: string; namespace: string },
): ExportedReferences {
  const formers = context.formerAddresses;
  const own = [context.webUrl, context.renderUrl, ...formers.map(({ from }) => from)];
  const files = new Map<string, FileRow>();
  const known = new Map<string, boolean>();

  async function isExported(kind: Kind, name: string): Promise<boolean> {
    const path = documentInExport(kind, name);
    const wanted = { ownerId: owner.id, kind, name, exceptId: '' };
    const exists = known.get(path) ?? (await isNameTaken(context.sql.read, wanted));
    known.set(path, exists);
    return exists;
  }

  async function newPath(from: Kind, reference: Reference): Promise<string | undefined> {
    const { form } = reference;
    const path = presentAddress(reference.path, formers);
    if (form === 'wikilink' || form === 'embed') return undefined;
    const file = await fileAt(path);
    if (file) {
      files.set(file.id, file);
      return `../${encodedPath(fileInExport(file))}`;
    }
    const to = from === 'brief' ? (linkedBeside(path) ?? linkedAt(path)) : linkedAt(path);
    if (!to || to.owner !== owner.namespace || !(await isExported(to.kind, to.name))) {
      return undefined;
    }
    const [, name = ''] = documentInExport(to.kind, to.name).split('/');
    return `${to.kind === from ? '' : `../${KINDS[to.kind].segment}/`}${encodeURIComponent(name)}`;
  }

  async function fileAt(path: string): Promise<FileRow | undefined> {
    const prefix = `${context.renderUrl}/files/`;
    const address = path.startsWith(prefix)
      ? path.slice(prefix.length).split('/', 1)[0]
      : undefined;
    return address ? findFileByAddress(context.sql.read, address) : undefined;
  }

  /** Reads what another document is called by a brief: `dice.html`. */
  function linkedBeside(path: string) {
    const link = path.startsWith('/') ? undefined : documentLink(encodeURI(path));
    return link && { ...link, owner: link.owner ?? owner.namespace };
  }

  /** Reads an address of a document, in the app or in public. */
  function linkedAt(path: string) {
    const url = path.startsWith('/') ? context.webUrl + encodeURI(path) : path;
    if (!url.startsWith('http') || url.startsWith(`${context.baseUrl}/`)) return undefined;
    const act = new URL(url).pathname.split('/')[1] ?? '';
    if (act !== 'read' && (DOCUMENT_ACTS as readonly string[]).includes(act)) return undefined;
    const ref = refOfAddress(context, url);
    return ref?.revision === undefined && ref ? normaliseRef(ref) : undefined;
  }

  return {
    files,
    async relative(kind, text) {
      const references = await context.markdown.references(key, text, kind, own);
      if (!references) return text;
      const addresses = [];
      for (const reference of references) addresses.push(await newPath(kind, reference));
      if (addresses.every((address) => address === undefined)) return text;
      return (await context.markdown.rewriteReferences(key, text, kind, addresses, own)) ?? text;
    },
  };
}

function encodedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
