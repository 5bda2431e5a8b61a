import { BackEndUnavailable } from '../../base/errors.ts';
import type { RenderedRange } from '../../base/markdown/quotes.ts';
import type { RenderedMarkdown } from '../../base/markdown/render.ts';
import type { RenderOutcome } from '../../base/markdown/render-threads.ts';
import { inLineBreaksOf } from '../../base/text/line-breaks.ts';
import { createPort, type Range } from '../../base/text/port.ts';
import type { Context } from '../../core/context.ts';
import type { WholeDocument } from '../../core/document/document-service.ts';
import { loadLiveText } from '../../core/live/live-texts.ts';
import { findTyped, typedState } from '../../core/live/typed-service.ts';

/** With this header, an open page says what it was told of ({@link typedState}), to get that. */
export const TYPED_TEXT = 'x-typed-text';

/** How long a rendering is kept for other readers, in ms. */
const KEPT_MS = 10_000;

/**
 * Returns how far somebody has typed in an HTML page ({@link typedState}), whose frame then shows it.
 *
 * @param asked the state that an open page was told of; nothing else asks for what is typed
 */
export async function findTypedPage(
  context: Context,
  document: Parameters<typeof findTyped>[1],
  asked: unknown,
): Promise<string | undefined> {
  if (typeof asked !== 'string') return undefined;
  return typedState(await findTyped(context.sql.read, document)) ?? undefined;
}

/** A brief with what is being typed. */
export interface TypedBrief {
  /** As {@link typedState}. */
  state: string;
  outcome: RenderOutcome<RenderedMarkdown>;
  /** Finds where passages of the revision are shown; `undefined` for those that somebody has changed. */
  rangesOf(ranges: readonly Range[]): Promise<(RenderedRange | undefined)[]>;
}

/** What readers share who were told of the same change. */
interface Rendering {
  listId: string;
  number: number;
  brief: Promise<TypedBrief | undefined>;
}

const renderings = new WeakMap<Context['sql'], Map<string, Rendering>>();

/**
 * Renders a brief with what is being typed and no revision has yet, once for all readers who were told
 * of the same change. The caller has checked that the reader can read the document.
 *
 * @param asked the state that an open page was told of; nothing else asks for what is typed
 * @returns `undefined` if nobody asks, a revision has everything, what is typed needs an approval
 *   before others see it, or it is too complex to render
 * @throws BackEndUnavailable if too much is being rendered
 */
export async function renderTyped(
  context: Context,
  brief: Pick<WholeDocument, 'document' | 'text'>,
  asked: unknown,
  base = '',
): Promise<TypedBrief | undefined> {
  if (typeof asked !== 'string') return undefined;
  const { id, version } = brief.document;
  const row = await findTyped(context.sql.read, brief.document);
  if (!row) return undefined;
  const all = renderings.get(context.sql) ?? new Map<string, Rendering>();
  renderings.set(context.sql, all);
  const key = `${id} ${version} ${base}`;
  const known = all.get(key);
  const { listId, lastNumber } = row;
  const [list, number] = asked.split('.', 2);
  const wanted = list === listId ? Math.min(Number(number), lastNumber) : lastNumber;
  if (known?.listId === listId && known.number >= wanted) return known.brief;
  const rendering = { listId, number: lastNumber, brief: render(context, brief, base) };
  all.set(key, rendering);
  const forget = () => all.get(key) === rendering && all.delete(key);
  setTimeout(forget, KEPT_MS).unref();
  rendering.brief.catch(forget);
  return rendering.brief;
}

async function render(
  context: Context,
  { document, text }: Pick<WholeDocument, 'document' | 'text'>,
  base: string,
): Promise<TypedBrief | undefined> {
  const live = await loadLiveText(context, document.id);
  if (!live) return undefined;
  const source = inLineBreaksOf(text, live.text.toString());
  // All readers get it, so it counts against the owner.
  const key = `owner:${document.ownerNamespace}`;
  const outcome = await context.markdown.previewOutcome(key, source, { base });
  if (outcome.kind === 'busy') throw new BackEndUnavailable('Rendering what is typed: busy.');
  if (outcome.kind !== 'rendered') return undefined;
  const found = new Map<string, ReturnType<TypedBrief['rangesOf']>>();

  async function find(ranges: readonly Range[]): ReturnType<TypedBrief['rangesOf']> {
    const port = createPort(text, await context.texts.run(key, 'changes', [text, source]));
    const ported = ranges.map(port);
    const shown = await context.markdown.renderedRanges(key, source, ported);
    return shown.map((range, index) => (ported[index]?.state === 'kept' ? range : undefined));
  }

  return {
    state: `${live.listId}.${live.number}`,
    outcome,
    rangesOf(ranges) {
      const asked = JSON.stringify(ranges);
      const shown = found.get(asked) ?? find(ranges);
      found.set(asked, shown);
      return shown;
    },
  };
}
