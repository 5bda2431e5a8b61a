import { syntaxTree } from '@codemirror/language';
import type { EditorState, Line } from '@codemirror/state';

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** Quote marks, indents and markers of list items before a line's text. */
const PREFIX = /^(?:[ \t]*(?:>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))*[ \t]*/;
const ALERT = /^[\s>]*\[!(note|tip|important|warning|caution)\][ \t]*$/i;
/** Indents beyond this many columns look the same. */
export const MOST_COLUMNS = 24;

/** How a line looks as a whole. */
export interface LineLook {
  classes: string[];
  /** The length of the signs before its text, which have a fixed width. */
  prefix: number;
}

const BLOCKS: Record<string, string> = {
  FencedCode: 'cm-block-code',
  CodeBlock: 'cm-block-code',
  FormulaBlock: 'cm-block-code',
  FrontMatter: 'cm-block-source',
  HTMLBlock: 'cm-block-source',
  CommentBlock: 'cm-block-source',
  ProcessingInstructionBlock: 'cm-block-source',
  LinkReference: 'cm-block-source',
  Table: 'cm-block-source',
  HorizontalRule: 'cm-rule',
};

/** Returns how a line looks, by the blocks that it is in. */
export function lookOf(state: EditorState, line: Line): LineLook {
  const [written = ''] = PREFIX.exec(line.text) ?? [];
  const isEmpty = written.length === line.text.length;
  const at = line.from + written.length;
  const inner = syntaxTree(state).resolveInner(at, isEmpty && written !== '' ? -1 : 1);
  const classes: string[] = [];
  let item: SyntaxNode | undefined;
  let quote: SyntaxNode | undefined;
  let isVerbatim = false;
  for (let node: SyntaxNode | null = inner; node; node = node.parent) {
    const { name } = node;
    const [, level] = /^(?:ATX|Setext)Heading(\d)$/.exec(name) ?? [];
    if (level) classes.push(`cm-heading cm-heading-${level}`);
    else if (name === 'ListItem') item ??= node;
    else if (name === 'Blockquote') quote = node;
    else if (BLOCKS[name] && node.from <= line.to && node.to >= line.from) {
      isVerbatim = true;
      classes.push(BLOCKS[name], ...edges(state, node, line));
    }
  }
  if (isGap(state, line) && !isVerbatim) return { classes: ['cm-gap'], prefix: 0 };
  if (quote) classes.push(quoteClass(state, quote));
  if (!item && !quote) return { classes, prefix: 0 };
  const width = item ? prefixOf(state.doc.lineAt(item.from).text) : written.length;
  const own =
    isVerbatim || (item && line.from > item.from)
      ? Math.min(width, indentOf(line.text))
      : written.length;
  const isFirst = item && state.doc.lineAt(item.from).from === line.from;
  const columns = isFirst ? own : width;
  if (item) classes.push('cm-item');
  classes.push(
    `cm-pad-${Math.min(columns, MOST_COLUMNS)}`,
    `cm-dent-${Math.min(own, MOST_COLUMNS)}`,
  );
  return { classes, prefix: own };
}

/** Tells whether a line is only there to part what is above it from what is below. */
export function isGap({ doc }: EditorState, { text, number }: Line): boolean {
  return (
    text.trim() === '' &&
    number > 1 &&
    number < doc.lines &&
    doc.line(number - 1).text.trim() !== ''
  );
}

function prefixOf(text: string): number {
  return PREFIX.exec(text)?.[0].length ?? 0;
}

function indentOf(text: string): number {
  return /^[ \t>]*/.exec(text)?.[0].length ?? 0;
}

function edges({ doc }: EditorState, { from, to }: SyntaxNode, line: Line): string[] {
  return [
    ...(doc.lineAt(from).number === line.number ? ['cm-block-first'] : []),
    ...(doc.lineAt(to).number === line.number ? ['cm-block-last'] : []),
  ];
}

function quoteClass(state: EditorState, quote: SyntaxNode): string {
  const [, kind] = ALERT.exec(state.doc.lineAt(quote.from).text) ?? [];
  return kind === undefined ? 'cm-quote' : `cm-quote cm-alert cm-alert-${kind.toLowerCase()}`;
}
