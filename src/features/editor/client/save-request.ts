/** The state of a document after a save. */
export interface SavedAnswer {
  id: string;
  owner: string;
  name: string;
  title: string;
  visibility: string;
  etag: string;
  path: string;
  readPath: string;
  /** Only after a document's first save: the sentence to show. */
  message?: string;
  /** What the writer should know about the text. */
  warning?: string;
  /** Only if the save made it public: the threads that readers don't see, and the Share page. */
  hidden?: { text: string; path: string };
}

/** The outcome of a save request. */
export type SaveOutcome =
  | { kind: 'saved'; answer: SavedAnswer }
  | { kind: 'refused'; status: number; body: string }
  | { kind: 'unanswered' };

export async function sendSave(path: string, form: FormData): Promise<SaveOutcome> {
  let response: Response;
  let body: string;
  try {
    const headers = { accept: 'application/json' };
    response = await fetch(path, { method: 'POST', body: form, headers });
    body = await response.text();
  } catch {
    return { kind: 'unanswered' };
  }
  if (response.ok) return { kind: 'saved', answer: JSON.parse(body) };
  return { kind: 'refused', status: response.status, body };
}
