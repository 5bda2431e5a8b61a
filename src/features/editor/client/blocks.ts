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

/** How many blocks the menu shows before somebody types a word of the others. */
const FIRST = 10;

/** A block of the menu: what it is, what it is for, and other words that find it. */
interface Block {
  label: string;
  help: string;
  finds?: string;
  /** What it inserts, `#{}` where the cursor goes, or what it does. */
  does: string | ((view: EditorView) => void);
}

/** The blocks in the menu, most needed first. */
const blocks = (chooseFile: (view: EditorView) => void): Block[] => [
  { label: 'Text', help: 'A plain paragraph', finds: 'paragraph', does: '#{}' },
  { label: 'Heading', help: 'Begins a section', finds: 'h2 section', does: '## #{}' },
  { label: 'List', help: 'Items with bullets', finds: 'bullets', does: '- #{}' },
  { label: 'Task list', help: 'Items to tick off', finds: 'todo check', does: '- [ ] #{}' },
  {
    label: 'Table',
    help: 'Rows and columns',
    finds: 'grid',
    does: (view) => void FORMATS.table?.(view),
  },
  { label: 'Image or file', help: 'From this computer', finds: 'picture upload', does: chooseFile },
  { label: 'Link', help: 'To another site', finds: 'url address', does: '[#{text}](#{https://})' },
  { label: 'Quote', help: 'Someone’s words', finds: 'blockquote', does: '> #{}' },
  {
    label: 'Code',
    help: 'With colours for a language',
    finds: 'pre',
    does: '```#{language}\n#{}\n```',
  },
  {
    label: 'Diagram',
    help: 'Boxes and arrows, written as text',
    finds: 'mermaid flowchart',
    does: '```mermaid\nflowchart LR\n  #{A} --> #{B}\n```',
  },
  { label: 'Small heading', help: 'Begins a part of a section', finds: 'h3', does: '### #{}' },
  { label: 'Large heading', help: 'Like the title', finds: 'h1', does: '# #{}' },
  { label: 'Numbered list', help: 'Steps, or a ranking', finds: 'ordered', does: '1. #{}' },
  { label: 'Link to a document', help: 'Then type its title', finds: 'wiki', does: linkDocument },
  { label: 'Note', help: 'A box for a remark', finds: 'alert', does: '> [!NOTE]\n> #{}' },
  {
    label: 'Warning',
    help: 'A box nobody should miss',
    finds: 'alert',
    does: '> [!WARNING]\n> #{}',
  },
  { label: 'Formula', help: 'In LaTeX', finds: 'math', does: '$$\n#{}\n$$' },
  { label: 'Divider', help: 'A line across the text', finds: 'rule', does: '---\n\n#{}' },
];

function linkDocument(view: EditorView): void {
  view.dispatch(view.state.replaceSelection('[['), { userEvent: 'input.type' });
}

type Apply = (view: EditorView, completion: Completion, from: number, to: number) => void;

/**
 * Opens a menu of blocks, most used first, when the user types `/` at the start of a line, and of
 * documents after `[[`.
 */
export function blockMenu(
  chooseFile: (view: EditorView) => void,
  ownerOf: () => string,
): Extension {
  const options = blocks(chooseFile).map(optionOf);
  const source = (context: CompletionContext): CompletionResult | null => {
    const match = context.matchBefore(/^\s*\/[\w ]*$/);
    if (!match) return null;
    const uses = blockUses();
    const ordered = options.map((option, index) => {
      const count = Number(uses[option.displayLabel]) || 0;
      return { ...option, boost: count > 0 ? Math.min(count, MOST) : -index };
    });
    const from = match.from + match.text.indexOf('/');
    if (!match.text.endsWith('/')) return { from, options: ordered, validFor: /^\/[\w ]+$/ };
    const first = ordered.sort((one, other) => other.boost - one.boost).slice(0, FIRST);
    return { from, options: first };
  };
  return autocompletion({
    override: [source, languageSource, documentSource(ownerOf)],
    icons: false,
    maxRenderedOptions: 40,
  });
}

/** Returns a block as an option that also counts how often it is chosen. */
function optionOf({ label, help, finds = '', does }: Block) {
  const insert = typeof does === 'string' ? snippet(does) : undefined;
  const apply: Apply = (view, completion, from, to) => {
    countBlockUse(label);
    if (insert) return insert(view, completion, from, to);
    view.dispatch({ changes: { from, to } });
    if (typeof does === 'function') does(view);
  };
  return { label: `/${label} ${finds}`, displayLabel: label, detail: help, apply };
}
