import { EditorSelection, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { showToast } from '../../../../surfaces/web/client/app/toast.ts';
import { onDemand } from '../on-demand.ts';
import { pasteCells, tablePlace } from '../table-keys.ts';
import { uploadPicture } from '../uploads.ts';
import { isVerbatim } from '../verbatim.ts';

const BLOCK = /^(?:#{1,6} |[-*+] |\d+\. |> |```|~~~|\| |---|\$\$)/;
const ITEM = /^(?:[-*+]|\d+\.) /;
/** A line's prefix: quotes and indent, then the marker of a list item. */
const BEGINNING = /^([\s>]*)((?:(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?)?)/;

/**
 * Fits Markdown into a line: blocks get blank lines around them, and stay in the list item or quote
 * that they are pasted into.
 *
 * @param before the text of the line before the Markdown
 * @param after the text of the line after it
 * @returns the text to insert; `over`: how many characters at the end of `before` it replaces
 */
function fitted(markdown: string, before: string, after: string): { insert: string; over: number } {
  const isBlock = markdown.includes('\n') || BLOCK.test(markdown);
  if (!isBlock) return { insert: markdown, over: 0 };
  const [beginning = '', lead = '', marker = ''] = BEGINNING.exec(before) ?? [];
  const isAtStart = before.slice(beginning.length).trim() === '';
  // A pasted list replaces an empty item.
  const isList = isAtStart && marker !== '' && ITEM.test(markdown);
  const over = isList ? marker.length : 0;
  // A task's checkbox is part of its text.
  const width = isList ? 0 : marker.replace(/\[.*/, '').length;
  const indent = lead + ' '.repeat(width);
  const blankLine = `\n${indent.trimEnd()}\n${indent}`;
  const lines = markdown.split('\n');
  const text = lines
    .map((line, index) => (index === 0 ? line : (indent + line).trimEnd()))
    .join('\n');
  return {
    insert: (isAtStart ? '' : blankLine) + text + (after.trim() === '' ? '' : blankLine),
    over,
  };
}

/** HTML without any of these needs no conversion, so its code isn't loaded. */
const CAN_BE_RICH =
  /<(?:h[1-6]|[abiqu]|em|strong|s|del|strike|code|pre|kbd|su[bp]|mark|ins|small|var|samp|cite|dfn|[uo]l|table|blockquote|hr|img|math|mjx-container)\b|<span[^>]*\bstyle|mso-list|markdown-alert/i;

/**
 * Pastes rich text as Markdown. The code that converts it loads with the first such paste. The text
 * stays plain in code, and if it comes from a code editor.
 */
export function richPaste(): Extension {
  return EditorView.domEventHandlers({
    paste(event, view) {
      const { clipboardData, defaultPrevented } = event;
      const html = clipboardData?.getData('text/html') ?? '';
      const plain = clipboardData?.getData('text/plain') ?? '';
      const isOfCode = clipboardData?.types.includes('vscode-editor-data');
      if (defaultPrevented || view.state.readOnly || isOfCode || isVerbatim(view.state))
        return false;
      if (!CAN_BE_RICH.test(html)) return false;
      event.preventDefault();
      void paste(view, html, plain);
      return true;
    },
  });
}

async function paste(view: EditorView, html: string, plain: string): Promise<void> {
  const code = await onDemand(import('./markdown-of.ts'));
  // A line break would end the table's row.
  if (tablePlace(view.state) !== undefined) {
    const found = code?.cellsOf(html);
    pasteCells(view, found?.cells ?? [[plain.trim().replace(/\s*\n\s*/g, '<br>')]]);
    sayLost(found?.lost ?? 0);
    return;
  }
  const pasted = code?.markdownOf(html);
  const pictures = pasted?.pictures ?? [];
  const { state } = view;
  // Of several cursors, none is where the pictures belong.
  const canUpload = state.selection.ranges.length === 1;
  const markdown =
    pasted && !canUpload && code
      ? code.withDescriptions(pasted.markdown, pictures)
      : pasted?.markdown;
  let start = 0;
  let places: ReadonlyMap<number, number> = new Map();
  const changes = state.changeByRange(({ from, to }) => {
    const line = state.doc.lineAt(from);
    const after = state.sliceDoc(to, state.doc.lineAt(to).to);
    const { insert, over } =
      markdown === undefined
        ? { insert: plain, over: 0 }
        : fitted(markdown, line.text.slice(0, from - line.from), after);
    const taken = code?.takePlaces(insert) ?? { text: insert, places };
    ({ places } = taken);
    start = from - over;
    return {
      changes: { from: start, to, insert: taken.text },
      range: EditorSelection.cursor(start + taken.text.trimEnd().length),
    };
  });
  view.dispatch(changes, { userEvent: 'input.paste', scrollIntoView: true });
  for (const [index, at] of places) {
    const picture = pictures[index];
    if (picture) uploadPicture(view, picture.file, picture.description, start + at);
  }
  sayLost((pasted?.lost ?? 0) + (canUpload ? 0 : pictures.length));
}

/** Says how many pictures couldn't be pasted. */
function sayLost(count: number): void {
  if (count === 0) return;
  const what = count === 1 ? 'A picture' : `${count} pictures`;
  showToast(`${what} couldn’t be pasted.`, { isFault: true });
}
