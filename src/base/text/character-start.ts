/** Moves an index that is inside a surrogate pair back to the start of the pair. */
export function characterStart(text: string, index: number): number {
  const isInside = /[\ud800-\udbff]/.test(text[index - 1] ?? '');
  return isInside && index < text.length ? index - 1 : index;
}
