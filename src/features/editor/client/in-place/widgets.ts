import { EditorView, WidgetType } from '@codemirror/view';
import { createHandle } from '../images/handle.ts';
import { sizeChange } from '../images/image-source.ts';
import { renderInto } from './rendered.ts';

/** Returns the address of an image if it has a scheme whose images readers see; otherwise ''. */
export function loadable(address: string): string {
  const url = URL.parse(address, location.href);
  return /^https?:$/.test(url?.protocol ?? '') ? address : '';
}

/** A picture where its Markdown is; its corner changes its width. */
export class Picture extends WidgetType {
  readonly address: string;
  readonly text: string;

  constructor(address: string, text: string) {
    super();
    this.address = address;
    this.text = text;
  }

  override eq({ address, text }: Picture): boolean {
    return address === this.address && text === this.text;
  }

  override toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement('span');
    frame.className = 'resizable';
    const image = new Image();
    frame.append(image);
    this.show(image);
    image.addEventListener('load', () => view.requestMeasure());
    image.addEventListener('error', () => {
      frame.classList.add('cm-missing');
      view.requestMeasure();
    });
    frame.append(createHandle(image, (width) => resize(view, frame, width)));
    return frame;
  }

  override updateDOM(frame: HTMLElement): boolean {
    const image = frame.querySelector('img');
    if (!image || image.getAttribute('src') !== loadable(this.address)) return false;
    this.show(image);
    return true;
  }

  private show(image: HTMLImageElement): void {
    const [, alt = '', width, height] =
      /^([\s\S]*?)(?:\s*\\?\|([1-9]\d{0,3})(?:x([1-9]\d{0,3}))?)?$/.exec(this.text) ?? [];
    const address = loadable(this.address);
    if (image.getAttribute('src') !== address) image.src = address;
    image.alt = alt;
    for (const [name, value] of Object.entries({ width, height })) {
      if (value) image.setAttribute(name, value);
      else image.removeAttribute(name);
    }
  }

  override ignoreEvent({ target }: Event): boolean {
    return (target as Element).matches('.resize-handle');
  }
}

function resize(view: EditorView, frame: HTMLElement, width: number | undefined): void {
  const at = view.posAtDOM(frame);
  const { text, from } = view.state.doc.lineAt(at);
  // The source is at the widget, or ends there.
  const written = [...text.matchAll(/!\[((?:\\.|[^\]\\])*)\]\(/g)].findLast(
    ({ index }) => from + index <= at,
  );
  if (!written) return;
  const start = from + written.index + 2;
  const source = { from: start, to: start + (written[1] ?? '').length, isInTable: false };
  view.dispatch({ changes: sizeChange(view.state, source, width), userEvent: 'input.resize' });
}

/** A task's box, whose click ticks it in the source, and what it is dragged by. */
export class Checkbox extends WidgetType {
  readonly isDone: boolean;
  readonly label: string;

  constructor(isDone: boolean, label: string) {
    super();
    this.isDone = isDone;
    this.label = label;
  }

  override eq({ isDone, label }: Checkbox): boolean {
    return isDone === this.isDone && label === this.label;
  }

  override toDOM(view: EditorView): HTMLElement {
    const frame = document.createElement('span');
    frame.className = 'cm-box';
    const grip = document.createElement('span');
    grip.className = 'cm-grip';
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.className = 'cm-task';
    // Whoever writes by keys ticks it from its line.
    box.tabIndex = -1;
    frame.append(grip, box);
    this.updateDOM(frame);
    // Before the editor moves the caret there.
    box.addEventListener('mousedown', (event) => event.preventDefault());
    box.addEventListener('click', () => tick(view, view.posAtDOM(frame)));
    return frame;
  }

  override updateDOM(frame: HTMLElement): boolean {
    const box = frame.querySelector('input');
    if (!box) return false;
    box.checked = this.isDone;
    box.setAttribute('aria-label', this.label);
    return true;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/**
 * Ticks the task of a line, or opens it again.
 *
 * @returns whether there is one
 */
export function tick(view: EditorView, at: number): boolean {
  const line = view.state.doc.lineAt(at);
  const found = /^[\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]/.exec(`${line.text} `);
  if (!found) return false;
  const from = line.from + found[0].length - 3;
  const insert = found[1] === ' ' ? 'x' : ' ';
  view.dispatch({
    changes: { from, to: from + 1, insert },
    effects: EditorView.announce.of(insert === 'x' ? 'Done' : 'Open'),
    userEvent: 'input.tick',
  });
  return true;
}

const TITLES: Record<string, string> = {
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  warning: 'Warning',
  caution: 'Caution',
};

/** What an alert's sign reads as. */
export class AlertTitle extends WidgetType {
  readonly kind: string;

  constructor(kind: string) {
    super();
    this.kind = kind.toLowerCase();
  }

  override eq({ kind }: AlertTitle): boolean {
    return kind === this.kind;
  }

  override toDOM(): HTMLElement {
    const title = document.createElement('span');
    title.className = 'cm-alert-title';
    title.textContent = TITLES[this.kind] ?? '';
    return title;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** A formula within a line. */
export class Formula extends WidgetType {
  readonly source: string;

  constructor(source: string) {
    super();
    this.source = source;
  }

  override eq({ source }: Formula): boolean {
    return source === this.source;
  }

  override toDOM(view: EditorView): HTMLElement {
    const span = document.createElement('span');
    span.className = 'cm-formula';
    span.textContent = this.source;
    renderInto(span, this.source, () => view.requestMeasure());
    return span;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
