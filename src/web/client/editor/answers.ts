/** Why the service refused something. */
export interface Refusal {
  /** What to tell the person. */
  sentence: string;
  /** The field at fault. */
  field?: string;
  /** A free name to use in place of one that is taken. */
  freeName?: string;
}

/** Reads the body of an error answer. */
export function readRefusal(body: string): Refusal {
  try {
    const { error, sentence = error.message, field, freeName } = JSON.parse(body);
    return { sentence: String(sentence), field, freeName };
  } catch {
    return { sentence: 'The service cannot be reached as it should. Try again soon.' };
  }
}

/** Line breaks as a text area and the editor have them. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
