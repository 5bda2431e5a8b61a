import { shorten } from '../../base/text/shorten.ts';
import type { Call } from '../../core/context.ts';
import type { DocumentRef } from '../../core/document/document-ref.ts';
import { writerInWords } from '../../core/revision/writer.ts';
import { pageSummary, presentPage } from '../../surfaces/mcp/paging.ts';
import type { ReadingOutcome } from '../../surfaces/mcp/tool.ts';
import { type AuthoredSpan, getAuthorship } from './authorship-service.ts';

const PAGE_SIZE = 50;

/** How many characters of a part are shown. */
const MAX_SHOWN = 100;

/** Tells who wrote each part of a text, in order. @throws errors of {@link getAuthorship} */
export async function readAuthors(
  call: Call,
  ref: DocumentRef,
  { revision, page: number }: { revision: number; page: number },
): Promise<ReadingOutcome> {
  const { text, spans } = await getAuthorship(call, ref, revision);
  const parts = spans.filter(({ start, end }) => text.slice(start, end).trim() !== '');
  const page = { number, size: PAGE_SIZE };
  const items = parts.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE);
  const lineAt = linesOf(text);
  const shown = presentPage({ items, total: parts.length }, page, (span) =>
    presentSpan(span, text, lineAt),
  );
  const { items: rows, ...data } = shown;
  return {
    summary: `${pageSummary(`Who wrote which part of revision ${revision}`, shown)} ${sharesOf(parts)}`,
    data: { ...data, revision },
    quotations: rows.length > 0 ? [{ what: 'the authors (one part per line)', rows }] : [],
  };
}

function presentSpan({ start, end, source }: AuthoredSpan, text: string, lineAt: LineAt): object {
  const words = text.slice(start, end);
  const { revision, author, via, viaName } = source ?? {};
  return {
    fromLine: lineAt(start + words.length - words.trimStart().length),
    toLine: lineAt(start + words.trimEnd().length),
    ...(source && { author, via, ...(viaName && { viaName }), fromRevision: revision }),
    text: shorten(words.trim().replaceAll(/\s+/g, ' '), MAX_SHOWN),
  };
}

type LineAt = (offset: number) => number;

/** Returns a function for offsets that grow. */
function linesOf(text: string): LineAt {
  let [line, at] = [1, text.indexOf('\n')];
  return (offset) => {
    while (at >= 0 && at < offset) {
      line++;
      at = text.indexOf('\n', at + 1);
    }
    return line;
  };
}

/** Says how much of a text each has written: `ada (web) 80 %, ada (application "Claude") 20 %.` */
function sharesOf(spans: readonly AuthoredSpan[]): string {
  let all = 0;
  const shares = new Map<string, number>();
  for (const { start, end, source } of spans) {
    const by = source ? writerInWords(source) : 'unknown';
    shares.set(by, (shares.get(by) ?? 0) + end - start);
    all += end - start;
  }
  const sorted = [...shares].sort(([, one], [, other]) => other - one).slice(0, MAX_NAMED);
  return sorted.map(([by, share]) => `${by} ${Math.round((100 * share) / all)} %`).join(', ');
}

const MAX_NAMED = 10;
