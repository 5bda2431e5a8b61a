/** Shows what is written as it will look, or the field again, when the button for it is pressed. */
export function connectPreviews(root: Document | HTMLElement): void {
  root.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest<HTMLElement>('[data-previews]');
    const around = button?.closest<HTMLElement>('.reply, .thread-form');
    const field = around?.querySelector<HTMLTextAreaElement>('textarea[name="body"]');
    if (!button || !around || !field) return;
    if (endPreview(around)) field.focus();
    else void preview(button, field);
  });
}

async function preview(button: HTMLElement, field: HTMLTextAreaElement): Promise<void> {
  const { form } = field;
  if (!form || field.value.trim() === '') return field.focus();
  const fields = new FormData(form);
  fields.set('act', 'preview');
  const shown = document.createElement('div');
  shown.className = 'comment-body preview';
  shown.role = 'status';
  try {
    const response = await fetch(form.action.replace('/read/', '/comments/'), {
      method: 'POST',
      body: new URLSearchParams(fields as unknown as Record<string, string>),
      headers: { accept: 'application/json' },
    });
    const { html, sentence } = await response.json();
    if (typeof html === 'string') shown.innerHTML = html;
    else shown.textContent = sentence ?? field.value;
  } catch {
    shown.textContent = 'No preview: no connection.';
  }
  // It was pressed twice.
  if (field.hidden) return;
  field.after(shown);
  field.hidden = true;
  button.ariaPressed = 'true';
}

/** Shows the field in place of the preview. Returns whether there was one. */
export function endPreview(around: Element): boolean {
  const shown = around.querySelector('.preview');
  const field = around.querySelector<HTMLElement>('textarea[name="body"]');
  const button = around.querySelector<HTMLElement>('[data-previews]');
  shown?.remove();
  if (field) field.hidden = false;
  if (button) button.ariaPressed = 'false';
  return shown !== null;
}
