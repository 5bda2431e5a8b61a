/** Accepts dropped files for a form's file field. */
export function connectDropZone(zone: HTMLElement): void {
  const input = zone.querySelector<HTMLInputElement>('input[type="file"]');
  if (!input) return;
  // The events also fire for elements inside the zone.
  let depth = 0;
  const mark = (change: number) => {
    depth = Math.max(0, depth + change);
    zone.toggleAttribute('data-dropping', depth > 0);
  };
  zone.addEventListener('dragenter', () => mark(1));
  zone.addEventListener('dragleave', () => mark(-1));
  zone.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  zone.addEventListener('drop', (event) => {
    mark(-depth);
    const { files } = event.dataTransfer ?? {};
    if (!files || files.length === 0) return;
    event.preventDefault();
    input.files = files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
    input.focus();
  });
}
