import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

/** Syntax nodes in which Markdown is plain text. */
const BLOCK = /^(?:FencedCode|CodeBlock|CodeText|HTMLBlock|CommentBlock|FormulaBlock|FrontMatter)$/;
const INLINE = /^(?:InlineCode|Formula)$/;

/** Tells whether the cursor is in code or HTML, where Markdown is plain text. */
export function isVerbatim(state: EditorState): boolean {
  return isWithin(state, BLOCK) || isWithin(state, INLINE);
}

/** Tells whether the cursor is in a block of code or HTML. */
export function isInVerbatimBlock(state: EditorState): boolean {
  return isWithin(state, BLOCK);
}

function isWithin(state: EditorState, names: RegExp): boolean {
  let node = syntaxTree(state).resolveInner(state.selection.main.head, -1);
  while (node.parent && !names.test(node.name)) node = node.parent;
  return names.test(node.name);
}
