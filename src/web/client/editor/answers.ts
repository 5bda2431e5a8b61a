export interface Refusal {
  sentence: string;
  field?: string;
  /** A free name to use in place of one that is taken. */
  freeName?: string;
}

export function readRefusal(body: string): Refusal {
  try {
    const { error, sentence = error.message, field, freeName } = JSON.parse(body);
    return { sentence: String(sentence), field, freeName };
  } catch {
    return { sentence: 'Can’t reach the service. Try again soon.' };
  }
}

/** Converts line breaks to LF, as in text areas and the editor. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
