import { diffArrays, diffWordsWithSpace } from 'diff';

/** Elements that stand for themselves: their parts are compared one by one. */
const BLOCKS =
  'p, li, ul, ol, table, thead, tbody, tr, td, th, blockquote, pre, h1, h2, h3, h4, h5, h6, dl, dt, dd, ' +
  'details, summary, figure, figcaption, section, div';

/** What is compared whole, because it has no words or shows them otherwise. */
const PICTURES = 'img, svg, picture, video, audio, math, .mermaid, .mermaid-source, input';

/** How many of their words two blocks must share to be the same block, changed. */
const ALIKE = 0.3;

const words = new Intl.Segmenter(document.documentElement.lang || 'en', { granularity: 'word' });

/** Elements apart from where they are in the source. */
const keyOf = ({ outerHTML }: Element) => outerHTML.replaceAll(/ data-line="[^"]*"/g, '');

const textOf = (element: Element) => (element.textContent ?? '').replaceAll(/\s+/g, ' ').trim();

/**
 * Marks in a rendered text what differs from an older one: new words in `ins`, words that are gone in
 * `del`, and whole blocks of either kind. A block of which only the formatting, a link or a picture
 * differs gets the class `changed-look`.
 *
 * @returns the children of `now` in which something is marked
 */
export function markChanges(before: Element, now: Element): Set<Element> {
  const touched = new Set<Element>();
  const own = new Set(now.children);
  const note = (element: Element) => {
    let at: Element | null = element;
    while (at && !own.has(at)) at = at.parentElement;
    if (at) touched.add(at);
  };
  compareChildren(before, now, note);
  return touched;
}

type Note = (element: Element) => void;

function compareChildren(before: Element, now: Element, note: Note): void {
  const [old, fresh] = [[...before.children], [...now.children]];
  let gap: { old: Element[]; fresh: Element[] } = { old: [], fresh: [] };
  let [at, to] = [0, 0];
  for (const { added, removed, count } of diffArrays(old.map(keyOf), fresh.map(keyOf))) {
    if (removed) gap.old.push(...old.slice(at, at + count));
    else if (added) gap.fresh.push(...fresh.slice(to, to + count));
    else {
      pairGap(gap, { now, next: fresh[to], note });
      gap = { old: [], fresh: [] };
    }
    if (!added) at += count;
    if (!removed) to += count;
  }
  pairGap(gap, { now, next: undefined, note });
}

/** Finds which blocks between two that are the same have become which others. */
function pairGap(
  { old, fresh }: { old: readonly Element[]; fresh: readonly Element[] },
  { now, next, note }: { now: Element; next: Element | undefined; note: Note },
): void {
  let from = 0;
  for (const element of fresh) {
    const isOnly = old.length === 1 && fresh.length === 1;
    const found = old.findIndex(
      (each, index) =>
        index >= from && each.tagName === element.tagName && (isOnly || areAlike(each, element)),
    );
    if (found < 0) {
      element.classList.add('added-block');
      note(element);
      continue;
    }
    for (const gone of old.slice(from, found)) showRemoved(gone, element, note);
    compare(old[found] as Element, element, note);
    from = found + 1;
  }
  const last = next ?? now.lastElementChild;
  for (const gone of old.slice(from)) {
    if (last) showRemoved(gone, last, note, next === undefined);
  }
}

function areAlike(before: Element, now: Element): boolean {
  const [old, fresh] = [wordsOf(before), wordsOf(now)];
  if (old.size === 0 || fresh.size === 0) return old.size === fresh.size;
  const shared = [...old].filter((word) => fresh.has(word)).length;
  return (2 * shared) / (old.size + fresh.size) >= ALIKE;
}

function wordsOf(element: Element): Set<string> {
  return new Set(
    Array.from(words.segment(textOf(element)))
      .filter(({ isWordLike }) => isWordLike)
      .map(({ segment }) => segment.toLowerCase()),
  );
}

/** Shows a block that is gone inside the one that it stood before, so that all others keep their places. */
function showRemoved(gone: Element, beside: Element, note: Note, isAfter = false): void {
  const removed = document.createElement('del');
  removed.className = 'gone removed-block';
  const copy = gone.cloneNode(true) as Element;
  for (const named of [copy, ...copy.querySelectorAll('[id], [data-line]')]) {
    named.removeAttribute('id');
    named.removeAttribute('data-line');
  }
  removed.append(...copy.childNodes);
  // Rows hold only cells.
  const place = beside.matches('tr, thead, tbody, table')
    ? (beside.querySelector('td, th') ?? beside)
    : beside;
  if (isAfter) place.append(removed);
  else place.prepend(removed);
  note(beside);
}

function compare(before: Element, now: Element, note: Note): void {
  const hasPictures = now.querySelector(PICTURES) ?? before.querySelector(PICTURES);
  if (now.querySelector(BLOCKS) && before.querySelector(BLOCKS)) {
    compareChildren(before, now, note);
    compareOwnWords(before, now, note);
    return;
  }
  const isChanged = markWords(before.textContent ?? '', now);
  if (!isChanged || hasPictures) now.classList.add('changed-look');
  note(now);
}

/** List items and cells have words of their own beside their blocks. */
function compareOwnWords(before: Element, now: Element, note: Note): void {
  const own = (element: Element) => {
    const copy = element.cloneNode(true) as Element;
    for (const block of copy.querySelectorAll(`${BLOCKS}, del.removed-block`)) block.remove();
    return copy.innerHTML.trim();
  };
  if (own(before) === own(now)) return;
  now.classList.add('changed-look');
  note(now);
}

/** Marks the words of an element that differ from an older text. @returns whether there are any */
function markWords(before: string, now: Element): boolean {
  const walker = document.createTreeWalker(now, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  const parts = diffWordsWithSpace(before, nodes.map(({ data }) => data).join(''), {
    intlSegmenter: words,
  });
  if (parts.every(({ added, removed }) => !added && !removed)) return false;
  let node = nodes.shift();
  let used = 0;
  /** Moves on by so many characters; marks them if they are new. */
  const pass = (length: number, isNew: boolean) => {
    let left = length;
    while (left > 0 && node) {
      const piece = Math.min(left, node.length - used);
      if (isNew && piece > 0) {
        const marked = used > 0 ? node.splitText(used) : node;
        const rest = marked.length > piece ? marked.splitText(piece) : undefined;
        const inserted = document.createElement('ins');
        inserted.className = 'new-words';
        marked.replaceWith(inserted);
        inserted.append(marked);
        [node, used] = rest ? [rest, 0] : [nodes.shift(), 0];
      } else {
        used += piece;
        if (used === node.length) [node, used] = [nodes.shift(), 0];
      }
      left -= piece;
    }
  };
  let last: Node = now;
  for (const { value, added, removed } of parts) {
    if (removed) {
      const gone = document.createElement('del');
      gone.className = 'gone';
      gone.textContent = value;
      if (!node) (last === now ? now : (last.parentElement ?? now)).append(gone);
      else if (used === 0) node.before(gone);
      else {
        const rest = node.splitText(used);
        rest.before(gone);
        [node, used] = [rest, 0];
      }
      continue;
    }
    last = node ?? last;
    pass(value.length, added === true);
  }
  return true;
}
