/** A brief with this label is offered as a template. */
export const TEMPLATE_LABEL = 'template';

const BLANK = /\{\{ ?(date|author) ?\}\}/g;

/** Fills in `{{date}}` and `{{author}}`, and leaves all other text unchanged. */
export function fillTemplate(text: string, filled: { date: string; author: string }): string {
  return text.replace(BLANK, (_blank, name: 'date' | 'author') => filled[name]);
}
