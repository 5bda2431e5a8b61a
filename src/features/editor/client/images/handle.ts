const LEAST = 16;
const MOST = 9999;
const STEP = 10;
/** How long after the last key the width is written, in ms. */
const SETTLED_MS = 400;

/**
 * Creates the handle of an image. Arrow keys change the image's width by 10 pixels, with Shift by
 * one. Delete, Backspace and a double click restore its original size.
 *
 * @param onSet called with a width in pixels when dragging or typing ends; with `undefined` for the
 *   original size
 */
export function createHandle(
  image: HTMLImageElement,
  onSet: (width: number | undefined) => void,
): HTMLElement {
  const handle = document.createElement('span');
  handle.className = 'resize-handle';
  handle.tabIndex = 0;
  handle.title = 'Drag to resize. Double-click for the original size.';
  handle.setAttribute('role', 'slider');
  handle.setAttribute('aria-label', `Width of ${image.alt || 'the image'}`);
  handle.setAttribute('aria-valuemin', String(LEAST));

  const widest = () => {
    const text =
      handle.closest('.prose')?.querySelector(':scope > p') ?? handle.closest('.cm-line');
    const room = text?.clientWidth;
    return Math.min(MOST, Math.max(LEAST, room ?? MOST));
  };
  const tell = () => {
    const width = Math.round(image.getBoundingClientRect().width);
    handle.setAttribute('aria-valuemax', String(widest()));
    handle.setAttribute('aria-valuenow', String(width));
    handle.setAttribute('aria-valuetext', `${width} pixels`);
  };
  const show = (wanted: number): number => {
    const width = Math.round(Math.min(widest(), Math.max(LEAST, wanted)));
    image.removeAttribute('height');
    image.width = width;
    tell();
    return width;
  };
  const reset = () => {
    image.removeAttribute('width');
    image.removeAttribute('height');
    onSet(undefined);
  };

  let timer = 0;
  let pending: number | undefined;
  const settle = () => {
    clearTimeout(timer);
    if (pending !== undefined) onSet(pending);
    pending = undefined;
  };
  handle.addEventListener('focus', tell);
  handle.addEventListener('blur', settle);
  handle.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { width } = image.getBoundingClientRect();
    const step = event.shiftKey ? 1 : STEP;
    const wanted = {
      ArrowRight: width + step,
      ArrowUp: width + step,
      ArrowLeft: width - step,
      ArrowDown: width - step,
      PageUp: width + 10 * step,
      PageDown: width - 10 * step,
      Home: LEAST,
      End: MOST,
    }[event.key];
    if (event.key === 'Delete' || event.key === 'Backspace') reset();
    else if (wanted === undefined) return;
    else {
      pending = show(wanted);
      clearTimeout(timer);
      timer = window.setTimeout(settle, SETTLED_MS);
    }
    event.preventDefault();
  });

  handle.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    handle.focus({ preventScroll: true });
    handle.setPointerCapture(event.pointerId);
    const from = event.clientX - image.getBoundingClientRect().width;
    let width: number | undefined;
    const move = ({ clientX }: PointerEvent) => {
      width = show(clientX - from);
    };
    const stop = () => {
      handle.removeEventListener('pointermove', move);
      if (width !== undefined) onSet(width);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', stop, { once: true });
  });
  handle.addEventListener('dblclick', reset);
  // The image can be inside a link.
  handle.addEventListener('click', (event) => {
    event.preventDefault();
    event.stopPropagation();
  });
  return handle;
}
