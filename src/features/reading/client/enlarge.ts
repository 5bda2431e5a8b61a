const LABEL = 'Open large';

/** Adds a button to each table and diagram that is cut off by the column. */
export function offerToEnlarge(): void {
  for (const table of document.querySelectorAll<HTMLElement>('.reading .prose .table-scroll')) {
    if (table.closest('.enlargeable') || table.scrollWidth <= table.clientWidth) continue;
    const frame = document.createElement('div');
    frame.className = 'enlargeable';
    table.replaceWith(frame);
    frame.append(
      table,
      enlargeButton('Table', () => table.querySelector('table')),
    );
  }
  for (const figure of document.querySelectorAll<HTMLElement>('.reading .prose .diagram')) {
    const image = figure.querySelector('img');
    const isWhole = !image || (image.width >= image.naturalWidth && isInView(image));
    if (isWhole || figure.querySelector('.enlarge')) continue;
    const button = enlargeButton('Diagram', () => figure.querySelector('img'));
    figure.querySelector('.diagram-picture')?.after(button);
  }
}

function isInView(image: HTMLImageElement): boolean {
  const picture = image.parentElement as HTMLElement;
  return picture.scrollWidth <= picture.clientWidth;
}

function enlargeButton(what: string, find: () => Element | null): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'enlarge';
  button.textContent = LABEL;
  button.addEventListener('click', () => {
    const element = find();
    if (element) enlarge(what, element);
  });
  return button;
}

/** Shows a copy of an element over the page. */
function enlarge(what: string, element: Element): void {
  const copy = element.cloneNode(true) as Element;
  for (const named of [copy, ...copy.querySelectorAll('[id]')]) named.removeAttribute('id');
  const dialog = document.createElement('dialog');
  dialog.className = 'enlarged';
  dialog.setAttribute('aria-label', what);
  const close = document.createElement('button');
  close.className = 'action';
  close.textContent = 'Close';
  const form = document.createElement('form');
  form.method = 'dialog';
  form.append(close);
  const content = document.createElement('div');
  content.className = 'prose';
  content.append(copy);
  dialog.append(form, content);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
