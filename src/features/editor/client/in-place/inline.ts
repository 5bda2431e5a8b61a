import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { lookOf } from './lines.ts';
import { hasTouched, isTouched } from './touched.ts';
import { AlertTitle, Checkbox, Formula, Picture } from './widgets.ts';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** What is decorated of one node. */
interface Target {
  state: EditorState;
  node: SyntaxNode;
  /** Whether its source shows itself. */
  isOpen: boolean;
  add(decoration: Decoration, from: number, to: number): void;
}

const HIDDEN = Decoration.replace({});
const MARKS: Record<string, Decoration> = Object.fromEntries(
  ['code', 'strike', 'link', 'prefix', 'bullet', 'number', 'quoted', 'language', 'note'].map(
    (name) => [name, Decoration.mark({ class: `cm-${name}` })],
  ),
);
const lineLooks = new Map<string, Decoration>();

/** Hides the marks of an element, where the caret isn't. */
function hideMarks(name: string, look?: string) {
  return ({ node, isOpen, add }: Target) => {
    if (look) add(MARKS[look] as Decoration, node.from, node.to);
    if (isOpen) return;
    for (const { from, to } of node.getChildren(name)) add(HIDDEN, from, to);
  };
}

function link({ state, node, isOpen, add }: Target): void {
  const [open, close] = node.getChildren('LinkMark');
  if (state.sliceDoc(node.from, node.from + 2) === '[^')
    add(MARKS.note as Decoration, node.from, node.to);
  if (!open || !close || !node.getChild('URL') || open.to === close.from) return;
  add(MARKS.link as Decoration, open.to, close.from);
  if (isOpen || !isWithinLine(state, close.from, node.to, HIDDEN)) return;
  add(HIDDEN, open.from, open.to);
  add(HIDDEN, close.from, node.to);
}

function picture({ state, node, isOpen, add }: Target): void {
  const url = node.getChild('URL');
  const [open, close] = node.getChildren('LinkMark');
  if (!url || !open || !close) return;
  const address = state.sliceDoc(url.from, url.to).replace(/^<|>$/g, '');
  const widget = new Picture(address, state.sliceDoc(open.to, close.from));
  // It stays beside its source, so that one sees what one describes.
  if (isOpen) add(Decoration.widget({ widget, side: 1 }), node.to, node.to);
  else add(Decoration.replace({ widget }), node.from, node.to);
}

function heading({ state, node, isOpen, add }: Target): void {
  if (isOpen) return;
  const marks = node.getChildren('HeaderMark');
  for (const [index, { from, to }] of marks.entries()) {
    const isFirst = index === 0;
    const around = state.sliceDoc(isFirst ? to : node.from, isFirst ? node.to : from);
    const spaces = (isFirst ? /^[ \t]*/ : /[ \t]*$/).exec(around)?.[0].length ?? 0;
    add(HIDDEN, isFirst ? from : from - spaces, isFirst ? to + spaces : to);
  }
}

function task({ state, node, isOpen, add }: Target): void {
  const marker = node.getChild('TaskMarker');
  if (!marker) return;
  const { from } = state.doc.lineAt(marker.from);
  const before = /[-*+][ \t]+$/.exec(state.sliceDoc(from, marker.from))?.[0].length ?? 0;
  const start = marker.from - before;
  if (isOpen && isTouched(state, start, marker.to)) return;
  const isDone = /x/i.test(state.sliceDoc(marker.from, marker.to));
  const label = state.sliceDoc(marker.to, node.to).split('\n', 1)[0]?.trim() || 'Task';
  add(Decoration.replace({ widget: new Checkbox(isDone, label) }), start, marker.to);
}

function fence({ state, node, isOpen, add }: Target): void {
  const info = node.getChild('CodeInfo');
  if (info) add(MARKS.language as Decoration, info.from, info.to);
  if (isOpen) return;
  for (const { from, to } of node.getChildren('CodeMark')) {
    // In a list or quote, more than the line's beginning is before it.
    if (state.doc.lineAt(from).from <= node.from || from > node.from) add(HIDDEN, from, to);
  }
}

function alertTitle({ state, node, add }: Target): void {
  const line = state.doc.lineAt(node.from);
  const [, before = '', sign = '', kind = ''] =
    /^([\s>]*)(\[!(note|tip|important|warning|caution)\])\s*$/i.exec(line.text) ?? [];
  if (sign === '' || isTouched(state, line.from, line.to)) return;
  const from = line.from + before.length;
  add(Decoration.replace({ widget: new AlertTitle(kind) }), from, from + sign.length);
}

