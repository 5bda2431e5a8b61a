/**
 * Opens links of somebody's HTML in new tabs. The HTML is in a sandbox that lets it open nothing, so
 * it tells us what was clicked (`render/page-links.ts`), or claims to: only http and https, once for
 * each gesture in the frame, and without a way back (`opener`, `Referer`) for what is opened.
 */
export function openFrameLinks(): void {
  addEventListener('message', ({ source, data }) => {
    const frame = document.activeElement;
    if (!(frame instanceof HTMLIFrameElement) || !frame.matches('.page-frame')) return;
    if (frame.contentWindow !== source || typeof data?.openLink !== 'string') return;
    // The browser tells the pages around a frame of gestures in it. `open` uses the gesture up.
    if (!navigator.userActivation?.isActive) return;
    const url = URL.parse(data.openLink);
    if (url && /^https?:$/.test(url.protocol)) open(url, '_blank', 'noopener,noreferrer');
  });
}
