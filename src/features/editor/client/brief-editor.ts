import { Compartment, type Extension, Transaction } from '@codemirror/state';
import { type Command, EditorView } from '@codemirror/view';
import { makeDialog } from '../../../surfaces/web/client/app/dialog.ts';
import { codeBlock } from './code-block.ts';
import { FORMATS } from './format.ts';
import { idle } from './idle.ts';
import { resizeImages } from './images/resize.ts';
import { inPlace } from './in-place/in-place.ts';
import { markdownExtensions } from './markdown.ts';
import { connectOutline, countWords } from './outline.ts';
import { connectPanes } from './panes.ts';
import { createPreview } from './preview.ts';
import { syncScroll } from './scroll-sync.ts';
import type { Source } from './session-types.ts';
import { one, type Parts } from './settings.ts';
import { replaceTextarea, searchOnDemand, sourceExtensions, sourceOf } from './source.ts';
import { TABLE_COMMANDS, tablePlace } from './table-keys.ts';
import { lineDirections } from './text-direction.ts';
import { createTitle } from './title.ts';
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
  const title = createTitle(parts);
  let onText = () => {};
  const look = new Compartment();
  const panes = one<HTMLElement>(form, '.panes');
  const view = replaceTextarea(textarea, text, [
    look.of([]),
    // Before the common keys, so that Tab, Enter and formats take precedence.
    markdownExtensions(() => ownerIn(form)),
    sourceExtensions(nonce),
    more,
    title.extension,
    selectionBarOnDemand(form),
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
    source: sourceOf(view, () => title.focus(view)),
    connect() {
      connectTools(form, view);
      title.connect(view);
      connectHelp(form);
      announcePeople(view);
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
        const { shows = '' } = panes.dataset;
        if (['both', 'view'].includes(shows)) preview.update(view.state.doc.toString());
        counted();
      };
      let isInPlace = false;
      const showPanes = () => {
        if (isInPlace !== (panes.dataset.shows === 'write')) {
          isInPlace = !isInPlace;
          view.dispatch({ effects: look.reconfigure(isInPlace ? inPlace() : []) });
        }
        onText();
      };
      panes.addEventListener('paneschanged', showPanes);
      connectPanes(form, 'brief');
    },
  };
}

function connectTools(form: HTMLFormElement, view: EditorView): void {
  const commands: Record<string, Command> = { ...FORMATS, ...TABLE_COMMANDS, codeBlock };
  form.addEventListener('click', ({ target }) => {
    const { command } = (target as Element).closest<HTMLElement>('[data-command]')?.dataset ?? {};
    if (command === 'file') chooseFiles(view);
    else if (command === undefined || !commands[command]?.(view)) return;
    view.focus();
  });
}

/** Returns the extension for the bar at a selection. Its code loads with the first selection. */
function selectionBarOnDemand(form: HTMLFormElement): Extension {
  const bar = new Compartment();
  let isAsked = false;
  return [
    bar.of([]),
    EditorView.updateListener.of(({ view, state, transactions }) => {
      const isSelected = transactions.some((each) =>
        /^select(?:\.pointer)?$/.test(each.annotation(Transaction.userEvent) ?? ''),
      );
      if (isAsked || !isSelected || state.selection.main.empty) return;
      isAsked = true;
      // Without it, all that it has is in the toolbar.
      void import('./selection-bar.ts').then(
        ({ selectionBar }) => view.dispatch({ effects: bar.reconfigure(selectionBar(form, view)) }),
        () => undefined,
      );
    }),
  ];
}

/** Says once who comes, and what they do, to those who don't see their pictures. */
function announcePeople(view: EditorView): void {
  const said = new Set<string>();
  document.addEventListener('people', () => {
    const { title = '' } = document.querySelector<HTMLElement>('#people summary') ?? {};
    const fresh = title.split('\n').filter((each) => each !== '' && !said.has(each));
    for (const each of fresh) said.add(each);
    if (fresh.length > 0) view.dispatch({ effects: EditorView.announce.of(fresh.join(', ')) });
  });
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
  const count = async () => {
    await idle();
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
