import type { Extension } from '@codemirror/state';
import { type Command, EditorView } from '@codemirror/view';
import { makeDialog } from '../../../surfaces/web/client/app/dialog.ts';
import { codeBlock } from './code-block.ts';
import { FORMATS } from './format.ts';
import { resizeImages } from './images/resize.ts';
import { markdownExtensions } from './markdown.ts';
import { connectOutline, countWords } from './outline.ts';
import { createPreview } from './preview.ts';
import { syncScroll } from './scroll-sync.ts';
import type { Source } from './session-types.ts';
import { one, type Parts } from './settings.ts';
import { replaceTextarea, searchOnDemand, sourceExtensions, sourceOf } from './source.ts';
import { TABLE_COMMANDS, tablePlace } from './table-keys.ts';
import { lineDirections } from './text-direction.ts';
import { chooseFiles } from './uploads.ts';

const COUNT_WAIT_MS = 300;

/** An editor, and a function that connects the rest of the page to it. */
export interface OpenedEditor {
  view: EditorView;
  source: Source;
  connect(): void;
}

/**
 * Opens the editor for Markdown.
 *
 * @param more extensions that the caller needs
 */
export function openBriefEditor(
  parts: Parts,
  text: string,
  onChange: () => void,
  more: Extension = [],
): OpenedEditor {
  const { form, textarea, nonce } = parts;
  const tableTools = one<HTMLElement>(form, '#table-tools');
  let onText = () => {};
  const view = replaceTextarea(textarea, text, [
    // Before the common keys, so that Tab, Enter and formats take precedence.
    markdownExtensions(() => ownerIn(form)),
    sourceExtensions(nonce),
    more,
    lineDirections(),
    searchOnDemand(),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) {
        onChange();
        onText();
      }
      if (update.docChanged || update.selectionSet) {
        tableTools.hidden = tablePlace(update.state) === undefined;
      }
    }),
  ]);
  return {
    view,
    source: sourceOf(view),
    connect() {
      connectTools(form, view);
      connectHelp(form);
      connectOutline(one(form, '#outline'), view);
      const article = one<HTMLElement>(form, '#preview');
      const pane = article.parentElement as HTMLElement;
      // The preview scrolls, so the keyboard must reach it.
      pane.tabIndex = 0;
      const sync = syncScroll(view, pane);
      const preview = createPreview(
        article,
        () => ownerIn(form),
        () => sync.refresh(),
      );
      openLinksElsewhere(article);
      resizeImages(article, view);
      const counted = counter(one(form, '#word-count'), view);
      onText = () => {
        if (pane.offsetParent !== null) preview.update(view.state.doc.toString());
        counted();
      };
      form.querySelector('.panes')?.addEventListener('paneschanged', onText);
      onText();
    },
  };
}

function connectTools(form: HTMLFormElement, view: EditorView): void {
  const commands: Record<string, Command> = { ...FORMATS, ...TABLE_COMMANDS, codeBlock };
  for (const button of form.querySelectorAll<HTMLButtonElement>('[data-command]')) {
    const { command = '' } = button.dataset;
    button.addEventListener('click', () => {
      if (command === 'file') chooseFiles(view);
      else commands[command]?.(view);
      view.focus();
    });
  }
}

function connectHelp(form: HTMLFormElement): void {
  const template = one<HTMLTemplateElement>(form, '#editor-shortcuts');
  one<HTMLButtonElement>(form, '#editor-help').addEventListener('click', () => {
    const dialog = makeDialog();
    const content = template.content.firstElementChild?.cloneNode(true);
    dialog.fill('Editor shortcuts', content as Element);
    dialog.element.addEventListener('close', () => dialog.element.remove());
    dialog.element.showModal();
  });
}

function counter(place: HTMLElement, view: EditorView): () => void {
  let isWaiting = false;
  const count = () => {
    isWaiting = false;
    const words = countWords(view.state);
    place.textContent = words === 1 ? '1 word' : `${words.toLocaleString('en')} words`;
  };
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(count, COUNT_WAIT_MS);
  };
}

/** Opens links of the preview in a new tab, so that they don't leave the editor. */
function openLinksElsewhere(article: HTMLElement): void {
  article.addEventListener('click', (event) => {
    const link = (event.target as Element).closest('a');
    const href = link?.getAttribute('href');
    if (!link || !href) return;
    event.preventDefault();
    if (href.startsWith('#')) {
      article.querySelector(`[id="${CSS.escape(href.slice(1))}"]`)?.scrollIntoView();
    } else {
      window.open(link.href, '_blank', 'noopener');
    }
  });
}

/** Returns the namespace of the document's owner: chosen, while the document is new. */
function ownerIn(form: HTMLFormElement): string {
  const choice = form.querySelector<HTMLSelectElement>('select[name="owner"]');
  return choice?.value ?? form.querySelector('.owner')?.textContent ?? '';
}
