/** Fills the field for a suggestion with the passage, unless the reader has written there. */
export function startFromPassage(form: HTMLFormElement): void {
  const field = replacementIn(form);
  field?.setCustomValidity('');
  if (!field || !isAsFilled(field)) return;
  const { value } = form.elements.namedItem('quote') as HTMLTextAreaElement;
  field.value = value;
  field.dataset.filled = value;
}

/** Tells whether the reader has written something in the form that opens a thread. */
export function isWritten(form: HTMLFormElement): boolean {
  const field = replacementIn(form);
  const body = form.elements.namedItem('body') as HTMLTextAreaElement;
  return body.value.trim() !== '' || (field !== null && !isAsFilled(field));
}

/** Starts each suggestion from its passage, and sends none that is still the same. */
export function connectSuggestions(): void {
  document.addEventListener('change', ({ target }) => {
    const radio = target as HTMLInputElement;
    if (!radio.matches('.thread-kind input') || !radio.form) return;
    startFromPassage(radio.form);
    // With arrow keys, one may only pass it.
    if (radio.matches(':focus-visible')) return;
    const name = radio.value === 'suggestion' ? 'replacement' : 'body';
    (radio.form.elements.namedItem(name) as HTMLTextAreaElement).focus();
  });
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target as HTMLFormElement;
      const field = replacementIn(form);
      const isSame = field?.dataset.filled !== undefined && field.value === field.dataset.filled;
      if (!isSame || !form.querySelector('.thread-kind [value="suggestion"]:checked')) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      field.setCustomValidity('Change the passage, or choose Comment.');
      field.reportValidity();
      field.addEventListener('input', () => field.setCustomValidity(''), { once: true });
    },
    { capture: true },
  );
}

function replacementIn(form: HTMLFormElement): HTMLTextAreaElement | null {
  return form.querySelector('.suggest textarea');
}

function isAsFilled({ value, dataset }: HTMLTextAreaElement): boolean {
  return value === '' || value === dataset.filled;
}