const ELEMENTS: Record<string, (target: Target) => void> = {
  Emphasis: hideMarks('EmphasisMark'),
  StrongEmphasis: hideMarks('EmphasisMark'),
  Strikethrough: hideMarks('StrikethroughMark', 'strike'),
  InlineCode: hideMarks('CodeMark', 'code'),
  Autolink: hideMarks('LinkMark', 'link'),
  WikiLink: hideMarks('LinkMark', 'link'),
  Link: link,
  Image: picture,
  Task: task,
  FencedCode: fence,
  Blockquote: alertTitle,
  URL({ node, add }) {
    if (node.parent?.name !== 'Link' && node.parent?.name !== 'Image')
      add(MARKS.link as Decoration, node.from, node.to);
  },
  Escape({ node, isOpen, add }) {
    if (!isOpen) add(HIDDEN, node.from, node.from + 1);
  },
  HardBreak({ state, node, isOpen, add }) {
    if (!isOpen && state.sliceDoc(node.from, node.from + 1) === '\\')
      add(HIDDEN, node.from, node.from + 1);
  },
  HorizontalRule({ node, isOpen, add }) {
    if (!isOpen) add(MARKS.quoted as Decoration, node.from, node.to);
  },
  Formula({ state, node, isOpen, add }) {
    if (isOpen) return;
    const widget = new Formula(state.sliceDoc(node.from, node.to));
    add(Decoration.replace({ widget }), node.from, node.to);
  },
  ListMark({ state, node, add }) {
    const isBullet = /^[-*+]$/.test(state.sliceDoc(node.from, node.to));
    add(
      (isBullet && !isTouched(state, node.from, node.to)
        ? MARKS.bullet
        : MARKS.number) as Decoration,
      node.from,
      node.to,
    );
  },
  QuoteMark({ state, node, add }) {
    const line = state.doc.lineAt(node.from);
    if (!isTouched(state, line.from, line.to)) add(MARKS.quoted as Decoration, node.from, node.to);
  },
};
for (const level of [1, 2, 3, 4, 5, 6]) ELEMENTS[`ATXHeading${level}`] = heading;

/** These are drawn as a whole elsewhere; `blocks.ts`. */
const DRAWN = new Set(['Table', 'FormulaBlock']);

/** The editor refuses to hide the end of a line here, so what goes on there shows its source. */
function isWithinLine({ doc }: EditorState, from: number, to: number, { point }: Decoration) {
  return !point || doc.lineAt(from).to >= to;
}

function decorate({ state, visibleRanges }: EditorView): DecorationSet {
  const all: Range<Decoration>[] = [];
  const add = (decoration: Decoration, from: number, to: number) => {
    if (from <= to && isWithinLine(state, from, to, decoration))
      all.push(decoration.range(from, to));
  };
  let last = 0;
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      at = line.to + 1;
      if (line.number <= last) continue;
      last = line.number;
      const { classes, prefix } = lookOf(state, line);
      if (classes.length > 0) add(lineLook(classes.join(' ')), line.from, line.from);
      if (prefix > 0) add(MARKS.prefix as Decoration, line.from, line.from + prefix);
    }
    syntaxTree(state).iterate({
      from,
      to,
      enter({ name, from: start, to: end, node }) {
        const element = ELEMENTS[name];
        if (element) element({ state, node, isOpen: isTouched(state, start, end), add });
        return !DRAWN.has(name);
      },
    });
  }
  return Decoration.set(all, true);
}

function lineLook(classes: string): Decoration {
  const known = lineLooks.get(classes) ?? Decoration.line({ class: classes });
  lineLooks.set(classes, known);
  return known;
}

/** Shows what is within lines as it will be read. Works on what is in view only. */
export const inlineLooks = ViewPlugin.define(
  (view) => ({
    decorations: decorate(view),
    isStale: false,
    update(update: ViewUpdate) {
      const { docChanged, viewportChanged, startState, state, changes } = update;
      const hasTree = syntaxTree(startState) !== syntaxTree(state);
      const isChanged = docChanged || viewportChanged || hasTree || hasTouched(update);
      if (!isChanged && !this.isStale) return;
      // What is being composed must not be touched.
      this.isStale = update.view.compositionStarted;
      this.decorations = this.isStale
        ? this.decorations.map(changes).update({ filter: isWithinLine.bind(undefined, state) })
        : decorate(update.view);
    },
  }),
  { decorations: ({ decorations }) => decorations },
);
