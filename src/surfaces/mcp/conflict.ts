import { conflictLines } from '../../base/text/conflict-lines.ts';
import { deedOf, type MergeRefused } from '../../core/document/merge-service.ts';
import { writerInWords } from '../../core/revision/writer.ts';
import type { Quotation } from './quote.ts';

/**
 * The longest quotes, in UTF-16 code units: of all conflicts, and of one version of one conflict.
 */
const MAX_QUOTED = 8_000;
const MAX_VERSION = 1_200;

/** Explains a conflict to a model: who wrote, where, what both wrote, and what to do. */
export function conflictInWords({ data, writer }: MergeRefused): {
  message: string;
  advice: string;
  quotation: Quotation;
} {
  const { baseRevision, currentRevision, conflicts } = data;
  const who = writer ? writerInWords(writer) : 'someone';
  const quoted = quotedConflicts(data);
  const more = conflicts.length - quoted.length;
  return {
    message:
      `since revision ${baseRevision}, ${who} ${deedOf(data)}, at ${conflictLines(conflicts)} of ` +
      `revision ${currentRevision}. Nothing was written.`,
    advice:
      `Read the changes (read_document with changes_since ${baseRevision}), apply yours to the ` +
      `current text, and call again with base_revision ${currentRevision}.` +
      (more > 0 ? ` More conflicts, not shown: ${more}.` : ''),
    quotation: {
      what:
        'the conflicts (one per line, JSON: the line; the text before, as it is now, and as you ' +
        'wrote it)',
      isPlural: true,
      text: quoted.join('\n'),
    },
  };
}

/** Quotes as many conflicts as fit. */
function quotedConflicts({ conflicts }: MergeRefused['data']): string[] {
  let room = MAX_QUOTED;
  return conflicts
    .map(({ line: _line, currentLine, ...versions }) =>
      JSON.stringify({ line: currentLine, ...cut(versions) }),
    )
    .filter((json) => {
      room -= json.length;
      return room >= 0;
    });
}

interface Versions {
  base: string;
  current: string;
  yours: string;
}

/** How much shared text to show before the first difference, in UTF-16 code units. */
const LEAD = 100;

/** Cuts long versions to the same range around their first difference. */
function cut({ base, current, yours }: Versions): Versions {
  let same = 0;
  while (same < base.length && base[same] === current[same] && base[same] === yours[same]) same++;
  const isLong = Math.max(base.length, current.length, yours.length) > MAX_VERSION;
  const from = isLong ? Math.max(0, same - LEAD) : 0;
  const part = (text: string) => {
    const shown = text.slice(from, from + MAX_VERSION).toWellFormed();
    return `${from > 0 ? '…' : ''}${shown}${text.length > from + MAX_VERSION ? '…' : ''}`;
  };
  return { base: part(base), current: part(current), yours: part(yours) };
}
