/** Returns the namespace of the document's owner: chosen, while the document is new. */
export function ownerIn(form: HTMLFormElement): string {
  const choice = form.querySelector<HTMLSelectElement>('select[name="owner"]');
  return choice?.value ?? form.querySelector('.owner')?.textContent ?? '';
}
