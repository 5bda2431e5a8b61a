import { ServiceError } from '../../base/errors.ts';
import type { Means } from '../../base/schema/means.ts';
import {
  carried,
  reordered,
  type Span,
  type Written,
  withoutOrigin,
  withSpace,
} from '../../base/text/authorship.ts';
import { asInTextArea, textAreaOffsets } from '../../base/text/text-area.ts';
import { bestEffortWrite } from '../../core/best-effort-write.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { firstWithNotes } from '../../core/revision/readable-text-service.ts';
import { loadRevisionText } from '../../core/revision/revision-text.ts';
import { listWrittenSpans } from '../../core/revision/written-span-store.ts';
import type { Reader } from '../../storage/sql/sql.ts';
import { getRevision, textGone } from '../revisions/revision-service.ts';
import {
  findSpans,
  insertSpans,
  listKnownVersions,
  listWrites,
  type Origin,
  type TextWriteRow,
} from './authorship-store.ts';

/** How long one request may take to compare revisions. */
const WITHIN_MS = 5_000;

/** A write that words of a text come from. */
export interface Source {
  revision: number;
  /** A username; `null` if the account is gone. */
  author: string | null;
  via: Means | null;
  viaName: string | null;
  createdAt: string;
}

/** A part of a text, and who wrote it. */
export interface AuthoredSpan {
  /** In UTF-16 code units of the text as it is stored. */
  start: number;
  end: number;
  /** `null` if the texts from which this could be seen are gone. */
  source: Source | null;
}

export interface Authorship {
  document: DocumentRow;
  revision: number;
  text: string;
  /** In order and without gaps. */
  spans: AuthoredSpan[];
}

/**
 * Tells who wrote each part of a text. Words that stay from one revision to the next keep their
 * author, also if somebody moves them; a restored text keeps those that it had. What an accepted suggestion or several people in
 * the editor wrote is theirs.
 *
 * @param number a revision; the current one if absent
 * @throws NOT_FOUND if the document or the revision is missing or the actor can't read it;
 *   UNPROCESSABLE if the text is gone; UNAVAILABLE if so many revisions have to be compared that it
 *   takes another request; RATE_LIMITED if too many of the actor's comparisons wait
 */
export async function getAuthorship(
  call: Call,
  ref: DocumentRef,
  number: number,
): Promise<Authorship> {
  const { document, text } = await getRevision(call, ref, number);
  if (text === undefined) throw textGone(number);
  const spans = await new Comparing(call, document.id).spansOf(number);
  const sourceOf = await sourcesOf(call.sql.read, document, number);
  const { outOf } = textAreaOffsets(text);
  const authored: AuthoredSpan[] = [];
  let at = 0;
  for (const [length, origin] of spans) {
    at += length;
    const source = sourceOf(origin);
    const last = authored.at(-1);
    if (last?.source === source) last.end = outOf(at);
    else authored.push({ start: last?.end ?? 0, end: outOf(at), source });
  }
  return { document, revision: number, text, spans: authored };
}

/** Compares the revisions of a document, as long as one request may take. */
class Comparing {
  readonly #call: Call;
  readonly #documentId: string;
  readonly #deadline = performance.now() + WITHIN_MS;

  constructor(call: Call, documentId: string) {
    this.#call = call;
    this.#documentId = documentId;
  }

  /** Returns the origins of a revision's text, and stores them. */
  async spansOf(number: number): Promise<readonly Span<Origin>[]> {
    const { read } = this.#call.sql;
    let { version: known, text, spans } = await this.#lastKnown(number);
    const writes = await listWrites(read, this.#documentId, { after: known, to: number });
    if (writes.length === 0) return spans;
    const written = await this.#writtenBetween(known, number);
    const restored = new Set(writes.map(({ restoredFrom }) => restoredFrom));
    const kept = new Map<number, readonly Span<Origin>[]>();
    let isAfterGap = text === undefined && writes[0]?.version !== 1;
    for (const write of writes) {
      if (performance.now() > this.#deadline) {
        if (text !== undefined) await this.#store(known, spans);
        throw new ServiceError(
          'UNAVAILABLE',
          `Finding out who wrote this takes longer: ${known} of ${number} revisions are compared. ` +
            'Try again, and it goes on from there.',
        );
      }
      const { version } = write;
      const next = await this.#text(version);
      if (next === undefined) {
        isAfterGap = true;
        continue;
      }
      spans =
        (await this.#restored(write, next, kept)) ??
        (await this.#carried(spans, [text ?? '', next], {
          origin: isAfterGap ? '' : String(version),
          written: isAfterGap ? [] : withSpace(written.get(version) ?? [], next),
          isTyped: write.sittingId !== null,
        }));
      isAfterGap = false;
      [known, text] = [version, next];
      if (restored.has(version)) kept.set(version, spans);
    }
    await this.#store(known, spans);
    return spans;
  }

