import { html } from '@codemirror/lang-html';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { showToast } from '../../../surfaces/web/client/app/toast.ts';
import type { OpenedEditor } from './brief-editor.ts';
import { createPageView } from './page-view.ts';
import { connectPanes } from './panes.ts';
import { one, type Parts } from './settings.ts';
import { replaceTextarea, searchOnDemand, sourceExtensions, sourceOf } from './source.ts';

/**
 * Opens the editor for HTML, with a sandboxed preview beside it.
 *
 * @param more extensions that the caller needs
 */
export function openPageEditor(
  parts: Parts,
  text: string,
  onChange: () => void,
  more: Extension = [],
): OpenedEditor {
  const { form, textarea, nonce, settings } = parts;
  let onText = () => {};
  const view = replaceTextarea(textarea, text, [
    html(),
    sourceExtensions(nonce),
    more,
    searchOnDemand(),
    EditorView.updateListener.of(({ docChanged }) => {
      if (!docChanged) return;
      onChange();
      onText();
    }),
    // Ignores pasted files, because copied text often comes with an image of it.
    EditorView.domEventHandlers({ drop: (event) => takeFile(view, event) }),
  ]);
  return {
    view,
    source: sourceOf(view),
    connect() {
      const page = createPageView(one(form, '#preview'), settings.previewUrl);
      onText = () => page.update(view.state.doc.toString());
      onText();
      connectPanes(form, 'page');
      const input = one<HTMLInputElement>(form, 'input[type="file"]');
      input.addEventListener('change', async () => {
        const [file] = input.files ?? [];
        if (file) await replaceByFile(view, file);
        // The file's text is in the editor now, so the file must not be sent too.
        input.value = '';
      });
    },
  };
}

function takeFile(view: EditorView, event: DragEvent): boolean {
  const file = event.dataTransfer?.files[0];
  if (!file) return false;
  event.preventDefault();
  void replaceByFile(view, file);
  return true;
}

/** Replaces the text with a file's. Undo restores it. */
async function replaceByFile(view: EditorView, file: File): Promise<void> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    view.focus();
  } catch {
    showToast(`${file.name} is not UTF-8 text, so it can’t be a page.`, { isFault: true });
  }
}
