import { create, HTML_MARKS, hasBlock, isBlank, isBlock, isElement, unwrap } from './dom.ts';

const MARKS = 'strong, em, del, code';
const WRAPPERS = `a, strong, em, del, ${HTML_MARKS.join(', ')}`;

/**
 * Moves marks and links around blocks into the blocks: Markdown can't write them otherwise. A link
 * around a heading and a paragraph becomes two links.
 */
export function wrapInsideBlocks(body: Element): void {
  for (const wrapper of body.querySelectorAll(WRAPPERS)) {
    if (!hasBlock(wrapper)) continue;
    wrapper.replaceWith(...distribute(wrapper, [...wrapper.childNodes]));
  }
}

function distribute(wrapper: Element, nodes: readonly Node[]): Node[] {
  const placed: Node[] = [];
  let run: Node[] = [];
  const flush = () => {
    const isEmpty = run.every(isBlank);
    if (isEmpty) placed.push(...run);
    else {
      const copy = wrapper.cloneNode(false) as Element;
      copy.append(...run);
      placed.push(copy);
    }
    run = [];
  };
  for (const node of nodes) {
    if (isElement(node) && (isBlock(node) || hasBlock(node))) {
      flush();
      // Code has no marks.
      if (node.nodeName !== 'PRE') {
        node.replaceChildren(...distribute(wrapper, [...node.childNodes]));
      }
      placed.push(node);
    } else {
      run.push(node);
    }
  }
  flush();
  return placed;
}

/**
 * Puts line breaks between marks and links instead of into them. In a link, one between words stays.
 */
export function breakBetweenMarks(body: Element): void {
  // From the end, so that each split moves only what is before the next.
  for (const line of [...body.querySelectorAll('br')].reverse()) {
    if (line.closest('pre')) continue;
    const top = topInline(line, body);
    if (top && (line.closest(MARKS) || isAtEdge(line, top) || isDouble(line))) splitAt(line, top);
  }
  for (const rest of body.querySelectorAll(WRAPPERS)) if (isBlank(rest)) unwrap(rest);
}

/** Returns the outermost inline element around a node. */
function topInline(node: Node, body: Element): Element | undefined {
  let top: Element | undefined;
  let parent = node.parentElement;
  while (parent && parent !== body && !isBlock(parent)) {
    top = parent;
    parent = parent.parentElement;
  }
  return top;
}

/** Tells whether only white space is between a break and the beginning or end of an element. */
function isAtEdge(line: Element, top: Element): boolean {
  return (['previousSibling', 'nextSibling'] as const).some((side) => {
    for (let node: Node = line; node !== top; node = node.parentNode as Node) {
      let beside = node[side];
      while (beside && isBlank(beside)) beside = beside[side];
      if (beside) return false;
    }
    return true;
  });
}

function isDouble(line: Element): boolean {
  return [besideOf(line, 'previousSibling'), besideOf(line, 'nextSibling')].some(
    (node) => node?.nodeName === 'BR',
  );
}

function besideOf(node: Node, side: 'previousSibling' | 'nextSibling'): Node | null {
  let beside = node[side];
  while (beside && isBlank(beside)) beside = beside[side];
  return beside;
}

/** Cuts an inline element in two at a break, which then stands between them. */
function splitAt(line: Element, top: Element): void {
  const range = (line.ownerDocument as Document).createRange();
  range.setStartAfter(line);
  range.setEndAfter(top);
  const rest = range.extractContents();
  top.after(line, rest);
}

/**
 * Removes a break beside a block or at a block's beginning or end; two breaks are a new paragraph.
 */
export function cleanBreak(line: Element): void {
  const before = besideOf(line, 'previousSibling');
  const after = besideOf(line, 'nextSibling');
  if (!before || !after || isBlock(before) || isBlock(after)) line.remove();
  else if (after.nodeName === 'BR') {
    if (line.closest('h1, h2, h3, h4, h5, h6')) line.remove();
    else {
      (after as Element).remove();
      line.replaceWith(create(line, 'div'));
    }
  }
}

/**
 * Removes empty marks, marks inside the same mark and marks in code, which has none; joins others with
 * an equal mark before.
 */
export function simplifyMarks(body: Element): void {
  for (const inner of body.querySelectorAll('code :not(br)'))
    if (!inner.closest('pre')) unwrap(inner);
  for (const mark of body.querySelectorAll(MARKS)) {
    if (mark.closest('pre')) continue;
    if (mark.parentElement?.closest(mark.localName) || mark.textContent?.trim() === '') {
      unwrap(mark);
      continue;
    }
    const before = mark.previousSibling as Element | null;
    if (before?.localName !== mark.localName) continue;
    before.append(...mark.childNodes);
    mark.remove();
  }
}
