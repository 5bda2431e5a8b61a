import { insertNewlineContinueMarkupCommand } from '@codemirror/lang-markdown';
import type { Extension } from '@codemirror/state';
import { type Command, EditorView } from '@codemirror/view';
import { isListItem, withOneMarker } from './lines.ts';
import { isInVerbatimBlock } from './verbatim.ts';

/** An empty item ends its list, also the second one. */
const continueMarkup = insertNewlineContinueMarkupCommand({ nonTightLists: false });

/**
 * Begins the next item of a list, or the next line of a quote. On an empty item, ends the list with a
 * blank line: without one, what is typed next would still be text of the last item.
 */
export const nextItem: Command = (view) => {
  if (!continueMarkup(view)) return false;
  const { doc, selection } = view.state;
  const { head } = selection.main;
  const line = doc.lineAt(head);
  const above = line.number > 1 ? doc.line(line.number - 1).text : '';
  if (line.text === '' && selection.ranges.length === 1 && above.trim() !== '') {
    view.dispatch({
      changes: { from: head, insert: '\n' },
      selection: { anchor: head + 1 },
      userEvent: 'input',
      scrollIntoView: true,
    });
  }
  return true;
};

/**
 * Keeps what people type who write the marker of each item themselves: theirs replaces the one that
 * Enter has put there.
 */
export function typedMarkers(): Extension {
  return EditorView.inputHandler.of((view, from, to, text) => {
    if (text !== ' ' || from !== to || isInVerbatimBlock(view.state)) return false;
    const { doc } = view.state;
    const line = doc.lineAt(from);
    if (from !== line.to || line.number === 1) return false;
    const typed = withOneMarker(`${line.text} `);
    if (typed === undefined || !isListItem(doc.line(line.number - 1).text)) return false;
    view.dispatch({
      changes: { from: line.from, to: line.to, insert: typed },
      selection: { anchor: line.from + typed.length },
      userEvent: 'input.type',
      scrollIntoView: true,
    });
    return true;
  });
}
