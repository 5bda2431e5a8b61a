import type { ComponentChildren, JSX } from 'preact';
import { PALETTE_SHORTCUT } from '../../base/palette-shortcut.ts';
import type { Kind } from '../../base/schema/kind.ts';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { canSuggest } from './edit-bar.tsx';
import type { EditPage } from './edit-state.ts';

/** The Markdown toolbar. The editor's script implements the commands by name. */
const TOOLS: { command: string; icon: IconName; label: string; keys?: string }[] = [
  { command: 'heading', icon: 'heading', label: 'Heading', keys: 'Ctrl Shift H' },
  { command: 'bold', icon: 'bold', label: 'Bold', keys: 'Ctrl B' },
  { command: 'italic', icon: 'italic', label: 'Italic', keys: 'Ctrl I' },
  { command: 'code', icon: 'code', label: 'Code', keys: 'Ctrl E' },
  { command: 'link', icon: 'link', label: 'Link', keys: 'Ctrl Shift K' },
  { command: 'bullets', icon: 'list', label: 'List', keys: 'Ctrl Shift 8' },
  { command: 'numbers', icon: 'list-ordered', label: 'Numbered list', keys: 'Ctrl Shift 7' },
  { command: 'tasks', icon: 'list-todo', label: 'Task list', keys: 'Ctrl Shift 9' },
  { command: 'quote', icon: 'quote', label: 'Quote', keys: 'Ctrl Shift .' },
  { command: 'codeBlock', icon: 'square-code', label: 'Code block' },
  { command: 'table', icon: 'table', label: 'Table' },
  { command: 'file', icon: 'image', label: 'Image or file' },
];

/** Only where one can comment. */
const COMMENT = {
  command: 'comment',
  icon: 'message-square',
  label: 'Comment',
  keys: 'Ctrl Alt M',
} as const;

/** Shown while the cursor is in a table. */
const TABLE_TOOLS = [
  { command: 'alignColumn', label: 'Align column' },
  { command: 'addColumn', label: 'Add column' },
  { command: 'removeColumn', label: 'Remove column' },
  { command: 'removeRow', label: 'Remove row' },
];

const SHORTCUTS: [keys: string, does: string][] = [
  ['Ctrl S', 'Save'],
  ['Ctrl F', 'Search and replace'],
  ['Ctrl Z, Ctrl Shift Z', 'Undo, redo'],
  ['Alt F10', 'With words selected: the bar above them; Escape closes it'],
  ...TOOLS.flatMap(({ keys, label }): [string, string][] => (keys ? [[keys, label]] : [])),
  ['Ctrl Shift V', 'Paste rich text as plain text'],
  ['/', 'At the start of a line: insert a block'],
  ['Ctrl Alt Shift S, D', 'Source, or source and preview; again: back to Write'],
  ['Enter, Shift Enter', 'New paragraph, item or row; line break'],
  ['Ctrl Enter', 'Tick a task'],
  ['Alt ↑, Alt ↓', 'Move an item, block or row of a table'],
  ['Shift F10', 'In a table: what can be done with the row, then ← → with the column'],
  ['Tab, Shift Tab', 'In a list: indent, outdent. In a table: next cell, previous cell'],
  ['Ctrl Alt Shift X, Z', 'Suggest changes, change the text'],
  ['Ctrl Alt M', 'Comment on what is selected; else comments on this line, or the next ones'],
  ['Escape, then Tab', 'Move focus out of the editor'],
  [PALETTE_SHORTCUT, 'Search all documents'],
];

function Tool(props: { tool: (typeof TOOLS)[number]; hidden?: boolean }): JSX.Element {
  const { command, icon, label, keys } = props.tool;
  return (
    <button
      type="button"
      class="action"
      data-command={command}
      title={keys ? `${label} (${keys})` : label}
      hidden={props.hidden}
    >
      <Icon name={icon} />
      <span class="visually-hidden">{label}</span>
    </button>
  );
}

