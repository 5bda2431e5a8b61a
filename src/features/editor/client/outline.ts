import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** A heading of the text. */
interface OutlineEntry {
  level: number;
  text: string;
  from: number;
}

const PATIENCE_MS = 100;
const MAX_ENTRIES = 500;

/** Returns the headings of a text, up to a limit; none if parsing takes too long. */
function headingsOf(state: EditorState): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  const tree = ensureSyntaxTree(state, state.doc.length, PATIENCE_MS);
  tree?.iterate({
    enter({ name, from, to }) {
      const [, level] = /^(?:ATX|Setext)Heading(\d)$/.exec(name) ?? [];
      if (level === undefined) return name === 'Document' || name === 'Blockquote';
      const [line = ''] = state.sliceDoc(from, to).split('\n');
      const text = line.replace(/^\s*#+\s*|\s*#+\s*$/g, '').replace(/[*_`]/g, '');
      if (entries.length < MAX_ENTRIES) entries.push({ level: Number(level), text, from });
      return false;
    },
  });
  return entries;
}

/** Markdown nodes that don't count as words. */
const UNREAD = new Set([
  'Image',
  'URL',
  'LinkTitle',
  'LinkLabel',
  'LinkReference',
  'CodeInfo',
  'ListMark',
  'TaskMarker',
  'HTMLTag',
  'Comment',
  'CommentBlock',
  'ProcessingInstruction',
  'ProcessingInstructionBlock',
]);

/**
 * Counts the words that readers see: runs of letters and digits. Ignores images, link addresses and
 * other markup; a bare address is one word.
 */
export function countWords(state: EditorState): number {
  const tree = ensureSyntaxTree(state, state.doc.length, PATIENCE_MS) ?? syntaxTree(state);
  let words = 0;
  let at = 0;
  const count = (to: number) => {
    // The parser does not split HTML blocks into tags and text.
    const text = state.sliceDoc(at, to).replace(/<\/?[a-z][^<>]*>/gi, ' ');
    words += text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
  };
  tree.iterate({
    enter({ name, from, to, node }) {
      if (!UNREAD.has(name)) return true;
      count(from);
      at = to;
      if (name === 'URL' && node.parent?.name !== 'Link') words += 1;
      return false;
    },
  });
  count(state.doc.length);
  return words;
}

/** Fills the list of headings when it opens. Each heading jumps to its place in the text. */
export function connectOutline(details: HTMLDetailsElement, view: EditorView): void {
  const list = details.querySelector('ol');
  details.addEventListener('toggle', () => {
    if (!details.open || !list) return;
    const entries = headingsOf(view.state);
    list.replaceChildren(...entries.map((entry) => item(entry, view, details)));
    if (entries.length > 0) return;
    const empty = document.createElement('li');
    empty.textContent = 'No headings found.';
    list.append(empty);
  });
}

function item(entry: OutlineEntry, view: EditorView, details: HTMLDetailsElement): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = entry.text || 'Untitled';
  button.dataset.level = String(entry.level);
  button.addEventListener('click', () => {
    details.open = false;
    view.dispatch({
      selection: { anchor: entry.from },
      effects: EditorView.scrollIntoView(entry.from, { y: 'start', yMargin: 16 }),
    });
    view.focus();
  });
  const place = document.createElement('li');
  place.append(button);
  return place;
}
