import type { EditorView } from '@codemirror/view';
import { createHandle } from './handle.ts';
import { sizeChange, sourceOf } from './image-source.ts';

/** Gives each image of the preview a handle that changes its width in the Markdown. */
export function resizeImages(article: HTMLElement, view: EditorView): void {
  let focused: string | undefined;
  article.addEventListener('focusin', ({ target }) => {
    focused = (target as Element).matches('.resize-handle') ? keyOf(target as Element) : undefined;
  });

  const keyOf = (within: Element): string => {
    const image = within.parentElement?.querySelector('img');
    const twins = [...article.querySelectorAll('img')].filter(({ src }) => src === image?.src);
    return `${twins.indexOf(image as HTMLImageElement)} ${image?.src}`;
  };

  article.addEventListener('contentadded', () => {
    for (const image of article.querySelectorAll('img')) {
      const isOwn = image.closest('.resizable, .diagram') === null;
      if (isOwn && sourceOf(image, article, view.state)) addHandle(image);
    }
    // A new width replaces the block, including the handle that has the focus.
    if (focused === undefined || document.activeElement !== document.body) return;
    const handles = [...article.querySelectorAll<HTMLElement>('.resize-handle')];
    handles.find((handle) => keyOf(handle) === focused)?.focus({ preventScroll: true });
  });

  function addHandle(image: HTMLImageElement): void {
    const frame = document.createElement('span');
    frame.className = 'resizable';
    image.replaceWith(frame);
    const set = (width: number | undefined) => {
      const source = sourceOf(image, article, view.state);
      if (!source) return;
      const changes = sizeChange(view.state, source, width);
      if (view.state.sliceDoc(changes.from, changes.to) === changes.insert) return;
      view.dispatch({ changes, userEvent: 'input.resize' });
    };
    frame.append(image, createHandle(image, set));
  }
}
