import {
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html,
  parseFragment,
  serialize,
} from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Parent = DefaultTreeAdapterTypes.ParentNode;
export type Element = DefaultTreeAdapterTypes.Element;

const BLOCKS =
  /^(?:h[1-6]|p|div|blockquote|pre|[uo]l|li|d[ltd]|hr|table|thead|tbody|tr|th|td|section|details|summary)$/;

/**
 * HTML in one form, for comparing: parsed as a browser does within a `<div>`, attributes sorted,
 * comments left out, white space left out where it stands alone between blocks.
 *
 * With `ours` also without what this renderer adds to every document and other tests check:
 * the box, id and link around a heading, the box around a table, `rel` on links, `loading` and
 * `decoding` on images, and the spans and class of highlighting.
 */
export function comparable(source: string, ours: boolean): string {
  const tree = parseTree(source);
  simplify(tree, ours);
  return serialize(tree).trim();
}

export function parseTree(source: string): DefaultTreeAdapterTypes.DocumentFragment {
  const context = defaultTreeAdapter.createElement('div', html.NS.HTML, []);
  return parseFragment(context, source, {});
}

/** All elements, in document order. */
export function allElements(parent: Parent, found: Element[] = []): Element[] {
  for (const child of parent.childNodes) {
    if (!('tagName' in child)) continue;
    found.push(child);
    allElements(child, found);
  }
  return found;
}

function simplify(parent: Parent, ours: boolean): void {
  const children = parent.childNodes.flatMap((child) => simplified(child, ours));
  const merged: Node[] = [];
  for (const child of children) {
    const last = merged.at(-1);
    if (isText(child) && last && isText(last)) last.value += child.value;
    else merged.push(child);
  }
  parent.childNodes = merged.filter((child, index) => {
    const alone = isText(child) && child.value.trim() === '';
    return !(alone && atBlock(merged[index - 1]) && atBlock(merged[index + 1]));
  });
}

function simplified(child: Node, ours: boolean): Node[] {
  if (child.nodeName === '#comment') return [];
  if (!('tagName' in child)) return [child];
  simplify(child, ours);
  const classes = child.attrs.find((entry) => entry.name === 'class');
  if (ours) {
    const boxed = child.childNodes[0];
    if (classes?.value === 'table-scroll' && boxed) return [boxed];
    if (classes?.value === 'markdown-heading' && boxed && 'attrs' in boxed) {
      boxed.attrs = boxed.attrs.filter(({ name }) => name !== 'id');
      return [boxed];
    }
    if (child.tagName === 'span' && classes?.value.startsWith('hljs-')) return child.childNodes;
    if (child.tagName === 'code' && classes) {
      classes.value = classes.value.replace(/^hljs /, '');
    }
    const added = child.tagName === 'img' ? ['loading', 'decoding'] : ['rel'];
    child.attrs = child.attrs.filter(({ name }) => !added.includes(name));
  }
  child.attrs.sort((a, b) => (a.name < b.name ? -1 : 1));
  return [child];
}

function isText(node: Node): node is DefaultTreeAdapterTypes.TextNode {
  return node.nodeName === '#text';
}

function atBlock(node: Node | undefined): boolean {
  return !node || BLOCKS.test(node.nodeName);
}
