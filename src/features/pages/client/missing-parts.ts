/** More hosts than these say nothing new. */
const SHOWN = 5;

/** Says above a sandboxed page that parts of it are missing, if its frame reports blocked addresses. */
export function showMissingParts(): void {
  addEventListener('message', ({ source, data }) => {
    const blocked: unknown = data?.blocked;
    if (!Array.isArray(blocked)) return;
    const frame = pageFrames().find(({ contentWindow }) => contentWindow === source);
    if (!frame) return;
    const hosts = blocked.filter(isHost).slice(0, 20);
    if (hosts.length > 0) noteOf(frame).textContent = sentence(hosts, new URL(frame.src).host);
  });
  // A frame may have reported before this script ran.
  for (const frame of pageFrames()) {
    const ask = () => frame.contentWindow?.postMessage('which-are-blocked', '*');
    frame.addEventListener('load', ask);
    ask();
  }
}

function pageFrames(): HTMLIFrameElement[] {
  return [...document.querySelectorAll<HTMLIFrameElement>('iframe.page-frame')];
}

/** The page can say anything, so only what a host can be is shown. */
function isHost(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.:[\]-]{1,80}$/.test(value);
}

function sentence(hosts: readonly string[], ownHost: string): string {
  const named = hosts.map((host) => (host === ownHost ? 'files beside it' : host));
  const more = named.length > SHOWN ? [`${named.length - SHOWN} more`] : [];
  const list = new Intl.ListFormat('en').format([...named.slice(0, SHOWN), ...more]);
  return `Parts of this page are missing. It asks for ${list}, which pages can’t load here.`;
}

function noteOf(frame: HTMLIFrameElement): HTMLElement {
  // Beside comments, outlines are drawn over the frame's box.
  const box = frame.closest('.reviewed-frame') ?? frame;
  const before = box.previousElementSibling;
  if (before instanceof HTMLElement && before.matches('.missing-parts')) return before;
  const note = document.createElement('p');
  note.className = 'missing-parts';
  note.setAttribute('role', 'status');
  box.before(note);
  return note;
}
