/** A bar with words beside it, below a form that is being sent. */
export interface Progress {
  /** @param share from 0 to 1 */
  show(share: number, words: string): void;
  end(): void;
}

const STEPS = 1000;

/** Puts a bar below a form, whose button cannot be pressed meanwhile. */
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
