import { connectWritingDetails } from '../../discussion/client/writing-details.ts';

/** The events of the panel. */
export interface PanelListener {
  /** Sends a form of a card. @returns why it was refused, if it was */
  send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<string | undefined>;
  /** Goes to the next or the previous line with threads. */
  step(by: 1 | -1): void;
  closed(): void;
}

/** The panel that shows the threads of one line. */
export interface Panel {
  show(title: string, cards: readonly string[]): void;
  /** Puts these fields into the form that it shows, and the caret into its text. */
  fill(fields: Readonly<Record<string, string>>): void;
  close(): void;
  isOpen(): boolean;
}

const HEAD =
  '<div class="dialog-head"><h2 id="thread-panel-title" tabindex="-1"></h2>' +
  '<button type="button" class="action" data-step="-1" aria-label="Previous comment">↑</button>' +
  '<button type="button" class="action" data-step="1" aria-label="Next comment">↓</button>' +
  '<button type="button" class="action" data-closes aria-label="Close">✕</button></div>' +
  '<div class="thread-panel-body"></div>';

/** Creates the panel, closed. It is outside the editor's form, because it contains forms. */
export function createThreadPanel(listener: PanelListener): Panel {
  const element = document.createElement('section');
  element.className = 'thread-panel';
  element.setAttribute('role', 'dialog');
  element.setAttribute('aria-labelledby', 'thread-panel-title');
  element.hidden = true;
  element.innerHTML = HEAD;
  document.body.append(element);
  const heading = element.querySelector('h2') as HTMLElement;
  const body = element.querySelector('.thread-panel-body') as HTMLElement;

  const close = () => {
    element.hidden = true;
    body.replaceChildren();
    listener.closed();
  };
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    close();
  });
  element.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest<HTMLElement>('[data-step], [data-closes]');
    if (!button) return;
    if (button.dataset.step) listener.step(button.dataset.step === '1' ? 1 : -1);
    else close();
  });
  connectWritingDetails(element);
  element.addEventListener('submit', async (event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const fault = await listener.send(form, event.submitter);
    if (fault !== undefined) showFault(form, fault);
  });
  return {
    show(title, cards) {
      heading.textContent = title;
      body.innerHTML = cards.join('');
      element.hidden = false;
      body.dispatchEvent(new Event('contentadded', { bubbles: true }));
      heading.focus();
    },
    fill(fields) {
      const form = body.querySelector('form');
      for (const [name, value] of Object.entries(fields)) {
        const field = document.createElement('input');
        [field.type, field.name, field.value] = ['hidden', name, value];
        form?.append(field);
      }
      form?.querySelector('textarea')?.focus();
    },
    close,
    isOpen: () => !element.hidden,
  };
}

function showFault(form: HTMLFormElement, sentence: string): void {
  form.querySelector('.form-fault')?.remove();
  const fault = document.createElement('p');
  fault.className = 'form-fault';
  fault.setAttribute('role', 'alert');
  fault.textContent = sentence;
  form.prepend(fault);
}
