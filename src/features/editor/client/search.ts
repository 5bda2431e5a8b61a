import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';

export { openSearchPanel } from '@codemirror/search';

/** The panel's labels, in sentence case like all others. */
const WORDS = {
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  replace: 'Replace',
  'replace all': 'Replace all',
  'match case': 'Match case',
  regexp: 'Pattern',
  'by word': 'Whole words',
  close: 'Close',
};

/** Returns the extension for search and replace, in a panel above the text. */
export function searchExtension(): Extension {
  return [
    EditorState.phrases.of(WORDS),
    search({ top: true }),
    highlightSelectionMatches(),
    keymap.of(searchKeymap),
  ];
}
