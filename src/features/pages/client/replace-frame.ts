/** How long a page may load before it is shown as it is, in ms. */
const LOADED_WITHIN_MS = 3_000;

/** How far the page in the frame is scrolled, in pixels, as it says (`page-scripts.ts`). */
let top = 0;

addEventListener('message', ({ source, data }) => {
  const frame = document.querySelector<HTMLIFrameElement>('.page-frame');
  if (source !== frame?.contentWindow || !Number.isFinite(data?.scrolledTo)) return;
  top = data.scrolledTo;
});

/** What the script that keeps a screen up to date asks for. */
export interface NewerFrame {
  frame: HTMLIFrameElement;
  next: HTMLIFrameElement;
  /** Set where this is heard: when the newer one is there. */
  loaded: Promise<void> | undefined;
}

/** Scrolls a page that has replaced another one as far as that was. */
export function scrollAsBefore(frame: HTMLIFrameElement): void {
  frame.contentWindow?.postMessage({ scrollTo: top }, '*');
}

/**
 * Puts a newer frame in a frame's place once its page has loaded, scrolled as far. It is another element, so that
 * nothing of the old page can speak for the new one.
 *
 * @returns when it is there
 */
export async function replaceFrame(
  frame: HTMLIFrameElement,
  next: HTMLIFrameElement,
): Promise<void> {
  const { offsetLeft, offsetTop, offsetWidth, offsetHeight, className } = frame;
  const loaded = new Promise((resolve) => {
    next.addEventListener('load', resolve, { once: true });
    setTimeout(resolve, LOADED_WITHIN_MS);
  });
  // Still newer than one that hasn't arrived.
  frame.parentElement?.querySelector('.arriving-frame')?.remove();
  next.className = 'arriving-frame';
  // Below the old one.
  next.style.cssText =
    `position:absolute;z-index:-1;border:0;left:${offsetLeft}px;top:${offsetTop}px;` +
    `width:${offsetWidth}px;height:${offsetHeight}px`;
  frame.dispatchEvent(new CustomEvent('replaced', { detail: next }));
  frame.after(next);
  await loaded;
  if (!next.isConnected) return;
  frame.remove();
  next.removeAttribute('style');
  next.className = className;
  scrollAsBefore(next);
  next.contentWindow?.postMessage('which-are-blocked', '*');
}
