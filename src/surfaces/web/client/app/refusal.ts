/** Why the service refused a form that a script sent. */
export interface Refusal {
  sentence: string;
  field?: string;
  /** A free name to use in place of one that is taken. */
  freeName?: string;
}

/** Reads the body of a response that isn't a success. */
export function readRefusal(body: string): Refusal {
  try {
    const { error, sentence = error.message, field, freeName } = JSON.parse(body);
    return { sentence: String(sentence), field, freeName };
  } catch {
    return { sentence: 'Can’t reach the service. Try again soon.' };
  }
}
