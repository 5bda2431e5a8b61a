import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { isDataPicture } from '../../src/base/markdown/reference.ts';
import type { Api } from './api.ts';
import { type FolderMemory, readFolderMemory, writeFolderMemory } from './folder-memory.ts';
import { Turns } from './in-order.ts';
import { ApiError } from './outcome.ts';

/** Files that the service takes. It decides by their bytes; this only avoids requests. */
const EXTENSIONS = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp', '.pdf']);

const MAX_BYTES = 10 * 1024 * 1024;

interface Uploaded {
  name: string;
  url: string;
}

/**
 * The addresses of a folder's pictures, also of those that are written into a text: their path is their
 * `data:` address. Each content is uploaded once to a server: the folder stores
 * its address, and without that, it is looked for among the caller's files. There its name has the
 * hash of its content, because the service removes metadata from pictures.
 */
export class Uploads {
  readonly #memories = new Map<string, FolderMemory>();
  readonly #hashes = new Map<string, string | undefined>();
  readonly #turns = new Turns();
  readonly #lists = new WeakMap<Api, Promise<Uploaded[]>>();
  /** Those that the service refused. */
  readonly #refused = new Set<string>();
  readonly #changed = new Set<string>();

  /** Tells whether a file can be uploaded, as far as that is known. */
  isUsable(path: string): boolean {
    const hash = EXTENSIONS.has(extensionOf(path).toLowerCase()) ? this.hashOf(path) : undefined;
    return hash !== undefined && !this.#refused.has(hash);
  }

  /**
   * Returns a file's address at a server, if it is known.
   *
   * @param hash of its content, if it isn't there any more
   */
  addressOf(
    folder: string,
    server: string,
    path: string,
    hash = this.hashOf(path),
  ): string | undefined {
    return hash === undefined ? undefined : this.#memoryOf(folder).uploads[server]?.[hash];
  }

  /** Finds a file's address, or uploads it. @returns whether the address is known now */
  async provide(folder: string, api: Api, path: string, mode: 'find' | 'upload'): Promise<boolean> {
    const hash = this.hashOf(path);
    if (hash === undefined) return false;
    return this.#turns.take(hash, async () => {
      if (this.addressOf(folder, api.server, path) !== undefined) return true;
      if (this.#refused.has(hash)) return false;
      const name = uploadName(path, hash);
      const url =
        (await this.#find(api, name)) ??
        (mode === 'upload' ? await this.#upload(api, name, bytesOf(path)) : undefined);
      if (url === undefined) {
        if (mode === 'upload') this.#refused.add(hash);
        return false;
      }
      const { uploads } = this.#memoryOf(folder);
      uploads[api.server] = { ...uploads[api.server], [hash]: url };
      this.#changed.add(folder);
      return true;
    });
  }

  /** Stores new addresses in their folders. */
  save(): void {
    for (const folder of this.#changed) {
      const { uploads } = this.#memoryOf(folder);
      writeFolderMemory(folder, { ...readFolderMemory(folder), uploads });
    }
    this.#changed.clear();
  }

  async #find(api: Api, name: string): Promise<string | undefined> {
    const list = this.#lists.get(api) ?? listUploads(api);
    this.#lists.set(api, list);
    return (await list).find((each) => each.name === name)?.url;
  }

  /** @returns `undefined` if the service refuses it */
  async #upload(api: Api, name: string, bytes: Buffer): Promise<string | undefined> {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(bytes)]), name);
    const encoded = new Response(form);
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
    const body = new Uint8Array(await encoded.arrayBuffer());
    try {
      const { json } = await api.request('/user/files', { method: 'POST', headers, body });
      const url: unknown = json?.data?.url;
      return typeof url === 'string' && URL.canParse(url) ? url : undefined;
    } catch (error) {
      if (error instanceof ApiError && [413, 422].includes(error.status)) return undefined;
      throw error;
    }
  }

  #memoryOf(folder: string): FolderMemory {
    const memory = this.#memories.get(folder) ?? readFolderMemory(folder);
    this.#memories.set(folder, memory);
    return memory;
  }

  /** Returns the hash of a file's content; `undefined` if it isn't there, or too large. */
  hashOf(path: string): string | undefined {
    if (!this.#hashes.has(path)) {
      const isSmall = sizeOf(path) <= MAX_BYTES;
      const hash = createHash('sha256');
      this.#hashes.set(path, isSmall ? hash.update(bytesOf(path)).digest('hex') : undefined);
    }
    return this.#hashes.get(path);
  }
}

function uploadName(path: string, hash: string): string {
  const extension = extensionOf(path);
  const stem = isDataPicture({ path }) ? 'picture' : basename(path, extension).slice(0, 60);
  return `${stem}-${hash.slice(0, 16)}${extension}`;
}

function extensionOf(path: string): string {
  const [, type] = /^data:image\/([a-z]+);base64,/i.exec(path) ?? [];
  return type === undefined ? extname(path) : `.${type}`;
}

function bytesOf(path: string): Buffer {
  if (!isDataPicture({ path })) return readFileSync(path);
  return Buffer.from(path.slice(path.indexOf(',') + 1), 'base64');
}

function sizeOf(path: string): number {
  if (isDataPicture({ path })) return path.length;
  return statSync(path, { throwIfNoEntry: false })?.size ?? Number.POSITIVE_INFINITY;
}

async function listUploads(api: Api): Promise<Uploaded[]> {
  const all: Uploaded[] = [];
  for (let page = 1; ; page++) {
    const { json, headers } = await api.request(`/user/files?per_page=100&page=${page}`);
    all.push(...((json?.data ?? []) as Uploaded[]));
    if (!/rel="?next"?/.test(headers.get('link') ?? '')) return all;
  }
}
