import { currentTheme, onThemeChange } from '../theme-switch.ts';
import type { DrawReply } from './diagram-messages.ts';
import { draw } from './diagram-renderer.ts';

/** In UTF-16 code units; a longer source stays text. */
const MAX_SOURCE_LENGTH = 20_000;
const MAX_PICTURE_LENGTH = 4_000_000;
const MAX_SIDE_PX = 10_000;

/** On narrow screens, pictures wider than this many pixels scroll instead of shrinking. */
const WIDE_PX = 560;

interface Diagram {
  id: number;
  source: string;
  /** The source in the page. It moves below the picture once there is one. */
  text: HTMLElement;
  figure: HTMLElement | undefined;
  image: HTMLImageElement | undefined;
  /** Whether it is being drawn, or was. */
  isBegun: boolean;
}

/**
 * Replaces the source of each Mermaid diagram with a picture. Draws diagrams near the viewport
 * first and the others when the browser is idle.
 *
 * The result is shown as an image, because SVG in an image runs no scripts, follows no links and
 * loads nothing.
 */
export function drawDiagrams(within: ParentNode = document): void {
  for (const text of diagrams.keys()) if (!text.isConnected) diagrams.delete(text);
  for (const text of within.querySelectorAll<HTMLElement>('pre[data-diagram="mermaid"]')) {
    if (diagrams.has(text)) continue;
    // A changed source in the previous figure: the old picture stays until the new one is drawn.
    const figure = text.closest<HTMLElement>('figure.diagram') ?? undefined;
    const image = figure?.querySelector<HTMLImageElement>('.diagram-picture img') ?? undefined;
    const source = text.textContent ?? '';
    const diagram = { id: nextId++, source, text, figure, image, isBegun: false };
    diagrams.set(text, diagram);
    if (figure) enqueue(diagram);
    else nearView().observe(text);
  }
}

const diagrams = new Map<Element, Diagram>();
let nextId = 0;

let observer: IntersectionObserver | undefined;

/**
 * Returns the observer of diagrams that aren't drawn. The first call creates it and starts the
 * other listeners for diagrams.
 */
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
    for (const diagram of diagrams.values()) if (!diagram.isBegun) enqueue(diagram);
  });
  onThemeChange(() => {
    for (const diagram of diagrams.values()) if (diagram.isBegun) enqueue(diagram);
  });
  observer = seen;
  return seen;
}

/**
 * Runs the work once the page has loaded and the browser is idle. Even diagrams that were never
 * scrolled into view must be drawn then, because printing doesn't wait for them.
 */
function whenIdle(work: () => void): void {
  const wait = () =>
    'requestIdleCallback' in window ? requestIdleCallback(work) : setTimeout(work, 500);
  if (document.readyState === 'complete') wait();
  else addEventListener('load', wait, { once: true });
}

const queue = new Set<Diagram>();
let drawing = false;

/**
 * Queues a diagram. Draws one at a time, because the frame has one thread and a timeout must
 * identify the diagram that is stuck.
 */
async function enqueue(diagram: Diagram): Promise<void> {
  queue.add(diagram);
  if (drawing) return;
  drawing = true;
  for (const next of queue) {
    queue.delete(next);
    if (!next.text.isConnected) continue;
    next.isBegun = true;
    try {
      if (next.source.length > MAX_SOURCE_LENGTH) throw new Error('it’s too long.');
      await show(next, await draw(next));
    } catch (error) {
      explain(next, error instanceof Error ? error.message : '');
    }
  }
  drawing = false;
}

async function show(diagram: Diagram, reply: DrawReply): Promise<void> {
  if ('error' in reply) throw new Error(String(reply.error));
  const { svg, title } = reply;
  if (typeof svg !== 'string' || svg.length > MAX_PICTURE_LENGTH) {
    throw new Error('the picture is too large.');
  }
  const image = new Image(side(reply.width), side(reply.height));
  if (image.width > WIDE_PX) image.className = 'wide';
  image.alt = typeof title === 'string' && title !== '' ? title.slice(0, 300) : 'Diagram';
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();

  const figure = diagram.figure ?? frameText(diagram);
  noteOf(figure)?.remove();
  figure.dataset.theme = currentTheme();
  // For the editor, which a copy of it can be pasted into.
  figure.dataset.source = diagram.source;
  if (diagram.image) diagram.image.replaceWith(image);
  else figure.querySelector('.diagram-picture')?.append(image);
  diagram.image = image;
  figure.dispatchEvent(new Event('contentadded', { bubbles: true }));
}

function side(value: unknown): number {
  const pixels = Math.ceil(Number(value));
  return Number.isFinite(pixels) ? Math.min(Math.max(pixels, 1), MAX_SIDE_PX) : 300;
}

/** Replaces the text with a figure that has the text folded below the picture. */
function frameText(diagram: Diagram): HTMLElement {
  const figure = document.createElement('figure');
  figure.className = 'diagram';
  const picture = document.createElement('div');
  picture.className = 'diagram-picture';
  // A picture wider than the column scrolls, also with the keyboard.
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

/** Keeps the text or the previous picture, and adds a note that says why drawing failed. */
function explain(diagram: Diagram, reason: string): void {
  const { figure, text } = diagram;
  if (figure ? noteOf(figure) : isNote(text.nextElementSibling)) return;
  const note = document.createElement('p');
  note.className = 'diagram-note';
  const firstLine = (reason.trim().split('\n', 1)[0] ?? '').slice(0, 200).replace(/[:.]?$/, '.');
  const why = /^No diagram type detected/.test(firstLine) ? 'unknown type.' : firstLine;
  note.textContent = `Can’t draw this diagram${figure ? ', so this is the previous version' : ''}: ${why}`;
  if (figure) figure.append(note);
  else text.after(note);
}

function isNote(element: Element | null): boolean {
  return element?.className === 'diagram-note';
}

function noteOf(figure: Element): Element | null {
  return figure.querySelector(':scope > .diagram-note');
}
