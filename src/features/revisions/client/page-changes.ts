import { framePlace } from '../../../base/text/frame-place.ts';
import { createStepsBar } from './change-steps.ts';

/** A passage of a page (`PageRange` of the server). */
interface Passage {
  element: string;
  quote: string;
  prefix: string;
  suffix: string;
}

interface PageChange {
  before?: Passage;
  after?: Passage;
}

const SIDES = ['before', 'after'] as const;
type Side = (typeof SIDES)[number];

/** From this width on, both pages are beside each other at first, in pixels. */
const ROOM_FOR_TWO = 900;

/** Ends listening to the frames that were shown before. */
let listening: AbortController | undefined;

/**
 * Shows two revisions of a page, each in a frame of its own with the sandbox that it has when it is
 * read. The script in a frame (`features/discussion/client/frame/`) marks the passages that its own text
 * has and the other lacks; it learns nothing else, and what it says isn't heard.
 *
 * @param pages the loaded screens of both revisions
 * @param source the page that compares the sources
 */
export async function renderPages(
  pages: Record<Side, Document | undefined>,
  { source, since, room }: { source: string; since: number; room: number },
): Promise<{ parts: Element[]; start: (() => void) | undefined }> {
  const frames = new Map<Side, HTMLIFrameElement>();
  for (const side of SIDES) {
    const frame = frameOf(pages[side], side);
    if (frame) frames.set(side, frame);
  }
  const changes = frames.size === 2 ? await loadChanges(source) : [];
  const shown = document.createElement('div');
  shown.className = 'page-changes';
  const ports = new Map<Side, MessagePort>();
  let at = -1;

  /** Gives a frame the passages to mark, and scrolls it to the active one. */
  const tell = (side: Side, kind: 'places' | 'reveal') => {
    const mine = changes.flatMap((change, index) => {
      const passage = change[side];
      return passage ? [{ passage, index }] : [];
    });
    const places = kind === 'places' ? mine.map(({ passage }) => framePlace(passage)) : [];
    const active = mine.findIndex(({ index }) => index === at);
    ports.get(side)?.postMessage({ kind, places, active, isPicking: false });
  };
  // The first port of a frame is that of our script, which runs before those of the page.
  listening?.abort();
  listening = new AbortController();
  const { signal } = listening;
  const take = ({ source: from, ports: [port] }: MessageEvent) => {
    const side = SIDES.find((each) => from !== null && frames.get(each)?.contentWindow === from);
    if (!side || !port || ports.has(side)) return;
    ports.set(side, port);
    tell(side, 'places');
    if (at >= 0) tell(side, 'reveal');
  };
  addEventListener('message', take, { signal });

  for (const [side, frame] of frames) {
    const part = document.createElement('div');
    part.className = `page-${side}`;
    part.append(frame);
    shown.append(part);
  }
  const parts: Element[] = [shown];
  if (frames.size < 2) return { parts, start: undefined };
  const switcher = createSwitch(shown, room >= ROOM_FOR_TWO ? 'both' : 'after');
  const { bar, go } = createStepsBar(
    () => changes.length,
    { source, since },
    (index) => {
      at = index;
      const change = changes[index];
      // What is gone is only in the page of before.
      if (shown.dataset.sides !== 'both') switcher.show(change?.after ? 'after' : 'before');
      for (const side of SIDES) tell(side, 'reveal');
    },
  );
  bar.append(switcher.element);
  parts.unshift(bar);
  return { parts, start: changes.length > 0 ? () => go(0) : undefined };
}

/** Makes a frame like that of the loaded screen, and never one with more rights. */
function frameOf(page: Document | undefined, side: Side): HTMLIFrameElement | undefined {
  const found = page?.querySelector<HTMLIFrameElement>('iframe.page-frame');
  const source = found?.getAttribute('src');
  if (!found || !source) return undefined;
  const frame = document.createElement('iframe');
  frame.className = 'page-frame';
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.referrerPolicy = 'no-referrer';
  frame.title = side === 'before' ? 'The page before' : 'The page after';
  frame.src = source;
  return frame;
}

async function loadChanges(source: string): Promise<PageChange[]> {
  const response = await fetch(source, { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`${response.status}`);
  const { changes } = (await response.json()) as { changes: PageChange[] };
  return changes;
}

const CHOICES = { before: 'Before', after: 'After', both: 'Both' } as const;
type Choice = keyof typeof CHOICES;

function createSwitch(shown: HTMLElement, first: Choice) {
  const element = document.createElement('span');
  element.className = 'page-switch';
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', 'Which page to show');
  const buttons = Object.entries(CHOICES).map(([choice, label]) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'quiet small';
    button.textContent = label;
    button.addEventListener('click', () => show(choice as Choice));
    element.append(button);
    return { choice, button };
  });
  function show(chosen: Choice): void {
    shown.dataset.sides = chosen;
    for (const { choice, button } of buttons) button.ariaPressed = String(choice === chosen);
  }
  show(first);
  return { element, show };
}