/** Renders the switch between changing the text and suggesting changes; hidden until it is saved. */
function ModeSwitch({ hidden }: { hidden: boolean }): JSX.Element {
  return (
    <fieldset class="pane-switch mode-switch" id="editing-mode" hidden={hidden}>
      <legend class="visually-hidden">What you type</legend>
      <button
        type="button"
        class="action"
        data-mode="editing"
        aria-pressed="true"
        title="Change the text (Ctrl Alt Shift Z)"
      >
        Editing
      </button>
      <button
        type="button"
        class="action"
        data-mode="suggesting"
        aria-pressed="false"
        title="Suggest changes, which others accept or reject (Ctrl Alt Shift X)"
      >
        Suggesting
      </button>
    </fieldset>
  );
}

/** Renders the toolbar above the text. */
export function EditorTools({ page }: { page: EditPage }): JSX.Element {
  const { kind, document, proposal } = page;
  const mayComment = canSuggest(page) && !proposal;
  return (
    <div class="editor-tools needs-script">
      {kind === 'brief' && (
        <div class="tools" role="toolbar" aria-label="Formatting" aria-controls="content">
          {TOOLS.map((tool) => (
            <Tool tool={tool} />
          ))}
          {mayComment && <Tool tool={COMMENT} hidden={!document} />}
          <span class="table-tools" id="table-tools" hidden>
            {TABLE_TOOLS.map(({ command, label }) => (
              <button type="button" class="action" data-command={command}>
                {label}
              </button>
            ))}
          </span>
        </div>
      )}
      {kind === 'page' && (
        <p class="drop-hint">Write HTML, or drop a file here. Scripts run in a sandbox.</p>
      )}
      {mayComment && <ModeSwitch hidden={!document} />}
      <fieldset class="pane-switch">
        <legend class="visually-hidden">View</legend>
        <PaneButton pane="write" label="Write" icon={<Icon name="pencil" />} />
        {kind === 'brief' && (
          <PaneButton
            pane="source"
            label="Source"
            keys="Ctrl Alt Shift S"
            icon={<Icon name="code" />}
          />
        )}
        <PaneButton
          pane="both"
          label="Split"
          keys="Ctrl Alt Shift D"
          icon={<Icon name="columns-2" />}
        />
        <PaneButton pane="view" label="Preview" icon={<Icon name="eye" />} />
      </fieldset>
    </div>
  );
}

function PaneButton(props: {
  pane: string;
  label: string;
  keys?: string;
  icon: ComponentChildren;
}): JSX.Element {
  const { pane, label, keys, icon } = props;
  return (
    <button
      type="button"
      class="action"
      data-pane={pane}
      aria-pressed="false"
      title={keys && `${label} (${keys})`}
    >
      {icon}
      <span>{label}</span>
    </button>
  );
}

/** Renders the bar below the text, and the help that it opens. */
export function EditorFoot({ kind }: { kind: Kind }): JSX.Element {
  return (
    <div class="editor-foot needs-script">
      <span id="word-count" />
      <button type="button" class="action" id="editor-threads" title="Comments (Ctrl Alt M)" hidden>
        <Icon name="message-square" />
        <span>Comments</span>
        <span class="count" />
      </button>
      {kind === 'brief' && (
        <>
          <details class="outline" id="outline" data-menu>
            <summary class="action">Outline</summary>
            <ol />
          </details>
          <button type="button" class="action" id="editor-help">
            <Icon name="keyboard" />
            <span>Shortcuts</span>
          </button>
          <template id="editor-shortcuts">
            <div>
              <p class="hint">On a Mac, use ⌘ instead of Ctrl.</p>
              <dl class="shortcuts">
                {SHORTCUTS.map(([keys, does]) => (
                  <>
                    <dt>
                      <kbd>{keys}</kbd>
                    </dt>
                    <dd>{does}</dd>
                  </>
                ))}
              </dl>
            </div>
          </template>
        </>
      )}
    </div>
  );
}
