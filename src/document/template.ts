/** A brief with this label is offered as a template. */
export const TEMPLATE_LABEL = 'template';

const BLANK = /\{\{ ?(date|author) ?\}\}/g;

/** Fills in `{{date}}` and `{{author}}`. All other text of a template stays. */
export function fillTemplate(text: string, filled: { date: string; author: string }): string {
  return text.replace(BLANK, (_blank, name: 'date' | 'author') => filled[name]);
}
