import { carried, type Edit, editsOf, type Span, writtenOf } from '../../base/text/authorship.ts';
import { asInTextArea, textAreaOffsets } from '../../base/text/text-area.ts';
import type { Actor, Context } from '../../core/context.ts';
import type { ThreadRow } from '../../core/review/thread-store.ts';
import type { WrittenSpan } from '../../core/revision/written-span-store.ts';
import type { MergedProposal } from './proposal-merge-service.ts';

type Spans = Span<ThreadRow | undefined>[];

/**
 * Tells which parts of a text accepted suggestions wrote, so that they stay their authors'.
 *
 * @param text before they were accepted
 * @param replacements those that replaced their passages, in any order
 * @param proposals those that were merged after them, with the text after each
 */
export async function acceptedWords(
  context: Context,
  actor: Actor,
  text: string,
  { replacements, proposals }: { replacements: readonly ThreadRow[]; proposals: MergedProposal[] },
): Promise<WrittenSpan[]> {
  const { into } = textAreaOffsets(text);
  let spans: Spans = [[into(text.length), undefined]];
  // From the last, so that the places of those before it stay.
  for (const thread of replacements.toSorted((a, b) => (b.atStart ?? 0) - (a.atStart ?? 0))) {
    const { atStart, atEnd, replacement } = thread;
    const length = asInTextArea(replacement ?? '').length;
    const edit: Edit = { from: into(atStart ?? 0), to: into(atEnd ?? 0), length };
    spans = carried(spans, [edit], thread);
  }
  for (const { thread, before, after } of proposals) {
    const texts: [string, string] = [asInTextArea(before), asInTextArea(after)];
    const changes = await context.texts.run(actor.id, 'changes', texts);
    spans = carried(spans, editsOf(changes), thread);
  }
  return writtenOf(spans).map(({ start, end, origin }) => {
    const { accountId, wordsBy, via, viaName } = origin;
    // Whoever moved a suggestion did so with other means than its words were written.
    const by =
      wordsBy === null
        ? { accountId, via, viaName }
        : { accountId: wordsBy, via: null, viaName: null };
    return { start, length: end - start, ...by };
  });
}
