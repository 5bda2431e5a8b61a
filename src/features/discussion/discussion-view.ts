import type { RenderedRange } from '../../base/markdown/quotes.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { linkedMentions, unlinkMentions } from '../../base/text/mention.ts';
import { pageRanges } from '../../base/text/page-quotes.ts';
import type { Range } from '../../base/text/port.ts';
import { asInTextArea } from '../../base/text/text-area.ts';
import type { Actor, Call } from '../../core/context.ts';
import type { WholeDocument } from '../../core/document/document-service.ts';
import type { DocumentRow } from '../../core/document/document-store.ts';
import { findUsers } from '../../core/identity/account-store.ts';
import { requireBody } from '../../core/review/text-size.ts';
import type { PlaceState } from '../../core/review/thread.ts';
import { documentPath, siblingsPath } from '../../surfaces/web/addresses.ts';
import { isRefusal } from '../../surfaces/web/form.ts';
import type { Discussion, ShownPlace, ShownThread } from '../comments/discussion-state.ts';
import type { Thread } from '../comments/thread-service.ts';
import { displayNamesOf } from '../profiles/own-profile-service.ts';
import { type Discussion as VisitedDiscussion, visitDiscussion } from './discussion-service.ts';
import { renderSourceThread } from './source-thread.tsx';

/**
 * Loads the comments shown beside a document. Marks the inbox entries about the document as read.
 *
 * @param loadText loads the document's text; only called if a comment is about a passage
 * @param typed what is shown instead of that text
 * @returns `undefined` if the actor can't see comments, or there is nothing to see or to do
 */
export async function loadDiscussion(
  call: Call,
  document: DocumentRow,
  loadText: () => Promise<string>,
  typed?: { state: string; rangesOf: RangesOf },
): Promise<Discussion | undefined> {
  const found = await visitDiscussion(call, document);
  if (!found) return undefined;
  const { open, closed, can } = found;
  if (open.length + closed.length === 0 && !can.comment) return undefined;
  const rangesOf =
    typed?.rangesOf ??
    (async (ranges) => call.markdown.renderedRanges(call.actor.id, await loadText(), ranges));
  const places = placesOf(call, document.kind, open, { loadText, rangesOf });
  const discussion = await present(call, document, found, places);
  return { ...discussion, typed: typed?.state };
}

/** Finds where passages of a brief are shown. */
type RangesOf = (ranges: readonly Range[]) => Promise<(RenderedRange | undefined)[]>;

/** A thread for the editor, which shows it beside the source. */
export interface SourceThread {
  id: string;
  html: string;
  /** Its position in the text with LF line ends; `null` if it has none. */
  range: { from: number; to: number } | null;
}

/** Loads the open threads of a document for someone who edits it. */
export async function loadSourceThreads(
  call: Call,
  { document, text }: Pick<WholeDocument, 'document' | 'text'>,
): Promise<SourceThread[]> {
  const found = await visitDiscussion(call, document);
  if (!found) return [];
  const open = { ...found, closed: [] };
  const discussion = await present(call, document, open, Promise.resolve(new Map()));
  const names = await displayNamesOf(call, writersOf(discussion));
  const inLineFeeds = (length: number) => asInTextArea(text.slice(0, length)).length;
  return discussion.open.map((thread) => {
    const { id, quote, shownStart, shownEnd, shownState } = thread;
    const isPlaced = quote !== null && shownStart !== null && hasPlace(shownState);
    const from = inLineFeeds(shownStart ?? 0);
    const range = isPlaced ? { from, to: inLineFeeds(shownEnd ?? shownStart) } : null;
    return { id, range, html: renderSourceThread(discussion, thread, names) };
  });
}

/**
 * Renders a comment on a document before it is sent.
 *
 * @returns `undefined` if it is too complex to render
 * @throws BAD_REQUEST if it is empty or too long
 */
export async function previewComment(
  call: Call,
  document: DocumentRow,
  body: string,
): Promise<string | undefined> {
  requireBody(body);
  const [html] = await renderSaid(call, [body], baseOf(document));
  return html;
}

/** Not relative, because the same comments are shown at several addresses. */
const baseOf = (document: DocumentRow) =>
  siblingsPath(documentPath('read', { ...document, kind: 'brief' }));

/** Returns the usernames of everyone who wrote a comment. */
export function writersOf({ open, closed }: Discussion): (string | null)[] {
  return [...open, ...closed].flatMap(({ author, comments }) => [
    author,
    ...comments.map((comment) => comment.author),
  ]);
}

