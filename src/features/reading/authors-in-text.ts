import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { formatDay } from '../../surfaces/web/pages/format.tsx';
import { getAuthorship } from '../authorship/authorship-service.ts';
import { writerOf } from '../revisions/revision-parts.tsx';

/** The most passages that are marked. */
const MOST_PARTS = 2_000;

/** Who wrote the passages of a rendered brief (`features/authorship/client/who-wrote.ts`). */
export interface AuthorsInText {
  revision: number;
  writers: { name: string; isAgent: boolean }[];
  parts: {
    /** An index of `writers`. */
    writer: number;
    /** When it was written: `revision 3, 28 November 2026`. */
    when: string;
    /** Where it is shown (`RenderedRange`). */
    line: number;
    start: number;
    quote: string;
  }[];
}

/**
 * Tells who wrote which passage of the current text of a brief, as it is rendered.
 *
 * @throws errors of {@link getAuthorship}
 */
export async function authorsInText(
  call: Call,
  ref: DocumentRef,
  version: number,
): Promise<AuthorsInText> {
  const { revision, text, spans } = await getAuthorship(call, ref, version);
  const shown = spans
    .filter(({ start, end, source }) => source !== null && text.slice(start, end).trim() !== '')
    .slice(0, MOST_PARTS);
  const ranges = await call.markdown.renderedRanges(call.actor.id, text, shown);
  const writers = new Map<string, { name: string; isAgent: boolean; index: number }>();
  const parts = shown.flatMap(({ source }, at) => {
    const range = ranges[at];
    if (!source || !range || range.quote === '') return [];
    const name = writerOf(source);
    const isAgent = source.via === 'token' || source.via === 'application';
    const writer = writers.get(name) ?? { name, isAgent, index: writers.size };
    writers.set(name, writer);
    const when = `revision ${source.revision}, ${formatDay(source.createdAt)}`;
    return [{ writer: writer.index, when, ...range }];
  });
  return {
    revision,
    writers: [...writers.values()].map(({ name, isAgent }) => ({ name, isAgent })),
    parts,
  };
}
