import { type Extension, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin } from '@codemirror/view';
import { directionOfText } from '../../../base/text/direction.ts';

const RIGHT_TO_LEFT = Decoration.line({ attributes: { dir: 'rtl' } });

/** The sign of a task, whose letter isn't one of the text. */
const TASK = /^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s/;

/** Writes each line in the direction of its first letter, as in the rendered text. */
export function lineDirections(): Extension {
  const plugin = ViewPlugin.define(
    (view) => ({
      decorations: decorationsOf(view),
      update(update) {
        if (update.docChanged || update.viewportChanged) {
          this.decorations = decorationsOf(update.view);
        }
      },
    }),
    { decorations: ({ decorations }) => decorations },
  );
  return [EditorView.perLineTextDirection.of(true), plugin];
}

function decorationsOf({ state, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let last = 0;
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      if (line.number > last && directionOfText(line.text.replace(TASK, '')) === 'rtl') {
        builder.add(line.from, line.from, RIGHT_TO_LEFT);
      }
      last = line.number;
      at = line.to + 1;
    }
  }
  return builder.finish();
}
