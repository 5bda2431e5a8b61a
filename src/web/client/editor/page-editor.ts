import { html } from '@codemirror/lang-html';
import { EditorView } from '@codemirror/view';
import { showToast } from '../app/toast.ts';
import type { OpenedEditor } from './brief-editor.ts';
import { createPageView } from './page-view.ts';
import { one, type Parts } from './settings.ts';
import { replaceTextarea, searchOnDemand, sourceExtensions, sourceOf } from './source.ts';

/** Opens the editor for HTML, with the page in its sandbox beside it. */
export function openPageEditor(parts: Parts, text: string, onChange: () => void): OpenedEditor {
  const { form, textarea, nonce, settings } = parts;
  let onText = () => {};
  const view = replaceTextarea(textarea, text, [
    html(),
    sourceExtensions(nonce),
    searchOnDemand(),
    EditorView.updateListener.of(({ docChanged }) => {
      if (!docChanged) return;
      onChange();
      onText();
    }),
    // Not pasted ones: beside copied text there is often a picture of it, which is no page.
    EditorView.domEventHandlers({ drop: (event) => takeFile(view, event) }),
  ]);
  return {
    view,
    source: sourceOf(view),
    connect() {
      const page = createPageView(one(form, '#preview'), settings.previewUrl);
      onText = () => page.update(view.state.doc.toString());
      onText();
      const input = one<HTMLInputElement>(form, 'input[type="file"]');
      input.addEventListener('change', async () => {
        const [file] = input.files ?? [];
        if (file) await replaceByFile(view, file);
        // What is saved is the text, which the file has become.
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

/** Puts a file's text in place of what is there; undoing brings that back. */
async function replaceByFile(view: EditorView, file: File): Promise<void> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    view.focus();
  } catch {
    showToast(`${file.name} is no UTF-8 text, so it cannot be a page.`, { isFault: true });
  }
}
