import {
  type EditorState,
  type Extension,
  type Range,
  RangeSet,
  StateEffect,
  StateField,
} from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter } from '@codemirror/view';
import { shownPosition } from './hidden-lines.ts';

/** Where a thread is in the text of the editor. */
export interface PlacedThread {
  id: string;
  /** `null` if it is about the whole document. */
  range: { from: number; to: number } | null;
}

/** Replaces the threads of the text. */
export const setThreads = StateEffect.define<readonly PlacedThread[]>();

/** The threads, whose positions follow edits. If the passage was deleted, the range is empty. */
const threadsField = StateField.define<readonly PlacedThread[]>({
  create: () => [],
  update(threads, { effects, changes, docChanged }) {
    for (const effect of effects) if (effect.is(setThreads)) return effect.value;
    if (!docChanged) return threads;
    return threads.map(({ id, range }) => {
      if (!range) return { id, range };
      const from = changes.mapPos(range.from, 1);
      return { id, range: { from, to: Math.max(from, changes.mapPos(range.to, -1)) } };
    });
  },
  provide: (field) => EditorView.decorations.from(field, passagesOf),
});

const PASSAGE = Decoration.mark({ class: 'cm-commented' });

function passagesOf(threads: readonly PlacedThread[]): DecorationSet {
  const marks = threads.flatMap(({ range }): Range<Decoration>[] =>
    range && range.to > range.from ? [PASSAGE.range(range.from, range.to)] : [],
  );
  return Decoration.set(marks, true);
}

/** The threads of one line. */
export interface LineThreads {
  /** Where the line begins. */
  from: number;
  /** Where the first passage begins. */
  at: number;
  number: number;
  ids: string[];
}

/**
 * Returns the lines that have threads, from the top. Threads about the whole document are on the
 * first line, and those on a title that is shown above the text, too.
 */
export function threadLines(state: EditorState): LineThreads[] {
  const lines = new Map<number, LineThreads>();
  const starts = state.field(threadsField, false) ?? [];
  const sorted = [...starts].sort((one, other) => startOf(one) - startOf(other));
  for (const thread of sorted) {
    const at = shownPosition(state, startOf(thread));
    const { from, number } = state.doc.lineAt(at);
    const line = lines.get(number) ?? { from, at, number, ids: [] };
    line.ids.push(thread.id);
    lines.set(number, line);
  }
  return [...lines.values()];
}

function startOf({ range }: PlacedThread): number {
  return range?.from ?? 0;
}

class ThreadMarker extends GutterMarker {
  readonly count: number;

  constructor(count: number) {
    super();
    this.count = count;
  }

  override eq({ count }: ThreadMarker): boolean {
    return count === this.count;
  }

  override toDOM(): Node {
    const marker = document.createElement('span');
    marker.className = 'thread-marker';
    marker.textContent = String(this.count);
    marker.title = commentCount(this.count);
    return marker;
  }
}

export function commentCount(count: number): string {
  return count === 1 ? '1 comment' : `${count} comments`;
}

/**
 * Shows a marker beside each line that has threads. CodeMirror hides gutters from screen readers; a
 * key and a button also open the threads (`threads.ts`).
 */
export function threadGutter(open: (line: LineThreads) => void): Extension {
  return [
    threadsField,
    gutter({
      class: 'cm-thread-gutter',
      markers: ({ state }) =>
        RangeSet.of(
          threadLines(state).map(({ from, ids }) => new ThreadMarker(ids.length).range(from)),
        ),
      // Beside what is drawn in the place of several lines, as a table.
      widgetMarker: ({ state }, _widget, { from, to }) => {
        const lines = threadLines(state).filter((line) => line.from >= from && line.from <= to);
        const count = lines.reduce((sum, { ids }) => sum + ids.length, 0);
        return count === 0 || from === to ? null : new ThreadMarker(count);
      },
      initialSpacer: () => new ThreadMarker(1),
      domEventHandlers: {
        mousedown(view, { from, to }) {
          const line = threadLines(view.state).find((one) => one.from >= from && one.from <= to);
          if (line) open(line);
          return line !== undefined;
        },
      },
    }),
  ];
}
