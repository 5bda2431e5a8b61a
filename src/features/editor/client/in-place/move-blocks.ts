import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { Command } from '@codemirror/view';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** Returns the item of a list at the cursor, with all below it; otherwise the block. */
function partAt(state: EditorState): SyntaxNode | undefined {
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  const at = line.from + line.text.length - line.text.trimStart().length;
  let top: SyntaxNode | undefined;
  for (
    let node = syntaxTree(state).resolveInner(Math.max(at, head), -1);
    node.parent;
    node = node.parent
  ) {
    if (node.name === 'ListItem') return node;
    top = node;
  }
  return top;
}

/** What of a part moves. An item's sign stays, so that numbers keep their order. */
function rangeOf(part: SyntaxNode): { from: number; to: number } {
  const { from, to } = part;
  return { from: part.name === 'ListItem' ? (part.getChild('ListMark')?.to ?? from) : from, to };
}

/** Moves an item of a list, or a block, past the one above or below it. */
function move(isDown: boolean): Command {
  return (view) => {
    const { state } = view;
    const part = partAt(state);
    const other = isDown ? part?.nextSibling : part?.prevSibling;
    if (!part || !other || part.name === 'FrontMatter' || other.name === 'FrontMatter') return true;
    const [mine, theirs] = [rangeOf(part), rangeOf(other)];
    const [first, second] = isDown ? [mine, theirs] : [theirs, mine];
    const [upper, lower] = [first, second].map(({ from, to }) => state.sliceDoc(from, to));
    const { head } = state.selection.main;
    const shift = isDown ? second.to - mine.to : theirs.from - mine.from;
    view.dispatch({
      changes: [
        { from: first.from, to: first.to, insert: lower ?? '' },
        { from: second.from, to: second.to, insert: upper ?? '' },
      ],
      selection: { anchor: Math.max(mine.from, head) + shift },
      userEvent: 'move.line',
      scrollIntoView: true,
    });
    return true;
  };
}

export const moveUp = move(false);
export const moveDown = move(true);
