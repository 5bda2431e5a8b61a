import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { Command } from '@codemirror/view';
import { LANGUAGES } from './languages.ts';

const OPTIONS: Completion[] = LANGUAGES.map((label) => ({ label }));

/** Turns the selected lines into a code block, and offers languages. */
export const codeBlock: Command = (view) => {
  const { state } = view;
  const { from, to } = state.selection.main;
  const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)];
  const code = state.sliceDoc(first.from, last.to);
  // Longer than any fence in the code.
  const runs = Array.from(code.matchAll(/`+/g), ([run]) => run.length);
  const fence = '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)));
  view.dispatch({
    changes: { from: first.from, to: last.to, insert: `${fence}\n${code}\n${fence}` },
    selection: { anchor: first.from + fence.length },
    userEvent: 'input.format',
    scrollIntoView: true,
  });
  view.focus();
  startCompletion(view);
  return true;
};

/** Completes the language after the fence that opens a code block. */
export function languageSource(context: CompletionContext): CompletionResult | null {
  const match = context.matchBefore(/(?:`{3,}|~{3,})[\w+#-]*$/);
  if (!match) return null;
  const from = match.from + match.text.search(/[\w+#-]*$/);
  // Enter behind a bare fence must start the code, not choose a language.
  if (from === context.pos && !context.explicit) return null;
  const line = context.state.doc.lineAt(context.pos);
  let node = syntaxTree(context.state).resolveInner(context.pos, -1);
  while (node.name !== 'FencedCode' && node.parent) node = node.parent;
  if (node.name !== 'FencedCode' || node.from < line.from) return null;
  return { from, options: OPTIONS, validFor: /^[\w+#-]*$/ };
}
