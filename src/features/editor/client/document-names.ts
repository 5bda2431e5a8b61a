import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';

/** A document that a search found. */
interface Found {
  title: string;
  name: string;
  owner: string;
  kind: 'brief' | 'page';
}

/**
 * Completes `[[` to a link to a document that the writer can read. The service searches for what is
 * typed, in titles, names and texts.
 *
 * @param ownerOf returns the owner of this document; others' documents get theirs before the name
 */
export function documentSource(ownerOf: () => string) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const match = context.matchBefore(/\[\[[^[\]|#\n]{0,100}$/);
    const typed = match?.text.slice(2).trim() ?? '';
    if (!match || typed === '') return null;
    const found = await findDocuments(typed);
    if (context.aborted || found.length === 0) return null;
    const owner = ownerOf();
    const options = found.map((document, index) => optionOf(document, owner, index));
    // The service has chosen and ordered them, so that typing errors are forgiven.
    return { from: match.from + 2, options, filter: false };
  };
}

async function findDocuments(text: string): Promise<Found[]> {
  try {
    const response = await fetch(`/search?q=${encodeURIComponent(text)}`, {
      headers: { accept: 'application/json' },
    });
    return response.ok ? ((await response.json()) as { data: Found[] }).data : [];
  } catch {
    // Without a connection, links are typed as they are.
    return [];
  }
}

function optionOf({ title, name, owner, kind }: Found, own: string, index: number): Completion {
  const target = (owner === own ? '' : `${owner}/`) + name + (kind === 'page' ? '.html' : '');
  return {
    label: target,
    displayLabel: title,
    detail: target,
    boost: -index,
    apply(view: EditorView, _completion: Completion, from: number, to: number) {
      const { state } = view;
      const isClosed = state.sliceDoc(to, to + 2) === ']]';
      const insert = isClosed ? target : `${target}]]`;
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: from + target.length + 2 },
        userEvent: 'input.complete',
        scrollIntoView: true,
      });
    },
  };
}