  /** Finds the last revision whose origins are stored and whose text is there. */
  async #lastKnown(number: number) {
    const { read } = this.#call.sql;
    for (const version of await listKnownVersions(read, this.#documentId, number)) {
      const spans = await findSpans(read, this.#documentId, version);
      const text = spans && (await this.#text(version));
      if (spans && text !== undefined) return { version, text, spans };
    }
    return { version: 0, text: undefined, spans: [] as readonly Span<Origin>[] };
  }

  async #text(version: number): Promise<string | undefined> {
    const text = await loadRevisionText(this.#call, this.#documentId, version);
    return text === undefined ? undefined : asInTextArea(text);
  }

  /** Returns the origins that a restored text had, if they are known. */
  async #restored(
    { restoredFrom }: TextWriteRow,
    text: string,
    kept: ReadonlyMap<number, readonly Span<Origin>[]>,
  ): Promise<readonly Span<Origin>[] | undefined> {
    if (restoredFrom === null) return undefined;
    const spans = kept.get(restoredFrom) ?? (await this.spansOf(restoredFrom));
    const length = spans.reduce((sum, [each]) => sum + each, 0);
    return length === text.length ? spans : undefined;
  }

  async #carried(
    spans: readonly Span<Origin>[],
    texts: [before: string, after: string],
    {
      origin,
      written,
      isTyped,
    }: { origin: Origin; written: readonly Written<Origin>[]; isTyped: boolean },
  ): Promise<Span<Origin>[]> {
    const compare = (texts: [before: string, after: string]) =>
      this.#call.texts.run(this.#call.actor.id, 'rewritten', texts);
    const { order, edits } = await compare(texts);
    const found = carried(reordered(spans, order, origin), edits, origin, written);
    // All that was typed is stored. So what else looks new was there, and is compared without it.
    if (!isTyped || !found.some(([, each]) => each === origin)) return found;
    const [before, after] = texts;
    let [rest, at] = ['', 0];
    const typed = written.map(({ start, end }) => {
      rest += after.slice(at, start);
      at = end;
      return { from: rest.length, to: rest.length, length: end - start };
    });
    rest += after.slice(at);
    const stayed = await compare([before, rest]);
    const old = carried(reordered(spans, stayed.order, origin), stayed.edits, origin);
    return withoutOrigin(found, carried(old, typed, origin, written), origin);
  }

  async #writtenBetween(after: number, to: number): Promise<Map<number, Written<Origin>[]>> {
    const range = { from: after + 1, to };
    const rows = await listWrittenSpans(this.#call.sql.read, this.#documentId, range);
    const written = rows.map(({ version, start, length }) => ({
      version,
      range: { start, end: start + length, origin: `${version}+${start}` },
    }));
    const byVersion = Map.groupBy(written, ({ version }) => version);
    return new Map(
      [...byVersion].map(([version, all]) => [version, all.map(({ range }) => range)]),
    );
  }

  async #store(version: number, spans: readonly Span<Origin>[]): Promise<void> {
    const { sql } = this.#call;
    await bestEffortWrite(this.#call, () =>
      sql.transaction((tx) => insertSpans(tx, this.#documentId, { version, spans })),
    );
  }
}

/** Returns who wrote what comes from an origin, as the reader may see it. */
async function sourcesOf(
  db: Reader,
  document: DocumentRow,
  number: number,
): Promise<(origin: Origin) => Source | null> {
  const [writes, parts, notesFrom] = await Promise.all([
    listWrites(db, document.id, { after: 0, to: number }),
    listWrittenSpans(db, document.id, { from: 1, to: number }),
    firstWithNotes(db, document),
  ]);
  const byOrigin = new Map<Origin, Source>();
  const bySource = new Map<string, Source>();
  const times = new Map(writes.map(({ version, at }) => [version, at]));
  const add = (
    origin: Origin,
    write: Pick<TextWriteRow, 'version' | 'author' | 'via' | 'viaName'>,
  ) => {
    const { version, author, via } = write;
    const viaName = version >= notesFrom ? write.viaName : null;
    const source = { revision: version, author, via, viaName, createdAt: times.get(version) ?? '' };
    const key = JSON.stringify(source);
    const same = bySource.get(key) ?? source;
    bySource.set(key, same);
    byOrigin.set(origin, same);
  };
  for (const write of writes) add(String(write.version), write);
  for (const part of parts) add(`${part.version}+${part.start}`, part);
  return (origin) => byOrigin.get(origin) ?? null;
}
