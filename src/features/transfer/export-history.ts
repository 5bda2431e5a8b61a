import { Readable } from 'node:stream';
import type { Context } from '../../core/context.ts';
import { listCoWriters, listRevisionRows } from '../../core/revision/revision-store.ts';
import { loadRevisionText } from '../../core/revision/revision-text.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { HISTORY_FOLDER } from './import-rules.ts';

const BATCH = 100;

/**
 * Adds every stored text of a document to an archive, as `history/<path without
 * ending>/<number>.<ending>`.
 *
 * @param path the current text's path in the archive
 * @returns the index entries of the revisions, newest first
 */
export async function addHistory(
  context: Context,
  archive: ArchiveWriter,
  { id, path }: { id: string; path: string },
): Promise<object[]> {
  const [, stem = path, ending = ''] = /^(.*)\.(\w+)$/.exec(path) ?? [];
  const entries: object[] = [];
  for (let number = 1; ; number++) {
    const { items } = await listRevisionRows(context.sql.read, id, { number, size: BATCH });
    const [to, from] = [items[0]?.version ?? 0, items.at(-1)?.version ?? 1];
    const coWriters = await listCoWriters(context.sql.read, id, { from, to });
    for (const { version, author, via, viaName, changed, message, at } of items) {
      const text = await loadRevisionText(context, id, version);
      const file = `${HISTORY_FOLDER}/${stem}/${version}.${ending}`;
      if (text !== undefined) {
        const bytes = Readable.from([Buffer.from(text)]);
        await archive.add({ path: file, bytes, modifiedAt: at });
      }
      const others = coWriters.filter((each) => each.version === version);
      const coAuthors = others.map(({ username }) => username);
      const about = {
        number: version,
        author,
        coAuthors,
        via,
        viaName,
        changed,
        message,
        createdAt: at,
      };
      entries.push({ ...(text !== undefined && { path: file }), ...about });
    }
    if (items.length < BATCH) return entries;
  }
}