/** @param placed where threads are shown, by id */
async function present(
  call: Call,
  document: DocumentRow,
  { open, closed, can, isCut }: VisitedDiscussion,
  placed: Promise<Map<string, ShownPlace | undefined>>,
): Promise<Discussion> {
  const threads = [...open, ...closed];
  const base = baseOf(document);
  const [places, bodies] = await Promise.all([placed, renderBodies(call, threads, base)]);
  const own = can.comment ? ownComments(call.actor, threads) : new Set<string>();
  const show = (thread: Thread): ShownThread => ({
    ...thread,
    comments: thread.comments.map((comment) => ({
      ...comment,
      html: bodies.get(comment.id),
      isOwn: own.has(comment.id),
    })),
    place: places.get(thread.id),
    words: document.kind === 'page' ? wordsOf(thread.quote) : thread.quote,
    isMine: [thread, ...thread.comments].some(({ accountId }) => accountId === call.actor.id),
    mayClose: can.close || thread.accountId === call.actor.id,
  });
  return {
    document,
    version: document.version,
    now: call.now(),
    action: documentPath('read', document),
    open: open.map(show),
    closed: closed.map(show),
    can,
    isCut,
  };
}

/**
 * The most text in the forms that edit the reader's own comments, in UTF-16 code units. Each form
 * repeats its comment.
 */
const MAX_OWN_TEXT = 100_000;

/** The most different usernames that are looked up for links to profiles. */
const MAX_MENTIONED = 500;

/** Returns the ids of the actor's comments: the newest ones that fit in `MAX_OWN_TEXT`. */
function ownComments(actor: Actor, threads: readonly Thread[]): Set<string> {
  const own = threads
    .flatMap(({ comments }) => comments)
    .filter(({ accountId }) => accountId === actor.id)
    .sort((one, other) => (one.id < other.id ? 1 : -1));
  let length = 0;
  const fitting = own.filter(({ body }) => {
    length += body.length;
    return length <= MAX_OWN_TEXT;
  });
  return new Set(fitting.map(({ id }) => id));
}

/** Returns the visible text of a quote from a page's HTML. */
function wordsOf(quote: string | null): string | null {
  if (quote === null || !/[<&\n]/.test(quote)) return quote;
  return pageRanges(quote, [{ start: 0, end: quote.length }])[0]?.quote ?? quote;
}

/** Tells whether a thread has a position in the current text, or had one until its passage went. */
const hasPlace = (state: PlaceState | null) => state !== 'unverified' && state !== 'pending';

/** Returns where threads are shown in the rendered document, by id. */
async function placesOf(
  call: Call,
  kind: Kind,
  threads: readonly Thread[],
  { loadText, rangesOf }: { loadText: () => Promise<string>; rangesOf: RangesOf },
): Promise<Map<string, ShownPlace | undefined>> {
  const places = new Map<string, ShownPlace | undefined>();
  for (const { id, quote, prefix, suffix, shownState } of threads) {
    if (shownState !== 'unverified' || quote === null) continue;
    const around = { prefix: prefix ?? '', suffix: suffix ?? '' };
    places.set(id, { element: '', quote, ...around, isElement: false });
  }
  const isInText = ({ id, quote, shownState }: Thread) =>
    quote !== null && shownState !== 'gone' && hasPlace(shownState) && !places.has(id);
  const placed = threads.filter(isInText);
  if (placed.length === 0) return places;
  const ranges = placed.map(({ shownStart, shownEnd, element }) => ({
    start: shownStart ?? 0,
    end: shownEnd ?? 0,
    isElement: element !== null,
  }));
  try {
    const found =
      kind === 'page'
        ? await call.texts.run(call.actor.id, 'pageWords', [await loadText(), ranges])
        : await rangesOf(ranges);
    for (const [index, { id, element }] of placed.entries()) {
      const place = found[index];
      const isElement = element !== null;
      places.set(id, place && 'element' in place ? { ...place, isElement } : place);
    }
    return places;
  } catch (error) {
    // Show comments without their passages rather than none.
    if (!isRefusal(error)) throw error;
    return places;
  }
}

async function renderBodies(
  call: Call,
  threads: readonly Thread[],
  base: string,
): Promise<Map<string, string | undefined>> {
  const comments = threads.flatMap((thread) => thread.comments);
  const bodies = comments.map(({ body }) => body);
  const rendered = await renderSaid(call, bodies, base);
  return new Map(comments.map(({ id }, index) => [id, rendered[index]]));
}

/** Renders comments, with links to the users whom they mention; `undefined` for one that can't be. */
async function renderSaid(
  call: Call,
  bodies: readonly string[],
  base: string,
): Promise<(string | undefined)[]> {
  const rendered = await call.markdown.renderComments(call.actor.id, bodies, { base });
  const mentioned = new Set(rendered.flatMap((html) => (html ? linkedMentions(html) : [])));
  const users = await findUsers(call.sql.read, [...mentioned].slice(0, MAX_MENTIONED));
  const usernames = new Set(users.map(({ username }) => username));
  return rendered.map((html) => html && unlinkMentions(html, (name) => usernames.has(name)));
}
