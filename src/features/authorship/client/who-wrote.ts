import { showToast } from '../../../surfaces/web/client/app/toast.ts';
import { createFinder, type Place } from '../../discussion/client/passages.ts';

/** What the server says (`features/reading/authors-in-text.ts`). */
interface Authors {
  writers: { name: string; isAgent: boolean }[];
  parts: (Place & { writer: number; when: string })[];
}

interface Part {
  writer: number;
  when: string;
  range: Range;
}

/** How many writers have a look of their own; `who-wrote.css` has them. */
const LOOKS = 6;

/** A long history is compared in several requests. */
const MOST_REQUESTS = 6;

let bar: HTMLElement | undefined;

/** Marks the passages of a brief by who wrote them, or ends that. */
export async function toggleWriters(): Promise<void> {
  if (bar) {
    hideWriters();
    return;
  }
  const article = document.querySelector<HTMLElement>('.reading .prose');
  // Nobody knows yet who wrote what no revision has.
  const isTyped = document.querySelector('#live[data-typed]') !== null;
  if (!article?.querySelector('[data-line]') || !('highlights' in CSS) || isTyped) {
    showToast(`Who wrote this can’t be shown ${isTyped ? 'while somebody types' : 'here'}.`);
    return;
  }
  const { writers, parts } = await load();
  const finder = createFinder(article);
  const found = parts.flatMap(({ writer, when, ...place }) => {
    const range = finder.range(place);
    return range ? [{ writer, when, range }] : [];
  });
  for (let look = 0; look < LOOKS; look++) {
    const ranges = found.filter(({ writer }) => lookOf(writer) === look).map(({ range }) => range);
    CSS.highlights.set(`writer-${look}`, new Highlight(...ranges));
  }
  bar = createBar(writers, found, article);
  document.querySelector('main')?.prepend(bar);
  bar.querySelector('button')?.focus();
}

// Passages of a text that is no longer shown would be at wrong places.
document.addEventListener('newerpage', hideWriters);

function hideWriters(): void {
  bar?.dispatchEvent(new Event('ended'));
  bar?.remove();
  bar = undefined;
  for (let look = 0; look < LOOKS; look++) CSS.highlights.delete(`writer-${look}`);
  CSS.highlights.delete('writer-active');
}

const lookOf = (writer: number) => Math.min(writer, LOOKS - 1);

async function load(): Promise<Authors> {
  for (let request = 1; ; request++) {
    const response = await fetch(`${location.pathname}?authors`, {
      headers: { accept: 'application/json' },
    });
    if (response.ok) return (await response.json()) as Authors;
    if (response.status !== 503 || request === MOST_REQUESTS) throw new Error(`${response.status}`);
  }
}

/** Names everybody; each name goes through what they wrote, and says when that was. */
function createBar(
  writers: Authors['writers'],
  parts: readonly Part[],
  article: HTMLElement,
): HTMLElement {
  const made = document.createElement('div');
  made.className = 'changes-bar writers-bar';
  made.setAttribute('role', 'toolbar');
  made.setAttribute('aria-label', 'Who wrote this');
  const output = document.createElement('output');
  output.textContent = 'Who wrote this';
  made.append(output);

  const tell = (part: Part) => {
    CSS.highlights.set('writer-active', new Highlight(part.range));
    output.textContent = `${writers[part.writer]?.name}, ${part.when}`;
  };
  for (const [writer, { name, isAgent }] of writers.entries()) {
    const own = parts.filter((part) => part.writer === writer);
    let at = -1;
    const button = buttonOf(isAgent ? `${name}, an agent` : name, () => {
      at = (at + 1) % own.length;
      const part = own[at];
      if (!part) return;
      tell(part);
      part.range.startContainer.parentElement?.scrollIntoView({ block: 'center' });
    });
    button.title = `Go to the next passage by ${name}`;
    const sample = document.createElement('span');
    sample.className = `writer-sample writer-${lookOf(writer)}`;
    sample.textContent = 'Aa';
    sample.ariaHidden = 'true';
    button.prepend(sample, ' ');
    made.append(button);
  }
  const hide = buttonOf('Hide', hideWriters);
  hide.setAttribute('aria-label', 'Hide who wrote this');
  made.append(hide);

  const ended = new AbortController();
  made.addEventListener('ended', () => ended.abort());
  const under = ({ clientX, clientY }: MouseEvent) => {
    const place = caretAt(clientX, clientY);
    const part = place && parts.find(({ range }) => range.isPointInRange(place.node, place.offset));
    if (part) tell(part);
  };
  article.addEventListener('pointermove', under, { signal: ended.signal, passive: true });
  article.addEventListener('click', under, { signal: ended.signal });
  return made;
}

/** Returns the place in the text at a point of the window. */
function caretAt(x: number, y: number): { node: Node; offset: number } | undefined {
  if ('caretPositionFromPoint' in document) {
    const found = document.caretPositionFromPoint(x, y);
    return found ? { node: found.offsetNode, offset: found.offset } : undefined;
  }
  const range = (document as Document).caretRangeFromPoint(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

function buttonOf(label: string, press: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'quiet small';
  made.append(label);
  made.addEventListener('click', press);
  return made;
}
