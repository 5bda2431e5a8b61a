import type { ComponentChildren, JSX } from 'preact';
import type { Kind } from '../../base/schema/kind.ts';
import { Icon, type IconName } from '../../surfaces/web/pages/icons.tsx';
import { PALETTE_SHORTCUT } from '../../surfaces/web/palette-shortcut.ts';

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
  ...TOOLS.flatMap(({ keys, label }): [string, string][] => (keys ? [[keys, label]] : [])),
  ['Ctrl Shift V', 'Paste rich text as plain text'],
  ['/', 'At the start of a line: insert a block'],
  ['Enter', 'In a list: next item. In a table’s cell: new row'],
  ['Tab, Shift Tab', 'In a list: indent, outdent. In a table: next cell, previous cell'],
  ['Ctrl Alt Shift X, Z', 'Suggest changes, change the text'],
  ['Ctrl Alt M', 'Comments on this line, or the next ones'],
  ['Escape, then Tab', 'Move focus out of the editor'],
  [PALETTE_SHORTCUT, 'Search all documents'],
];

/** Renders the toolbar above the text. */
export function EditorTools({ kind }: { kind: Kind }): JSX.Element {
  return (
    <div class="editor-tools needs-script">
      {kind === 'brief' && (
        <div class="tools" role="toolbar" aria-label="Formatting" aria-controls="content">
          {TOOLS.map(({ command, icon, label, keys }) => (
            <button
              type="button"
              class="action"
              data-command={command}
              title={keys ? `${label} (${keys})` : label}
            >
              <Icon name={icon} />
              <span class="visually-hidden">{label}</span>
            </button>
          ))}
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
      <fieldset class="pane-switch">
        <legend class="visually-hidden">View</legend>
        <PaneButton pane="write" label="Write" icon={<Icon name="pencil" />} />
        <PaneButton pane="both" label="Split" icon={<Icon name="columns-2" />} />
        <PaneButton pane="view" label="Preview" icon={<Icon name="eye" />} />
      </fieldset>
    </div>
  );
}

function PaneButton(props: { pane: string; label: string; icon: ComponentChildren }): JSX.Element {
  return (
    <button type="button" class="action" data-pane={props.pane} aria-pressed="false">
      {props.icon}
      <span>{props.label}</span>
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
