import { briefLanguage } from '../language.ts';
import { renderInto } from './rendered.ts';
import { loadable } from './widgets.ts';

/** Keeps a cell's text from being a heading or a list. */
const LEAD = '\u2060';

const TAGS: Record<string, keyof HTMLElementTagNameMap> = {
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 'del',
  InlineCode: 'code',
};

/** What of the source isn't shown. */
const SIGNS = /^(?:EmphasisMark|StrikethroughMark|CodeMark|LinkMark|LinkTitle)$/;

/** Returns a cell's Markdown as it will be read. */
export function readableCell(source: string, onShown: () => void): DocumentFragment {
  const text = LEAD + source;
  const { topNode } = briefLanguage.parser.parse(text);
  type Node = typeof topNode;
  const children = (parent: Node, into: ParentNode, from: number, to: number) => {
    let at = from;
    const write = (end: number) => {
      if (end > at) into.append(text.slice(at, end).replaceAll(LEAD, ''));
    };
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      if (node.from >= to) break;
      write(node.from);
      show(node, into);
      at = node.to;
    }
    write(to);
  };
  const show = (node: Node, into: ParentNode): void => {
    const { name, from, to } = node;
    const written = text.slice(from, to);
    const [open, close] = node.getChildren('LinkMark');
    const url = node.getChild('URL');
    const address = url ? text.slice(url.from, url.to).replace(/^<|>$/g, '') : '';
    if (SIGNS.test(name)) return;
    if (name === 'Escape') into.append(written.slice(1));
    else if (name === 'HTMLTag' && /^<br\s*\/?>$/i.test(written))
      into.append(document.createElement('br'));
    else if (name === 'Formula') {
      const span = document.createElement('span');
      span.textContent = written;
      renderInto(span, written, onShown);
      into.append(span);
    } else if (name === 'Image' && url && open && close) {
      const image = new Image();
      image.src = loadable(address);
      image.alt = text.slice(open.to, close.from).replace(/\s*\\?\|\d+(?:x\d+)?$/, '');
      image.addEventListener('load', onShown);
      into.append(image);
    } else if (open && close && (url || name === 'WikiLink')) {
      const link = document.createElement('span');
      link.className = 'cm-link';
      children(node, link, open.to, close.from);
      into.append(link);
    } else if (node.firstChild || TAGS[name] || name === 'Paragraph') {
      const tag = TAGS[name];
      const element = tag ? document.createElement(tag) : undefined;
      children(node, element ?? into, from, to);
      if (element) into.append(element);
    } else into.append(written);
  };
  const fragment = new DocumentFragment();
  children(topNode, fragment, 0, text.length);
  return fragment;
}
