import type { ColourName, Colours, DrawReply, DrawRequest, Ready } from './diagram-messages.ts';
import { currentTheme, onThemeChange } from './theme-switch.ts';

const FRAME_ADDRESS = '/assets/diagram.html';
/** Longest that a diagram may take, the loading of the frame included. */
const PATIENCE_MS = 20_000;
/** In UTF-16 code units; a longer source stays text. */
const MAX_SOURCE_LENGTH = 20_000;
const MAX_PICTURE_LENGTH = 4_000_000;
const MAX_SIDE_PX = 10_000;

/** From this width in pixels on, a narrow screen scrolls a picture rather than shrinks it. */
const WIDE_PX = 560;
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
];

interface Diagram {
  id: number;
  source: string;
  /** The text as it came in the page; it moves below the picture once there is one. */
  text: HTMLElement;
  figure: HTMLElement | undefined;
  image: HTMLImageElement | undefined;
}

/**
 * Replaces the source of each Mermaid diagram by its picture: those near the view first, the others
 * once the browser has time.
 *
 * The drawing is done by one sandboxed frame for the whole page (a frame of an opaque origin caches
 * nothing, so one for each diagram would load Mermaid again and again), and its answer is shown as
 * an image: SVG in an image runs no script, follows no link and loads nothing.
 */
export function drawDiagrams(within: ParentNode = document): void {
  for (const text of diagrams.keys()) if (!text.isConnected) diagrams.delete(text);
  for (const text of within.querySelectorAll<HTMLElement>('pre[data-diagram="mermaid"]')) {
    if (diagrams.has(text)) continue;
    // A changed source that stands in the figure of the one before it: that picture stays until then.
    const figure = text.closest<HTMLElement>('figure.diagram') ?? undefined;
    const image = figure?.querySelector<HTMLImageElement>('.diagram-picture img') ?? undefined;
    const diagram = { id: nextId++, source: text.textContent ?? '', text, figure, image };
    diagrams.set(text, diagram);
    if (figure) enqueue(diagram);
    else nearView().observe(text);
  }
}

const diagrams = new Map<Element, Diagram>();
let nextId = 0;

let observer: IntersectionObserver | undefined;

/** Made with the first diagram of a page, together with what else its diagrams listen to. */
function nearView(): IntersectionObserver {
  if (observer) return observer;
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const diagram = diagrams.get(target);
        if (!isIntersecting || !diagram) continue;
        seen.unobserve(target);
        enqueue(diagram);
      }
    },
    { rootMargin: '600px' },
  );
  whenIdle(() => {
    for (const diagram of diagrams.values()) if (!diagram.figure) enqueue(diagram);
  });
  onThemeChange(() => {
    for (const diagram of diagrams.values()) if (diagram.figure) enqueue(diagram);
  });
  observer = seen;
  return seen;
}

/**
 * Once the page has loaded and the browser has time. Printing waits for nothing, so what is to be
 * printed has to be drawn before, also where nobody has scrolled.
 */
function whenIdle(work: () => void): void {
  const wait = () =>
    'requestIdleCallback' in window ? requestIdleCallback(work) : setTimeout(work, 500);
  if (document.readyState === 'complete') wait();
  else addEventListener('load', wait, { once: true });
}

const queue = new Set<Diagram>();
let drawing = false;

/** One at a time: the frame has one thread, and a stuck diagram is then known by its turn. */
async function enqueue(diagram: Diagram): Promise<void> {
  queue.add(diagram);
  if (drawing) return;
  drawing = true;
  for (const next of queue) {
    queue.delete(next);
    if (!next.text.isConnected) continue;
    try {
      if (next.source.length > MAX_SOURCE_LENGTH) throw new Error('It is too long to be drawn.');
      await show(next, await draw(next));
    } catch (error) {
      explain(next, error instanceof Error ? error.message : '');
    }
  }
  drawing = false;
}

let frame: Promise<HTMLIFrameElement> | undefined;

async function draw({ id, source }: Diagram): Promise<DrawReply> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error('It took too long.')), PATIENCE_MS);
  try {
    frame ??= openFrame();
    const { contentWindow } = await Promise.race([frame, timeout.promise]);
    if (!contentWindow) throw new Error('The drawing frame is gone.');
    const request: DrawRequest = {
      id,
      source,
      dark: currentTheme() === 'dark',
      colours: colours(),
    };
    const answer = message(
      contentWindow,
      (data): data is DrawReply => 'id' in data && data.id === id,
    );
    // The frame's origin is opaque, so there is none to name; the document is no secret from it.
    contentWindow.postMessage(request, '*');
    return await Promise.race([answer, timeout.promise]);
  } catch (error) {
    // Whatever it is busy with, the next diagram starts with a new one.
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

/** The next message from this window, and from no other, that is of the kind looked for. */
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

/** The tokens' values in the theme that is shown; only a used colour says what `light-dark()` is. */
function colours(): Colours {
  const probe = document.createElement('span');
  document.body.append(probe);
  const values = COLOURS.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(values) as Colours;
}

async function show(diagram: Diagram, reply: DrawReply): Promise<void> {
  if ('error' in reply) throw new Error(String(reply.error));
  const { svg, title } = reply;
  if (typeof svg !== 'string' || svg.length > MAX_PICTURE_LENGTH) {
    throw new Error('The picture is too large.');
  }
  const image = new Image(side(reply.width), side(reply.height));
  if (image.width > WIDE_PX) image.className = 'wide';
  image.alt = typeof title === 'string' && title !== '' ? title.slice(0, 300) : 'Diagram';
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();

  const figure = diagram.figure ?? frameText(diagram);
  noteOf(figure)?.remove();
  figure.dataset.theme = currentTheme();
  if (diagram.image) diagram.image.replaceWith(image);
  else figure.querySelector('.diagram-picture')?.append(image);
  diagram.image = image;
}

function side(value: unknown): number {
  const pixels = Math.ceil(Number(value));
  return Number.isFinite(pixels) ? Math.min(Math.max(pixels, 1), MAX_SIDE_PX) : 300;
}

/** Puts a figure in the text's place, with the text folded below the picture. */
function frameText(diagram: Diagram): HTMLElement {
  const figure = document.createElement('figure');
  figure.className = 'diagram';
  const picture = document.createElement('div');
  picture.className = 'diagram-picture';
  // A picture wider than the column scrolls, with the keyboard too.
  picture.tabIndex = 0;
  picture.setAttribute('role', 'group');
  picture.setAttribute('aria-label', 'Diagram');
  const source = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = 'Show source';
  source.append(summary);
  diagram.text.replaceWith(figure);
  source.append(diagram.text);
  figure.append(picture, source);
  diagram.figure = figure;
  return figure;
}

/** Leaves the text in view, or an earlier picture of it, and says below why there is no picture. */
function explain(diagram: Diagram, reason: string): void {
  const { figure, text } = diagram;
  if (figure ? noteOf(figure) : isNote(text.nextElementSibling)) return;
  const note = document.createElement('p');
  note.className = 'diagram-note';
  const firstLine = (reason.trim().split('\n', 1)[0] ?? '').slice(0, 200).replace(/[:.]?$/, '.');
  const shown = figure ? 'the picture from before' : 'its source';
  note.textContent = `Can’t draw this diagram, so here is ${shown}. ${firstLine}`;
  if (figure) figure.append(note);
  else text.after(note);
}

function isNote(element: Element | null): boolean {
  return element?.className === 'diagram-note';
}

function noteOf(figure: Element): Element | null {
  return figure.querySelector(':scope > .diagram-note');
}
