import { ensureSyntaxTree, type syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** Where the alternative text of an image is in the source. */
export interface ImageSource {
  from: number;
  to: number;
  /** Whether a pipe must be escaped. */
  isInTable: boolean;
}

const PATIENCE_MS = 100;
const SIZE = /\s*\\?\|[1-9]\d{0,3}(?:x[1-9]\d{0,3})?$/;

/**
 * Finds the Markdown of an image in the preview, by the line of its block.
 *
 * @returns `undefined` if the image is HTML, or its address is in a link reference definition
 */
export function sourceOf(image: HTMLImageElement, article: Element, state: EditorState) {
  const lineOf = (element: Element | null) => Number(element?.getAttribute('data-line') ?? 0);
  const blockOf = (element: Element) => lineOf(element.closest('[data-line]'));
  const line = blockOf(image);
  if (line === 0 || line > state.doc.lines) return undefined;
  const twins = [...article.querySelectorAll('img')].filter(
    (each) => each.src === image.src && blockOf(each) === line,
  );
  const next = [...article.querySelectorAll('[data-line]')].map(lineOf).find((each) => each > line);
  const end = next === undefined ? state.doc.length : state.doc.line(next).from;
  const found = imagesBetween(state, state.doc.line(line).from, end);
  return found.filter(({ address }) => address === image.src)[twins.indexOf(image)];
}

function imagesBetween(state: EditorState, start: number, end: number) {
  const found: (ImageSource & { address: string })[] = [];
  ensureSyntaxTree(state, end, PATIENCE_MS)?.iterate({
    from: start,
    to: end,
    enter({ name, node, from }) {
      if (name !== 'Image' || from < start || from >= end) return;
      const [open, close] = node.getChildren('LinkMark');
      const url = node.getChild('URL');
      if (!open || !close || !url) return;
      const written = state.sliceDoc(url.from, url.to).replace(/^<|>$/g, '');
      const address = URL.canParse(written, location.href)
        ? new URL(written, location.href).href
        : '';
      found.push({ from: open.to, to: close.from, isInTable: isInTable(node), address });
    },
  });
  return found;
}

function isInTable(node: SyntaxNode): boolean {
  for (let parent = node.parent; parent; parent = parent.parent) {
    if (parent.name === 'Table') return true;
  }
  return false;
}

/** Returns the change that sets an image's width in pixels; without a width, its original size. */
export function sizeChange(state: EditorState, source: ImageSource, width: number | undefined) {
  const alt = state.sliceDoc(source.from, source.to).replace(SIZE, '');
  const size = width === undefined ? '' : `${source.isInTable ? '\\' : ''}|${width}`;
  return { from: source.from, to: source.to, insert: alt + size };
}
