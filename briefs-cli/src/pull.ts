import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { numberedName } from '../../src/base/text/document-name.ts';
import type { Api, RemoteDocument } from './api.ts';
import { type DocumentRef, pathOf } from './document-ref.ts';
import { fileNameOf, isTaken, type LocalFile, writeWhole } from './files.ts';
import { Ignored } from './ignored.ts';
import { isSame } from './line-breaks.ts';
import { identityOf } from './links.ts';
import { isFine, type Listed } from './lists.ts';
import { memoryOf, remember } from './memory.ts';
import { CommandError, type Result } from './outcome.ts';
import { each, type Run, report } from './run.ts';
import { storeSynced } from './synced.ts';
import { conflict, isLinked, pullLinked, readLinked, refuseCopy, writeBack } from './transfer.ts';

/** Updates a file that is linked to a document. */
export async function pullFile(run: Run, file: LocalFile): Promise<Result> {
  const read = readLinked(run, file);
  if (isLinked(read)) return refuseCopy(run, read) ?? pullLinked(run, read);
  return { file: file.shown, status: 'skipped', message: 'it hasn’t been pushed yet.' };
}

/**
 * Writes an owner's documents to a folder. Documents of files that `run` knows stay where they are.
 *
 * @param excludes patterns besides those of the folder's `.briefsignore`
 * @param linked whether to pull or leave the files that are already linked to one of the documents
 */
export async function pullOwner(
  run: Run,
  owner: string,
  into: string,
  linked: 'pull' | 'leave',
  excludes: readonly string[],
): Promise<void> {
  const api = await run.servers.at(undefined);
  const ignored = Ignored.in(into, excludes);
  const work: (() => Promise<Result>)[] = [];
  for (const listed of await run.lists.all(api, owner)) {
    const document = { server: api.server, ...listed };
    if (!isFine(listed, owner)) {
      work.push(async () => notAFile(listed));
      continue;
    }
    const files = run.links.filesOf({ document, id: listed.id });
    if (files.length === 0) {
      // A new file would be ignored from then on.
      if (ignored.has(fileNameOf(document.kind, document.name))) continue;
      work.push(() => pullInto(run, api, document, into));
    } else if (linked === 'pull') {
      for (const file of files) work.push(() => report(file, () => pullFile(run, file)));
    }
  }
  await each(run, work, (step) => step());
}

function notAFile({ owner, name }: Listed): Result {
  const file = `${owner}/${name}`;
  if (/^\.[\p{L}\p{Nd}]/u.test(name)) {
    const message = 'its name begins with a period, so it can’t be a file of a folder.';
    return { file, status: 'skipped', message };
  }
  const message = 'the server sent a name that can’t be a file name.';
  return { file, status: 'failed', message };
}

/** Writes a document to the file that is linked to it, or to a new one. */
export async function pullInto(
  run: Run,
  api: Api,
  ref: Omit<DocumentRef, 'server'>,
  into: string,
): Promise<Result> {
  const { links } = run;
  return report({ shown: join(into, fileNameOf(ref.kind, ref.name)) }, async () => {
    const document = await api.getDocument(ref);
    const [own] = links.filesOf(identityOf(document));
    if (own) return report(own, () => pullFile(run, own));
    if (!run.dryRun) mkdirSync(into, { recursive: true });
    for (let number = 1; ; number++) {
      const { name } = document.ref;
      const fileName = fileNameOf(ref.kind, number === 1 ? name : numberedName(name, number));
      const path = join(isTaken(into) ? realpathSync(into) : into, fileName);
      const folder = dirname(path);
      const file = { shown: join(into, fileName), path, kind: ref.kind, folder };
      if (!isTaken(path)) {
        links.add(file, identityOf(document));
        return writeNew(run, file, document);
      }
      if (
        !statSync(path, { throwIfNoEntry: false })?.isFile() ||
        lstatSync(path).isSymbolicLink()
      ) {
        throw new CommandError(
          'a folder or a symbolic link has this name, so nothing was written.',
        );
      }
      const read = readLinked(run, file);
      // That file has its own document. Names can move from one document to another.
      if (isLinked(read)) continue;
      if (isSame(read.text, document.text)) {
        links.add(file, identityOf(document));
        return writeBack(run, read, document, 'pulled');
      }
      const message =
        'another file has this name, so nothing was written. Rename it, or push it with ' +
        `--to ${pathOf(document.ref)} to compare both.`;
      return conflict(read, document.ref, message);
    }
  });
}

function writeNew({ dryRun, bodies }: Run, file: LocalFile, document: RemoteDocument): Result {
  const { ref, revision, text, url } = document;
  const body = bodies.toFile(ref, file, undefined, text);
  if (!dryRun) {
    const memory = memoryOf(document);
    writeWhole(file.path, remember(file.kind, body, memory));
    storeSynced(file, memory.id, memory);
  }
  return { file: file.shown, status: 'pulled', document: pathOf(ref), url, revision };
}
