import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippet,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { languageSource } from './code-block.ts';
import { documentSource } from './document-names.ts';
import { FORMATS } from './format.ts';

/** The key in this browser's storage for how often each block of the menu was chosen. */
const KEY = 'blocks-used';
/** The largest boost that the menu's order accepts. */
const MOST = 99;

function blockUses(): Record<string, number> {
  try {
    const uses: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof uses === 'object' && uses !== null ? (uses as Record<string, number>) : {};
  } catch {
    return {};
  }
}

function countBlockUse(label: string): void {
  const uses = blockUses();
  const count = Math.min(MOST, (Number(uses[label]) || 0) + 1);
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...uses, [label]: count }));
  } catch {
    // Without storage the menu keeps its order.
  }
}

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

type Apply = (view: EditorView, completion: Completion, from: number, to: number) => void;

/**
 * Opens a menu of blocks, most used first, when the user types `/` at the start of a line, and of
 * documents after `[[`.
 */
export function blockMenu(
  chooseFile: (view: EditorView) => void,
  ownerOf: () => string,
): Extension {
  const options = [
    ...BLOCKS.map(({ label, detail, text }) => ({
      label: `/${label}`,
      displayLabel: label,
      detail,
      apply: snippet(text),
    })),
    command('Table', '| |', (view) => void FORMATS.table?.(view)),
    command('Image or file', '![]()', chooseFile),
  ].map(counted);
  const source = (context: CompletionContext): CompletionResult | null => {
    const match = context.matchBefore(/^\s*\/[\w ]*$/);
    if (!match) return null;
    const uses = blockUses();
    const ordered = options.map((option) => ({
      ...option,
      boost: Math.min(Number(uses[option.label]) || 0, 99),
    }));
    const from = match.from + match.text.indexOf('/');
    return { from, options: ordered, validFor: /^\/[\w ]*$/ };
  };
  return autocompletion({
    override: [source, languageSource, documentSource(ownerOf)],
    icons: false,
    maxRenderedOptions: 40,
  });
}

/** Returns the block with an `apply` that also counts how often the block is chosen. */
function counted(block: Completion & { apply: Apply }): Completion {
  return {
    ...block,
    apply(view, completion, from, to) {
      countBlockUse(block.label);
      block.apply(view, completion, from, to);
    },
  };
}

/** Creates a block that removes the slash and runs a command. */
function command(label: string, detail: string, run: (view: EditorView) => void) {
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
