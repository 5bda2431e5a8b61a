/**
 * Opens links of users' HTML in new tabs. The sandbox blocks them, so the frame reports clicks
 * (`page-scripts.ts`). We don't trust the reports: we open only http and https addresses, one per
 * user gesture in the frame, without `opener` and `Referer`.
 */
export function openFrameLinks(): void {
  addEventListener('message', ({ source, data }) => {
    const frame = document.activeElement;
    if (!(frame instanceof HTMLIFrameElement) || !frame.matches('.page-frame')) return;
    if (frame.contentWindow !== source || typeof data?.openLink !== 'string') return;
    // A gesture in a frame also activates the pages around it. `open` consumes the activation.
    if (!navigator.userActivation?.isActive) return;
    const url = URL.parse(data.openLink);
    if (url && /^https?:$/.test(url.protocol)) open(url, '_blank', 'noopener,noreferrer');
  });
}
