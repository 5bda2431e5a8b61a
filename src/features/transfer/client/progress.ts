/** A progress bar with a text, below a form that is being sent. */
export interface Progress {
  /** @param share from 0 to 1 */
  show(share: number, words: string): void;
  end(): void;
}

const STEPS = 1000;

/** Adds a progress bar and disables the form's button. The browser asks before leaving the page. */
export function beginProgress(form: HTMLFormElement): Progress {
  const button = form.querySelector<HTMLButtonElement>('button[type="submit"]');
  const line = document.createElement('div');
  line.className = 'progress';
  const bar = document.createElement('progress');
  bar.max = STEPS;
  bar.setAttribute('aria-label', 'Progress');
  const words = document.createElement('span');
  line.append(bar, words);
  form.append(line);
  if (button) button.disabled = true;
  addEventListener('beforeunload', keepOpen);
  return {
    show(share, text) {
      bar.value = Math.round(share * STEPS);
      words.textContent = text;
    },
    end() {
      line.remove();
      if (button) button.disabled = false;
      removeEventListener('beforeunload', keepOpen);
    },
  };
}

function keepOpen(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
