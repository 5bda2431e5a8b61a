import { currentTheme } from '../theme-switch.ts';
import type { ColourName, Colours, DrawReply, DrawRequest, Ready } from './diagram-messages.ts';

const FRAME_ADDRESS = '/assets/diagram.html';
/** The timeout for drawing a diagram, including the loading of the frame. */
const PATIENCE_MS = 20_000;

const COLOURS: ColourName[] = [
  'paper',
  'surface',
  'line',
  'line-strong',
  'ink',
  'ink-soft',
  'accent',
  'accent-surface',
  'alert-warning-surface',
  'alert-caution',
  'alert-caution-surface',
];

const SERIES = [
  'accent',
  'alert-tip',
  'alert-warning',
  'alert-important',
  'alert-caution',
  'code-type',
  'code-keyword',
  'ink-faint',
];

let frame: Promise<HTMLIFrameElement> | undefined;

/**
 * Draws a diagram in a sandboxed frame. One frame draws all diagrams of a page: a frame with an
 * opaque origin has no cache, so one per diagram would load Mermaid every time.
 *
 * @throws Error with a reason to show, if drawing takes too long
 */
export async function draw({ id, source }: { id: number; source: string }): Promise<DrawReply> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error('it took too long.')), PATIENCE_MS);
  try {
    frame ??= openFrame();
    const { contentWindow } = await Promise.race([frame, timeout.promise]);
    if (!contentWindow) throw new Error('the renderer is gone.');
    const request: DrawRequest = {
      id,
      source,
      dark: currentTheme() === 'dark',
      ...colours(),
    };
    const answer = message(
      contentWindow,
      (data): data is DrawReply => 'id' in data && data.id === id,
    );
    // The frame's origin is opaque, so the target must be '*'. The document is no secret from it.
    contentWindow.postMessage(request, '*');
    return await Promise.race([answer, timeout.promise]);
  } catch (error) {
    // Removes the busy frame. The next diagram opens a new one.
    frame = undefined;
    document.querySelector('.diagram-frame')?.remove();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function openFrame(): Promise<HTMLIFrameElement> {
  const element = document.createElement('iframe');
  element.setAttribute('sandbox', 'allow-scripts');
  element.className = 'diagram-frame';
  element.title = 'Diagram renderer';
  element.tabIndex = -1;
  element.setAttribute('aria-hidden', 'true');
  element.src = FRAME_ADDRESS;
  document.body.append(element);
  await message(element.contentWindow, (data): data is Ready => 'ready' in data);
  return element;
}

/** Waits for the next matching message from this window only. */
function message<T extends DrawReply | Ready>(
  from: Window | null,
  isIt: (data: DrawReply | Ready) => data is T,
): Promise<T> {
  return new Promise((resolve) => {
    const listen = ({ source, data }: MessageEvent) => {
      if (source !== from || typeof data !== 'object' || data === null || !isIt(data)) return;
      removeEventListener('message', listen);
      resolve(data);
    };
    addEventListener('message', listen);
  });
}

/** Returns the tokens' values in the current theme. Computed colours resolve `light-dark()`. */
function colours(): Pick<DrawRequest, 'colours' | 'series'> {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colourOf = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const values = COLOURS.map((name) => [name, colourOf(name)]);
  const series = SERIES.map(colourOf);
  probe.remove();
  return { colours: Object.fromEntries(values) as Colours, series };
}
