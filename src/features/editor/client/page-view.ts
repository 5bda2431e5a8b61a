import { showMissingParts } from '../../pages/client/missing-parts.ts';
import { replaceFrame, scrollAsBefore } from '../../pages/client/replace-frame.ts';

const WAIT_MS = 400;

/** How long a loaded frame may take to ask for its HTML. */
const ASKS_WITHIN_MS = 2000;

/** Previews HTML in the sandbox that published pages run in. */
export interface PageView {
  /** Shows this HTML after a short delay, scrolled as the HTML before it. */
  update(html: string): void;
}

/**
 * Shows the HTML in a frame on the render host, which asks for the HTML and then replaces its own
 * document with it. The unsaved HTML runs with the same origin and headers as published pages.
 * `srcdoc` and `blob:` would inherit this page's policy, which blocks their scripts.
 *
 * @param address the render host's document for previews
 */
export function createPageView(container: HTMLElement, address: string): PageView {
  let html = '';
  let timer = 0;
  let frame: HTMLIFrameElement | undefined;
  /** Whether the frame may still ask for its HTML. */
  let isAwaited = false;

  showMissingParts();
  addEventListener('message', ({ source, data }) => {
    if (!isAwaited || source !== frame?.contentWindow || data !== 'preview-ready') return;
    isAwaited = false;
    // The frame's origin is opaque, so the target must be '*'.
    frame?.contentWindow?.postMessage(html, '*');
    if (frame) scrollAsBefore(frame);
  });

  const giveUp = (loaded: HTMLIFrameElement) => {
    if (loaded === frame) isAwaited = false;
  };

  const show = () => {
    const next = document.createElement('iframe');
    next.className = 'page-frame';
    next.title = 'The page in its sandbox';
    next.setAttribute('sandbox', 'allow-scripts allow-forms allow-modals allow-downloads');
    next.allow = 'clipboard-write; fullscreen';
    next.referrerPolicy = 'no-referrer';
    next.src = address;
    // A frame that loads without asking, such as the browser's offline page, never will.
    next.addEventListener('load', () => setTimeout(giveUp, ASKS_WITHIN_MS, next));
    isAwaited = true;
    const shown = container.querySelector<HTMLIFrameElement>('.page-frame');
    if (shown) void replaceFrame(shown, next);
    else container.replaceChildren(next);
    frame = next;
  };

  return {
    update(text) {
      html = text;
      // The current frame will ask for this HTML. A second frame would restart it.
      if (isAwaited) return;
      clearTimeout(timer);
      timer = window.setTimeout(show, frame ? WAIT_MS : 0);
    },
  };
}
