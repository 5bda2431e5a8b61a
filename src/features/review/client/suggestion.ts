/** Fills the field for a suggestion with the passage, unless the reader has written there. */
export function startFromPassage(form: HTMLFormElement): void {
  const field = replacementIn(form);
  if (!field || !isAsFilled(field)) return;
  const { value } = form.elements.namedItem('quote') as HTMLTextAreaElement;
  field.value = value;
  field.dataset.filled = value;
}

/** Sends no suggestion if its text is still the passage. */
export function connectSuggestions(): void {
  document.addEventListener('formdata', ({ target, formData }) => {
    const field = replacementIn(target as HTMLFormElement);
    if (field && isAsFilled(field)) formData.set(field.name, '');
  });
}

function replacementIn(form: HTMLFormElement): HTMLTextAreaElement | null {
  return form.querySelector('.suggest textarea');
}

function isAsFilled({ value, dataset }: HTMLTextAreaElement): boolean {
  return value === '' || value === dataset.filled;
}
