import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DATA_PICTURES, isDataPicture } from '../../src/base/markdown/reference.ts';
import {
  type Reference,
  referencesIn,
  replaceReferences,
} from '../../src/base/markdown/references.ts';
import { KINDS, type Kind } from '../../src/base/schema/kind.ts';
import { nameFromFile } from '../../src/base/text/document-name.ts';
import { merge3 } from '../../src/base/text/merge.ts';
import type { Api } from './api.ts';
import {
  addressOfDocument,
  type DocumentRef,
  parseDocumentAddress,
  pathOf,
} from './document-ref.ts';
import { fileNameOf, kindOfFile, type LocalFile, pathBelow } from './files.ts';
import {
  folderMemoryPath,
  type Place,
  readFolderMemory,
  writeFolderMemory,
} from './folder-memory.ts';
import { Inlined } from './inlined.ts';
import { isSame, unified, withBreaksOf } from './line-breaks.ts';
import { Links } from './links.ts';
import type { Memory } from './memory.ts';
import { recallFile } from './recall-file.ts';
import { type Root, Roots } from './roots.ts';
import { Uploads } from './uploads.ts';

/** Where a file's document is, or will be. */
export type Home = Pick<DocumentRef, 'server' | 'owner'> & {
  /** Whether the file gets a document in this run, as may those that it refers to. */
  isNew?: boolean;
};

