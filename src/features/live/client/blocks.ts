/**
 * The document's blocks as the service sent them. Scripts change them on the page (copy buttons,
 * diagrams), one for one, so comparing the page itself with a new one would find differences everywhere.
 */
let sent: string[] = [];

const articleOf = (page: ParentNode) => page.querySelector('.reading .prose');

/** Keeps what the service sent. Must run before other scripts change the document. */
export function rememberBlocks(): void {
  sent = keysOf(articleOf(document));
}

/** Blocks are the same even if they are in another line of the source. */
function keysOf(article: Element | null): string[] {
  return Array.from(article?.children ?? [], ({ outerHTML }) =>
    outerHTML.replaceAll(/ data-line="[^"]*"/g, ''),
  );
}

/** What an update did to the document. */
export interface BlockUpdate {
  changed: Element[];
  /** How many blocks are gone without another in their place. */
  removed: number;
}

/**
 * Brings the document's blocks up to date and leaves those alone that are the same.
 *
 * @param page as the service sends it now
 * @returns `undefined` if one of the two pages has no rendered document
 */
export function updateBlocks(page: Document): BlockUpdate | undefined {
  const [here, fresh] = [articleOf(document), articleOf(page)];
  if (!here || !fresh || here.children.length !== sent.length) return undefined;
  const next = keysOf(fresh);
  const old = [...here.children];
  const incoming = [...fresh.children];
  const kept = sameBlocks(sent, next);
  const changed: Element[] = [];
  let at = 0;
  let removed = 0;
  const drop = (until: number) => {
    for (; at < until; at += 1) {
      removed += 1;
      old[at]?.remove();
    }
  };
  for (const [index, block] of incoming.entries()) {
    const from = kept[index];
    if (from === undefined) {
      here.insertBefore(document.adoptNode(block), old[at] ?? null);
      changed.push(block);
      continue;
    }
    drop(from);
    moveLines(old[from] as Element, block);
    at = from + 1;
  }
  drop(old.length);
  sent = next;
  return { changed, removed: Math.max(0, removed - changed.length) };
}

/** Comments find their passages by the line of each block in the source. */
function moveLines(here: Element, fresh: Element): void {
  const lined = (element: Element) => [
    ...(element.matches('[data-line]') ? [element] : []),
    ...element.querySelectorAll('[data-line]'),
  ];
  const lines = lined(fresh).map((element) => element.getAttribute('data-line') ?? '');
  for (const [index, element] of lined(here).entries()) {
    const line = lines[index];
    if (line !== undefined) element.setAttribute('data-line', line);
  }
}

/** The largest middle that is compared block by block; a larger one counts as changed. */
const MAX_PAIRS = 1_000_000;

/**
 * Finds for each new block the old one that it is: a longest common subsequence, after the same
 * beginning and end.
 */
export function sameBlocks(
  old: readonly string[],
  next: readonly string[],
): (number | undefined)[] {
  const kept: (number | undefined)[] = next.map(() => undefined);
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) {
    kept[start] = start;
    start += 1;
  }
  let end = 0;
  while (
    end < Math.min(old.length, next.length) - start &&
    old[old.length - 1 - end] === next[next.length - 1 - end]
  ) {
    end += 1;
    kept[next.length - end] = old.length - end;
  }
  const [rows, columns] = [old.length - start - end, next.length - start - end];
  if (rows === 0 || columns === 0 || rows * columns > MAX_PAIRS) return kept;
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  const length = (row: number, column: number) => lengths[row * width + column] as number;
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        old[start + row] === next[start + column]
          ? length(row + 1, column + 1) + 1
          : Math.max(length(row + 1, column), length(row, column + 1));
    }
  }
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (old[start + row] === next[start + column]) {
      kept[start + column] = start + row;
      row += 1;
      column += 1;
    } else if (length(row + 1, column) >= length(row, column + 1)) row += 1;
    else column += 1;
  }
  return kept;
}
