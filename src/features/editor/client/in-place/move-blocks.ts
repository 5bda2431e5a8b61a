import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { Command, EditorView } from '@codemirror/view';
import { edits } from '../edits.ts';
import { moved } from '../table.ts';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** Returns the item of a list at a position, with all below it; otherwise the block. */
function partAt(state: EditorState, position: number): SyntaxNode | undefined {
  const line = state.doc.lineAt(position);
  const at = line.from + line.text.length - line.text.trimStart().length;
  const tree = syntaxTree(state);
  let top: SyntaxNode | undefined;
  let node = position > at ? tree.resolveInner(position, -1) : tree.resolveInner(at, 1);
  for (; node.parent; node = node.parent) {
    if (node.name === 'ListItem') return node;
    top = node;
  }
  return top;
}

/** Returns the items of the list at a position, or all blocks, and which of them is there. */
export function partsAt(state: EditorState, position: number) {
  const part = partAt(state, position);
  const isItem = part?.name === 'ListItem';
  const parts: SyntaxNode[] = [];
  for (let node = part?.parent?.firstChild ?? null; node; node = node.nextSibling) {
    // Marks of a quote are between its items.
    if (isItem ? node.name === 'ListItem' : node.name !== 'FrontMatter') parts.push(node);
  }
  return { parts, index: parts.findIndex(({ from }) => from === part?.from) };
}

/** What of a part moves. An item's sign stays, so that numbers keep their order. */
function rangeOf(part: SyntaxNode) {
  const { from, to } = part;
  const sign = part.name === 'ListItem' ? (part.getChild('ListMark')?.to ?? from) - from : 0;
  return { from: from + sign, to, sign };
}

/** Indents what is below an item's first line by some columns more, or less. */
function indented(text: string, by: number): string {
  if (by > 0) return text.replace(/\n(?=[ \t])/g, `\n${' '.repeat(by)}`);
  return by < 0 ? text.replace(new RegExp(`\n {${-by}}`, 'g'), '\n') : text;
}

/**
 * Moves the item of a list, or the block, at a position into another's place, with the caret.
 *
 * @param to returns the other's index among the items or blocks from its own
 */
export function movePart(view: EditorView, position: number, to: (index: number) => number): void {
  const { state } = view;
  const { parts, index } = partsAt(state, position);
  const target = to(index);
  if (!parts[index] || !parts[target] || target === index) return;
  const first = Math.min(index, target);
  const places = parts.slice(first, Math.max(index, target) + 1).map(rangeOf);
  const [start, end] = [places[0]?.from ?? 0, places.at(-1)?.to ?? 0];
  const own = rangeOf(parts[index]);
  let text = '';
  let anchor = start;
  for (const [at, { from, to, sign }] of moved(places, index - first, target - first).entries()) {
    const place = places[at] ?? own;
    text += state.sliceDoc(places[at - 1]?.to ?? start, place.from);
    if (from === own.from) anchor = start + text.length + Math.max(0, position - from);
    text += indented(state.sliceDoc(from, to), place.sign - sign);
  }
  view.dispatch({
    changes: edits(state, { from: start, to: end }, text),
    selection: { anchor },
    userEvent: 'move.line',
    scrollIntoView: true,
  });
}

function moveBy(step: number): Command {
  return (view) => {
    movePart(view, view.state.selection.main.head, (index) => index + step);
    return true;
  };
}

export const moveUp = moveBy(-1);
export const moveDown = moveBy(1);
