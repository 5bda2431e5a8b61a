import { idle } from './idle.ts';

/** A block of the rendered article and its node in the page. */
interface Block {
  /** The block's HTML without line numbers, so that it does not change when text above it does. */
  key: string;
  /** The original node. Scripts may have wrapped it since. */
  node: Node;
  marked: Element[];
}

const LINES = / data-line="\d+"/g;

/**
 * Shows successive versions of an article in one element and replaces only the blocks that differ.
 * Drawn diagrams, loaded images and scroll positions survive.
 */
export function createArticle(container: HTMLElement): {
  /** @returns how long its work took, in ms, without the waiting */
  show(html: string): Promise<number>;
} {
  let blocks: Block[] = [];
  return {
    async show(html) {
      // Reading it and showing it are two pieces of work, between which keys are taken.
      await idle();
      const begun = performance.now();
      const fresh = parseBlocks(html);
      const reading = performance.now() - begun;
      await idle();
      const goesOn = performance.now();
      const unused = new Map<string, Block[]>();
      for (const block of blocks) unused.set(block.key, [...(unused.get(block.key) ?? []), block]);
      const kept = fresh.map((block) => {
        const same = unused.get(block.key)?.shift();
        if (same) moveLines(block, same);
        return same;
      });
      const gone = [...unused.values()].flat();
      const next = fresh.map((block, index) => kept[index] ?? adopt(block, gone));
      place(container, next);
      blocks = next;
      container.dispatchEvent(new CustomEvent('contentadded', { bubbles: true }));
      return reading + performance.now() - goesOn;
    },
  };
}

function parseBlocks(html: string): Block[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  return [...body.childNodes].flatMap((node): Block[] => {
    if (node instanceof Element) {
      const marked = [node, ...node.querySelectorAll('[data-line]')].filter((element) =>
        element.hasAttribute('data-line'),
      );
      return [{ key: node.outerHTML.replace(LINES, ''), node: document.adoptNode(node), marked }];
    }
    const text = node.textContent ?? '';
    return text.trim() === '' ? [] : [{ key: text, node: document.adoptNode(node), marked: [] }];
  });
}

/** Updates the line numbers of a block that stays. */
function moveLines(from: Block, to: Block): void {
  for (const [index, element] of to.marked.entries()) {
    const line = from.marked[index]?.getAttribute('data-line');
    if (line) element.setAttribute('data-line', line);
  }
}

/** Moves loaded images and drawn figures from removed blocks to a new block. */
function adopt(block: Block, gone: Block[]): Block {
  const { node } = block;
  if (!(node instanceof Element)) return block;
  for (const image of node.querySelectorAll('img')) {
    const source = image.getAttribute('src');
    const same = gone
      .flatMap((one) => (one.node instanceof Element ? [...one.node.querySelectorAll('img')] : []))
      .find((one) => one.getAttribute('src') === source);
    if (!same) continue;
    for (const name of same.getAttributeNames()) {
      if (!image.hasAttribute(name)) same.removeAttribute(name);
    }
    for (const { name, value } of image.attributes) same.setAttribute(name, value);
    image.replaceWith(same);
  }
  if (node.matches('pre[data-diagram]')) {
    const before = gone.find((one) => (one.node as Element).closest?.('figure.diagram'));
    if (before) {
      gone.splice(gone.indexOf(before), 1);
      (before.node as Element).replaceWith(node);
    }
  }
  return block;
}

/** Puts the blocks into the container in order, and removes everything else. */
function place(container: HTMLElement, blocks: readonly Block[]): void {
  const roots = blocks.map(({ node }) => rootOf(node, container));
  const staying = new Set<Node>(roots);
  for (const child of [...container.childNodes]) {
    // A note that a script added after a block stays with it.
    const isNote = child instanceof Element && child.matches('.diagram-note');
    const before = child.previousSibling;
    if (!staying.has(child) && !(isNote && before && staying.has(before))) child.remove();
  }
  let cursor: ChildNode | null = container.firstChild;
  for (const root of roots) {
    if (root === cursor) cursor = cursor.nextSibling;
    else container.insertBefore(root, cursor);
    if (cursor instanceof Element && cursor.matches('.diagram-note')) cursor = cursor.nextSibling;
  }
}

/** Returns the container's child that holds a block, or the block itself if it isn't there yet. */
function rootOf(node: Node, container: HTMLElement): Node {
  let root = node;
  while (root.parentNode && root.parentNode !== container) root = root.parentNode;
  return root;
}