/** What a text needs to have so that it can have references; parsing takes longer. */
const MAYBE = /\]\(|\[\[|\]:|(?:src|href|poster|data|srcset)\s*=/i;

/**
 * The difference between the text of a file and that of its document: references. In a file they
 * name files of its folder, in a document other documents and uploaded pictures. What is sent comes
 * from the file alone, so an unchanged file gives the same text each time. What is written to a file
 * keeps its lines as they are, unless they changed in the document. References to pictures that came
 * with a document's text stay as they are: whoever can change a document must not get files of its
 * readers by naming them.
 */
export class Bodies {
  readonly #roots: Roots;
  readonly #uploads = new Uploads();
  readonly #inlined = new Inlined();
  readonly #named: ((path: string) => DocumentRef | undefined) | undefined;
  readonly #expected: (path: string) => string | undefined;
  /**
   * The documents of files, by the file that refers to them and their own path. A file that others
   * refer to may get its document while they are sent: what is sent and what is written then must
   * read the same references in the same way.
   */
  readonly #documents = new Map<string, Map<string, DocumentRef | undefined>>();
  /** Files that refer to others or are referred to, by the folder and their paths. */
  readonly #involved = new Map<string, Map<string, LocalFile>>();
  /** The hashes of pictures that files refer to, by the folder and the path below it. */
  readonly #pictures = new Map<string, Map<string, string>>();
  /** The references to files that came with documents' texts, by root and the path below it. */
  readonly #received = new Map<string, Record<string, string[]>>();
  /** Roots in which these have changed. */
  readonly #changed = new Set<string>();
  /** Roots in which references were found. */
  readonly #used = new Set<string>();
  /** Files that were written, by their paths. What they refer to may be written later. */
  readonly written = new Map<string, LocalFile>();

  /**
   * @param paths the arguments of the command
   * @param named returns the document of a file if names decide that, not what files store
   * @param expected returns the name that the document of a file will most likely get in this run, so
   *   that others can refer to it before
   */
  constructor(
    paths: readonly string[],
    named?: (path: string) => DocumentRef | undefined,
    expected: (path: string) => string | undefined = () => undefined,
  ) {
    this.#expected = expected;
    const folders = paths.filter((path) => existsSync(path) && statSync(path).isDirectory());
    this.#roots = new Roots(folders.map((path) => realpathSync(path)));
    this.#named = named;
  }

  hasReferences(body: string): boolean {
    return MAYBE.test(body);
  }

  /**
   * Finds the addresses of pictures that a text shows. Those that a page shows go inside.
   *
   * @param mode whether to upload those that aren't on the server
   * @param hasOwnText whether the text isn't just that of the document. Otherwise, what is written into
   *   it stays
   * @returns whether {@link toDocument} can return another text than before this call
   */
  async provide(
    api: Api,
    file: LocalFile,
    body: string,
    mode: 'find' | 'upload',
    hasOwnText = true,
  ): Promise<boolean> {
    if (!this.hasReferences(body) || file.path === '') return false;
    let isNew = false;
    let uploaded = 0;
    const root = this.#roots.of(file.path);
    for (const reference of referencesIn(body, file.kind, hasOwnText ? dataIn(file) : [])) {
      const path = targetOf(root, file, reference);
      if (path === undefined || kindOfFile(path) || !this.#uploads.isUsable(path)) continue;
      if (this.#isReceived(root, file, reference)) continue;
      if (isInside(file, reference)) {
        await this.#inlined.provide(path);
        isNew = true;
        continue;
      }
      const isKnown = this.#uploads.addressOf(root.folder, api.server, path) !== undefined;
      // Another file may have provided it since the text was read.
      if (!(await this.#uploads.provide(root.folder, api, path, mode))) continue;
      isNew = true;
      if (isDataPicture(reference) && !isKnown) uploaded += 1;
    }
    if (uploaded > 0) {
      const what = uploaded === 1 ? 'A picture that is' : `${uploaded} pictures that are`;
      api.notice(`${file.shown}: ${what} written into it: uploaded. The file stays as it is.`);
    }
    return isNew;
  }

  /** Returns what is sent of a file's text. */
  toDocument(home: Home, file: LocalFile, body: string): string {
    return this.#replace(home, file, body, () => {});
  }

  /**
   * @param found receives each reference that changes, the file it means, what is sent for it, and the
   *   address in that
   */
  #replace(
    home: Home,
    file: LocalFile,
    body: string,
    found: (reference: Reference, path: string, sent: string, address: string) => void,
  ): string {
    if (!this.hasReferences(body) || file.path === '') return body;
    const root = this.#roots.of(file.path);
    this.#involve(root, file);
    const inside = this.#inside(file, body);
    const replaced = (reference: Reference, write: (address: string) => string | undefined) => {
      const path = targetOf(root, file, reference) ?? goneTarget(root, file, reference);
      if (path === undefined || this.#isReceived(root, file, reference)) return undefined;
      if (!kindOfFile(path) && !isDataPicture(reference)) this.#notePicture(root, path);
      const address = isInside(file, reference)
        ? inside.get(reference.start)
        : this.#addressOf(home, root, file, path);
      const sent = address === undefined ? undefined : write(address);
      if (sent !== undefined) found(reference, path, sent, address as string);
      return sent;
    };
    return replaceReferences(body, file.kind, replaced, dataIn(file));
  }

  /** Returns the pictures that go inside a page, as far as it has room, by where their references begin. */
  #inside(file: LocalFile, body: string): Map<number, string> {
    const inside = new Map<number, string>();
    if (file.kind !== 'page') return inside;
    const root = this.#roots.of(file.path);
    let room = KINDS.page.contentLimitBytes - Buffer.byteLength(body);
    for (const reference of referencesIn(body, file.kind)) {
      const path = isInside(file, reference) ? targetOf(root, file, reference) : undefined;
      const address = path === undefined ? undefined : this.#inlined.addressOf(path);
      if (address === undefined || address.length > room) continue;
      room -= address.length;
      inside.set(reference.start, address);
    }
    return inside;
  }

  /**
   * Returns what is written to a file of its document's text. Keeps the file's line breaks, and its
   * lines that didn't change.
   *
   * @param body the file's text until now; `undefined` for a new file
   */
  toFile(home: Home, file: LocalFile, body: string | undefined, text: string): string {
    if (this.hasReferences(text)) this.written.set(file.path, file);
    this.#receive(file, body ?? '', text);
    if (body === undefined) return this.#localised(home, file, '', text);
    const sent = this.toDocument(home, file, body);
    if (isSame(sent, text)) return body;
    const there = unified(this.#localised(home, file, body, text));
    const here = unified(this.#localised(home, file, body, sent));
    const kept = merge3(here, there, unified(body)).text;
    const isRight = (each: string) => isSame(this.toDocument(home, file, each), text);
    return withBreaksOf(body, [kept, there, unified(text)].find(isRight) ?? there);
  }

  /**
   * Makes references of a file lead to files that were moved or renamed, also if it was moved itself.
   *
   * @param memory what the file stores, if it is linked
   */
  follow(file: LocalFile, body: string, memory: Pick<Memory, 'id'> | undefined): string {
    if (!this.hasReferences(body) || file.path === '') return body;
    const root = this.#roots.of(file.path);
    if (root.gone().isEmpty) return body;
    const from = root.gone().pathOf(memory?.id);
    const before = from === undefined ? undefined : { ...file, path: join(root.folder, from) };
    if (before) this.#moveReceived(root, before, file);
    const next = replaceReferences(body, file.kind, (reference, write) => {
      if (targetOf(root, file, reference) || this.#isReceived(root, file, reference)) return;
      const path =
        (before && targetOf(root, before, reference)) ??
        this.#movedTarget(root, file, reference) ??
        (before && this.#movedTarget(root, before, reference));
      if (path === undefined) return;
      if (!isWiki(reference)) return write(writtenPath(file, path));
      const target = wikiTarget(root, file, reference, path);
      return body.slice(reference.start, reference.end).replace(reference.path, () => target);
    });
    if (next !== body) this.written.set(file.path, file);
    return next;
  }

  /** Makes references of a file that name no file name those that have come since. */
  toFileAgain(home: Home, file: LocalFile, body: string): string {
    const root = this.#roots.of(file.path);
    const next = replaceReferences(body, file.kind, (reference, write) => {
      if (targetOf(root, file, reference)) return undefined;
      const there = body.slice(reference.start, reference.end);
      return localReference(home, root, file, reference, there, write);
    });
    const text = this.toDocument(home, file, body);
    return isSame(this.toDocument(home, file, next), text) ? next : body;
  }

  /**
   * Finds the references of a text that lead nowhere: to no file, or to one that isn't sent.
   *
   * @param which `gone`: only those to files that had documents
   */
  unresolvedIn(file: LocalFile, body: string, which: 'all' | 'gone' = 'all'): string[] {
    if (!this.hasReferences(body) || file.path === '') return [];
    const root = this.#roots.of(file.path);
    const inside = which === 'all' ? this.#inside(file, body) : undefined;
    if (which === 'gone' && root.gone().isEmpty) return [];
    const unresolved = referencesIn(body, file.kind).filter((reference) => {
      if (which === 'gone') {
        return !targetOf(root, file, reference) && goneTarget(root, file, reference);
      }
      const path = targetOf(root, file, reference);
      if (path === undefined || this.#isReceived(root, file, reference)) return true;
      if (isInside(file, reference)) return !inside?.has(reference.start);
      return !(kindOfFile(path) || this.#uploads.isUsable(path));
    });
    return [...new Set(unresolved.map(({ path }) => path))];
  }

  /** Returns the paths of files whose references mean other documents since they were read. */
  outdated(): Set<string> {
    const paths = new Set<string>();
    const now = new Map<string, string | undefined>();
    for (const [from, documents] of this.#documents) {
      for (const [path, document] of documents) {
        if (!now.has(path)) {
          const kind = kindOfFile(path) as Kind;
          now.set(path, shownAddress(this.#documentAt(this.#roots.of(from), path, kind)));
        }
        if (now.get(path) !== shownAddress(document)) paths.add(from);
      }
    }
    return paths;
  }

  /** Makes the next text read files again, after documents were created or renamed. */
  forget(): void {
    this.#documents.clear();
    this.#roots.forget();
  }

  /** Stores the addresses of pictures, and marks folders to which references were relative. */
  save(): void {
    this.#uploads.save();
    for (const folder of this.#changed) {
      const received = this.#receivedIn(folder);
      writeFolderMemory(folder, { ...readFolderMemory(folder), received });
    }
    this.#changed.clear();
    for (const folder of this.#used) {
      if (!existsSync(folderMemoryPath(folder))) writeFolderMemory(folder, { uploads: {} });
    }
    this.#savePlaces();
  }

  /** Stores where files and pictures are, in folders that store something. */
  #savePlaces(): void {
    for (const [folder, files] of this.#involved) {
      if (!existsSync(folderMemoryPath(folder))) continue;
      const places = new Map<string, Place>();
      for (const { file, memory } of Links.read([...files.values()])) {
        if (memory.id === undefined) continue;
        const address = addressOfDocument(memory.document);
        places.set(pathBelow(folder, file.path), { id: memory.id, address });
      }
      const memory = readFolderMemory(folder);
      const ids = new Set(Array.from(places.values(), ({ id }) => id));
      // A moved file is at one place.
      const others = Object.entries(memory.places ?? {}).filter(([, { id }]) => !ids.has(id));
      const shown = this.#pictures.get(folder) ?? new Map<string, string>();
      const hashes = new Set(shown.values());
      const otherPictures = Object.entries(memory.pictures ?? {}).filter(
        ([path, hash]) => !hashes.has(hash) || existsSync(join(folder, path)),
      );
      const sorted = Object.entries(Object.fromEntries([...others, ...places])).sort();
      const next = {
        places: Object.fromEntries(sorted),
        pictures: Object.fromEntries([...otherPictures, ...shown].sort()),
      };
      const { places: before = {}, pictures = {} } = memory;
      if (isDeepStrictEqual(next, { places: before, pictures })) continue;
      writeFolderMemory(folder, { ...memory, ...next });
    }
  }

  #involve({ folder }: Root, file: LocalFile): void {
    const files = this.#involved.get(folder) ?? new Map();
    this.#involved.set(folder, files.set(file.path, file));
  }

  #notePicture(root: Root, path: string): void {
    const below = pathBelow(root.folder, path);
    const hash = root.gone().hashOf(below) ?? this.#uploads.hashOf(path);
    const pictures = this.#pictures.get(root.folder) ?? new Map<string, string>();
    this.#pictures.set(root.folder, pictures);
    if (hash !== undefined) pictures.set(below, hash);
  }

  /** Finds where a file is now that was there, and that a reference means. */
  #movedTarget(root: Root, file: LocalFile, reference: Reference): string | undefined {
    const gone = goneTarget(root, file, reference);
    if (gone === undefined) return undefined;
    const below = pathBelow(root.folder, gone);
    const hash = root.gone().hashOf(below);
    if (hash !== undefined) {
      const namesakes = root.paths.filter((path) => basename(path) === basename(gone));
      const paths = namesakes.map((path) => join(root.folder, path));
      return paths.find((path) => this.#uploads.hashOf(path) === hash);
    }
    const place = root.gone().at(below);
    const document = place && parseDocumentAddress(place.address);
    const files = document ? root.links().filesOf({ document, id: place.id }) : [];
    return files.length === 1 ? files[0]?.path : undefined;
  }

  /** What came with a document's text stays that, wherever its file is. */
  #moveReceived(root: Root, before: LocalFile, file: LocalFile): void {
    const { [pathBelow(root.folder, before.path)]: moved, ...others } = this.#receivedIn(
      root.folder,
    );
    if (!moved) return;
    const below = pathBelow(root.folder, file.path);
    const all = [...new Set([...(others[below] ?? []), ...moved])];
    this.#received.set(root.folder, { ...others, [below]: all });
    this.#changed.add(root.folder);
  }

  /** Notes which references to files come with a text that is written to a file. */
  #receive(file: LocalFile, body: string, text: string): void {
    const root = this.#roots.of(file.path);
    const all = this.#receivedIn(root.folder);
    const below = pathBelow(root.folder, file.path);
    const before = all[below] ?? [];
    const pathsIn = (each: string) =>
      this.hasReferences(each) ? referencesIn(each, file.kind).map(({ path }) => path) : [];
    const own = new Set(pathsIn(body).filter((path) => !before.includes(path)));
    const paths = new Set(pathsIn(text).filter((path) => !own.has(path) && isOfFile(path)));
    if (paths.size === 0 && before.length === 0) return;
    const { [below]: _, ...others } = all;
    this.#received.set(root.folder, paths.size > 0 ? { ...others, [below]: [...paths] } : others);
    this.#changed.add(root.folder);
  }

  #isReceived(root: Root, file: LocalFile, { path }: Reference): boolean {
    return !!this.#receivedIn(root.folder)[pathBelow(root.folder, file.path)]?.includes(path);
  }

  #receivedIn(folder: string): Record<string, string[]> {
    const received = this.#received.get(folder) ?? readFolderMemory(folder).received ?? {};
    this.#received.set(folder, received);
    return received;
  }

  #addressOf(home: Home, root: Root, file: LocalFile, path: string): string | undefined {
    this.#used.add(root.folder);
    const kind = kindOfFile(path);
    if (!kind && isDataPicture({ path }))
      return this.#uploads.addressOf(root.folder, home.server ?? '', path);
    if (!kind) {
      const hash = root.gone().hashOf(pathBelow(root.folder, path));
      return this.#uploads.addressOf(root.folder, home.server ?? '', path, hash);
    }
    const documents = this.#documents.get(file.path) ?? new Map();
    this.#documents.set(file.path, documents);
    if (!documents.has(path)) {
      const { isNew, ...place } = home;
      const name = isNew ? this.#expected(path) : undefined;
      const later = name === undefined ? undefined : { ...place, kind, name };
      documents.set(path, this.#documentAt(root, path, kind) ?? later);
    }
    this.#involve(root, { shown: path, path, kind });
    const document = documents.get(path);
    if (!document) return undefined;
    const server = document.server ?? home.server;
    const isNear = server === home.server && document.owner === home.owner;
    if (isNear && file.kind === 'brief') return fileNameOf(kind, document.name);
    return addressOfDocument({ ...document, server });
  }

  #documentAt(root: Root, path: string, kind: Kind): DocumentRef | undefined {
    const named = this.#named?.(path);
    if (named) return named;
    const gone = root.gone().at(pathBelow(root.folder, path));
    if (gone) return parseDocumentAddress(gone.address);
    try {
      return recallFile({ shown: path, path, kind }).memory?.document;
    } catch {
      return undefined;
    }
  }

  /**
   * Makes the references of a document's text name files, as far as there are such files. What the
   * file sends as a reference comes back as the file writes it.
   */
  #localised(home: Home, file: LocalFile, body: string, text: string): string {
    if (!this.hasReferences(text)) return text;
    const root = this.#roots.of(file.path);
    const written = new Map<string, string>();
    /** How the file's wikilinks name documents whose wikilinks may have got other labels. */
    const targets = new Map<string, string>();
    let result = text;
    this.#replace(home, file, body, (reference, path, sent, address) => {
      const before = body.slice(reference.start, reference.end);
      let after = sent;
      if (isDataPicture(reference)) result = result.replaceAll(sent, () => before);
      else if (!kindOfFile(path)) {
        // The whole reference became a link or picture.
        if (isWiki(reference)) result = result.replaceAll(sent, () => before);
        const local = writtenPath(file, path);
        result = result.replaceAll(address, () => local);
        after = sent.replaceAll(address, () => local);
      }
      const form = after.startsWith('[[') ? 'wikilink' : reference.form;
      const target = /^\[\[([^#|\\\]]+)/.exec(after)?.[1];
      if (target !== undefined && !targets.has(target)) targets.set(target, reference.path);
      const key = `${form} ${after}`;
      // Spaces and entities don't mean the same everywhere: Markdown, attributes, lists in them.
      const isFine = form === 'wikilink' || !/[\s<>"'&]/.test(before);
      if (isFine && !written.has(key)) written.set(key, before);
    });
    return replaceReferences(result, file.kind, (reference, write) => {
      const { form, start, end } = reference;
      const there = result.slice(start, end);
      const own = written.get(`${form} ${there}`);
      if (own !== undefined) return own;
      const known = form === 'wikilink' ? targets.get(reference.path) : undefined;
      if (known !== undefined) return withTarget(there, reference, known);
      return localReference(home, root, file, reference, there, write);
    });
  }
}

/** Returns how the pictures begin that are written into a text, of a brief, which doesn't show them. */
function dataIn({ kind }: LocalFile): string[] {
  return kind === 'brief' ? [DATA_PICTURES] : [];
}

/** Tells whether a reference can't mean a document, but a file of the folder. */
function isOfFile(path: string): boolean {
  return /\.\w+$/.test(path) && !kindOfFile(path) && !/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(path);
}

/**
 * Writes a reference in a document's text so that it names the document's file.
 *
 * @param there the reference as it stands there
 * @returns `undefined` if it does already, or there is no such file
 */
function localReference(
  home: Home,
  root: Root,
  file: LocalFile,
  reference: Reference,
  there: string,
  write: (address: string) => string | undefined,
): string | undefined {
  const named = namedIn(reference);
  if (named === undefined) return undefined;
  const document: DocumentRef = { server: home.server, owner: home.owner, ...named };
  const [target] = root.links().filesOf({ document });
  const meant = targetOf(root, file, reference);
  if (!target || meant === target.path) return undefined;
  if (reference.form !== 'wikilink') return write(writtenPath(file, target.path));
  // Sent as it is, it means the document. With another target, it would need a label.
  if (meant === undefined && reference.label === undefined) return undefined;
  return withTarget(there, reference, wikiTarget(root, file, reference, target.path));
}

/** Changes what a wikilink names, not what readers see. */
function withTarget(written: string, { path, fragment, label }: Reference, target: string): string {
  const next = written.replace(path, () => target);
  return label === undefined ? next.replace(/\]\]$/, () => `|${path}${fragment}]]`) : next;
}

/** Finds the file that a reference means, also if it has the name of a document. */
function targetOf(
  root: Pick<Root, 'folder' | 'find'>,
  file: LocalFile,
  reference: Reference,
): string | undefined {
  const from = pathBelow(root.folder, file.path);
  const { form, path } = reference;
  if (isDataPicture(reference)) return path;
  const name = form === 'wikilink' ? nameFromFile(path) : undefined;
  const found =
    root.find(from, reference) ??
    (name === undefined ? undefined : root.find(from, { form, path: name }));
  return found === undefined ? undefined : join(root.folder, found);
}

/** Tells whether a picture is to be inside a page, which loads nothing. */
function isInside(file: LocalFile, { form, path }: Reference): boolean {
  return file.kind === 'page' && form === 'image' && !kindOfFile(path);
}

function isWiki({ form }: Reference): boolean {
  return form === 'wikilink' || form === 'embed';
}

/** Finds the file that was there, and that a reference means. */
function goneTarget(root: Root, file: LocalFile, reference: Reference): string | undefined {
  return targetOf({ folder: root.folder, find: root.gone().find }, file, reference);
}

/** Returns how a wikilink names a file: by its name, if no other file is meant then. */
function wikiTarget(root: Root, file: LocalFile, reference: Reference, path: string): string {
  const below = pathBelow(root.folder, path);
  const hasEnding = !kindOfFile(path) || kindOfFile(reference.path) !== undefined;
  const target = hasEnding ? below : below.replace(/\.[^./]*$/, '');
  const name = target.slice(target.lastIndexOf('/') + 1);
  return targetOf(root, file, { ...reference, path: name }) === path ? name : target;
}

function shownAddress(document: DocumentRef | undefined): string | undefined {
  return document && `${document.server} ${pathOf(document)}`;
}

/** Returns which document of the same owner a reference in a document means. */
function namedIn(reference: Reference): Pick<DocumentRef, 'kind' | 'name'> | undefined {
  const { path } = reference;
  const [, stem, ending = 'md'] = /^(?:\.\/)?([^/]+)\.(md|html)$/.exec(path) ?? [];
  const name = isWiki(reference) ? nameFromFile(stem ?? path) : stem;
  return name === undefined ? undefined : { kind: ending === 'md' ? 'brief' : 'page', name };
}

/** Returns an address of one file in another. */
function writtenPath(file: LocalFile, path: string): string {
  const below = relative(dirname(file.path), path).split(/[\\/]/).join('/');
  return below.replace(/[%?#\s()<>]/g, (character) =>
    character === '(' ? '%28' : character === ')' ? '%29' : encodeURIComponent(character),
  );
}
