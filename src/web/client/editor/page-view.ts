const WAIT_MS = 400;

/** In which a frame that has loaded asks for its HTML, or never will. */
const ASKS_WITHIN_MS = 2000;

/** Shows HTML in the sandbox that it will be served in. */
export interface PageView {
  /** Soon shows this HTML, from its beginning. */
  update(html: string): void;
}

/**
 * A frame of the render host, which asks for the HTML and becomes it: of the origin and under the
 * headers of every page that is served from there, before anything is saved. (`srcdoc` and `blob:`
 * would have this page's policy, under which no script of theirs runs.)
 *
 * @param address of the render host's document for previews
 */
export function createPageView(container: HTMLElement, address: string): PageView {
  let html = '';
  let timer = 0;
  let frame: HTMLIFrameElement | undefined;
  /** It has not asked yet, and may still do. */
  let isAwaited = false;

  addEventListener('message', ({ source, data }) => {
    if (!isAwaited || source !== frame?.contentWindow || data !== 'preview-ready') return;
    isAwaited = false;
    // The frame's origin is opaque, so there is none to name.
    frame?.contentWindow?.postMessage(html, '*');
  });

  const giveUp = (loaded: HTMLIFrameElement) => {
    if (loaded === frame) isAwaited = false;
  };

  const show = () => {
    const next = document.createElement('iframe');
    next.className = 'page-frame';
    next.title = 'The page in its sandbox';
    next.setAttribute('sandbox', 'allow-scripts allow-forms allow-modals allow-downloads');
    next.referrerPolicy = 'no-referrer';
    next.src = address;
    // One that loads without asking, such as the browser's page for being offline, never will.
    next.addEventListener('load', () => setTimeout(giveUp, ASKS_WITHIN_MS, next));
    isAwaited = true;
    frame = next;
    container.replaceChildren(next);
  };

  return {
    update(text) {
      html = text;
      // It will be given this; a second frame would begin what is seen in the first again.
      if (isAwaited) return;
      clearTimeout(timer);
      timer = window.setTimeout(show, frame ? WAIT_MS : 0);
    },
  };
}
