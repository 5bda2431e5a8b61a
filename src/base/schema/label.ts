import { unwantedCharacter } from '../text/shown-name.ts';

export const LABEL_LIMITS = {
  /** The longest label, in Unicode characters. */
  characters: 40,
  perDocument: 20,
} as const;

/** A label as it was written, and the key by which labels are compared. */
export interface Label {
  label: string;
  key: string;
}

/**
 * Parses a label, ignoring surrounding and repeated spaces.
 *
 * @returns the label, or what is wrong with it as a phrase that follows "a label"
 */
export function parseLabel(text: string): Label | { problem: string } {
  const label = text.normalize('NFC').trim().replace(/ +/g, ' ');
  const { length } = Array.from(label);
  if (length === 0 || length > LABEL_LIMITS.characters) {
    return { problem: `must have 1 to ${LABEL_LIMITS.characters} characters` };
  }
  if (label.includes(',')) return { problem: 'must not contain a comma' };
  const unwanted = unwantedCharacter(label);
  if (unwanted) return { problem: `must not contain the character ${unwanted}` };
  return { label, key: label.toLowerCase() };
}

/**
 * Parses a document's labels. If labels differ only in case, the first one counts.
 *
 * @returns the labels by key, or what is wrong, in a phrase that follows a field's name
 */
export function parseLabels(texts: readonly string[]): Label[] | { problem: string } {
  const labels = new Map<string, Label>();
  for (const text of texts) {
    const parsed = parseLabel(text);
    if ('problem' in parsed)
      return { problem: `has “${shortened(text)}”: a label ${parsed.problem}` };
    if (!labels.has(parsed.key)) labels.set(parsed.key, parsed);
  }
  if (labels.size > LABEL_LIMITS.perDocument) {
    return {
      problem: `has ${labels.size} labels, and a document can have ${LABEL_LIMITS.perDocument}`,
    };
  }
  return [...labels.values()].sort(compareKeys);
}

/** Splits labels that a query has joined, one per line, and sorts them. */
export function readLabelLines(lines: string | null): string[] {
  return lines === null ? [] : lines.split('\n').sort(compareIgnoringCase);
}

/** Splits the text of a form's field: labels are separated by commas. */
export function splitLabels(text: string): string[] {
  return text.split(',').filter((label) => label.trim() !== '');
}

function compareIgnoringCase(a: string, b: string): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1;
}

function compareKeys(a: Label, b: Label): number {
  return a.key < b.key ? -1 : 1;
}

function shortened(text: string): string {
  const characters = Array.from(text.trim());
  return characters.length > 60 ? `${characters.slice(0, 60).join('')}…` : characters.join('');
}
