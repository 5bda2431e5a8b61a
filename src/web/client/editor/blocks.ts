import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippet,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { FORMATS } from './format.ts';

/** The blocks in the menu. `#{}` marks where the cursor goes. */
const BLOCKS: { label: string; detail: string; text: string }[] = [
  { label: 'Heading 1', detail: '#', text: '# #{}' },
  { label: 'Heading 2', detail: '##', text: '## #{}' },
  { label: 'Heading 3', detail: '###', text: '### #{}' },
  { label: 'List', detail: '-', text: '- #{}' },
  { label: 'Numbered list', detail: '1.', text: '1. #{}' },
  { label: 'Task list', detail: '- [ ]', text: '- [ ] #{}' },
  { label: 'Quote', detail: '>', text: '> #{}' },
  { label: 'Note', detail: '> [!NOTE]', text: '> [!NOTE]\n> #{}' },
  { label: 'Warning', detail: '> [!WARNING]', text: '> [!WARNING]\n> #{}' },
  { label: 'Code', detail: '```', text: '```#{language}\n#{}\n```' },
  { label: 'Formula', detail: '$$', text: '$$\n#{}\n$$' },
  {
    label: 'Diagram',
    detail: '```mermaid',
    text: '```mermaid\nflowchart LR\n  #{A} --> #{B}\n```',
  },
  { label: 'Divider', detail: '---', text: '---\n\n#{}' },
];

/** Opens a menu of blocks when the user types `/` at the start of a line. */
export function blockMenu(chooseFile: (view: EditorView) => void): Extension {
  const options: Completion[] = [
    ...BLOCKS.map(({ label, detail, text }) => ({
      label: `/${label}`,
      displayLabel: label,
      detail,
      apply: snippet(text),
    })),
    command('Table', '| |', (view) => void FORMATS.table?.(view)),
    command('Image or file', '![]()', chooseFile),
  ];
  const source = (context: CompletionContext): CompletionResult | null => {
    const match = context.matchBefore(/^\s*\/[\w ]*$/);
    if (!match) return null;
    return { from: match.from + match.text.indexOf('/'), options, validFor: /^\/[\w ]*$/ };
  };
  return autocompletion({ override: [source], icons: false, maxRenderedOptions: 20 });
}

/** A block that runs a command. Removes the slash first. */
function command(label: string, detail: string, run: (view: EditorView) => void): Completion {
  return {
    label: `/${label}`,
    displayLabel: label,
    detail,
    apply: (view: EditorView, _completion: Completion, from: number, to: number) => {
      view.dispatch({ changes: { from, to } });
      run(view);
    },
  };
}
