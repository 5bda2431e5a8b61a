import type MarkdownIt from 'markdown-it';
import type { StateCore, Token } from 'markdown-it';

const MARKER = /^\[([ xX\u00a0])\][ \t\u00a0]+/;

/**
 * Adds GitHub's task lists: `- [ ] open` and `- [x] done` as disabled checkboxes.
 *
 * The box and its text share a `<label>`, which gives the box its accessible name.
 *
 * We don't use `@mdit/plugin-tasklist`: every item searches backwards for its list, which takes
 * minutes in a list of 100,000.
 */
export function taskLists(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'task_lists', markTaskLists);
}

function markTaskLists(state: StateCore): void {
  const lists: Token[] = [];
  const { tokens } = state;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') {
      lists.push(token);
    } else if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') {
      lists.pop();
    } else if (token.type === 'inline') {
      const item = tokens[index - 2];
      if (item?.type !== 'list_item_open' || tokens[index - 1]?.type !== 'paragraph_open') continue;
      const first = token.children?.[0];
      const marker = first?.type === 'text' ? MARKER.exec(first.content) : null;
      if (!first || !marker || !token.children) continue;
      first.content = first.content.slice(marker[0].length);
      const label = new state.Token('label_open', 'label', 1);
      label.attrSet('class', 'task-list-item-label');
      const box = new state.Token('checkbox', 'input', 0);
      box.attrSet('type', 'checkbox');
      box.attrSet('class', 'task-list-item-checkbox');
      box.attrSet('disabled', '');
      if (marker[1] === 'x' || marker[1] === 'X') box.attrSet('checked', '');
      const space = new state.Token('text', '', 0);
      space.content = ' ';
      const end = new state.Token('label_close', 'label', -1);
      token.children = [label, box, space, ...token.children, end];
      item.attrSet('class', 'task-list-item');
      lists.at(-1)?.attrSet('class', 'contains-task-list');
    }
  }
}
