import type MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import temml, { type Options } from 'temml';
import { noteFault } from '../threads/faults.ts';
import type { RenderEnvironment } from './environment.ts';
import { COSTLY_FAILURE, MAX_DEFINING_FORMULA_LENGTH, MAX_FORMULA_LENGTH } from './limits.ts';

/**
 * Returns Temml's tree before it is serialized; its types omit this function. The public one
 * returns a string, whose style attributes would have to be parsed again.
 */
const { __renderToMathMLTree: renderToMathMLTree } = temml as unknown as {
  __renderToMathMLTree: (tex: string, options: Options) => MathTree;
};

/** Renders the tokens of `math-syntax.ts`. */
export function mathRules(md: MarkdownIt): void {
  md.renderer.rules.math_inline = (tokens, index, _options, env: RenderEnvironment) => {
    const token = tokens[index];
    return token ? renderFormula(token.content.trim(), isDisplayed(token), env) : '';
  };
  md.renderer.rules.math_block = (tokens, index, _options, env: RenderEnvironment) => {
    const token = tokens[index];
    return token ? `${renderFormula(token.content.trim(), true, env)}\n` : '';
  };
}

/** Tells whether a formula is a block of its own: `$$…$$` or `\[…\]`. */
export function isDisplayed({ type, markup }: Token): boolean {
  return type === 'math_block' || markup === '$$' || markup === '\\[';
}

/**
 * Renders TeX as MathML, without scripts and style attributes.
 *
 * Shows the source in `<code class="math-error">` if Temml can't parse it, if it is longer than
 * `MAX_FORMULA_LENGTH` (`MAX_DEFINING_FORMULA_LENGTH` if it defines macros), or if the document's
 * budget is spent. `trust` is off, so commands that reach outside the formula are errors (`\href`,
 * `\includegraphics`, `\class`, `\style`, `\id`, `\data`). Macros last for one formula.
 */
export function renderFormula(tex: string, display: boolean, env: RenderEnvironment): string {
  env.math = true;
  const key = (display ? '$$' : '$') + tex;
  let html = env.formulas.get(key);
  if (html === undefined) {
    html = formula(tex, display, env) ?? source(tex, display);
    env.formulas.set(key, html);
  }
  env.mathmlLeft -= html.length;
  return env.mathmlLeft < 0 ? source(tex, display) : html;
}

/** Commands that define macros, with which a short source can expand into a long one. */
const DEFINITION = /\\(?:[egx]?def|let|futurelet|(?:re)?new(?:command|environment)|providecommand)/;

/** Returns MathML, or undefined if Temml can't parse the source or a limit is reached. */
function formula(tex: string, display: boolean, env: RenderEnvironment): string | undefined {
  const defines = DEFINITION.test(tex);
  if (tex.length > (defines ? MAX_DEFINING_FORMULA_LENGTH : MAX_FORMULA_LENGTH)) return undefined;
  if (tex.length > env.formulasLeft || env.mathmlLeft < 0) return undefined;
  env.formulasLeft -= tex.length;
  try {
    const tree = renderToMathMLTree(tex, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      // Lengths of at most 20 em or 200 pt, so that a formula can't push the page away.
      maxSize: [20, 200],
      // Together with the limit on the source's length, this limits how far macros expand.
      maxExpand: defines ? 200 : 1_000,
    });
    // A reference to another formula alone, which is empty.
    if (!tree.attributes) return undefined;
    dressNode(tree);
    tree.attributes.alttext = tex;
    return tree.toMarkup();
  } catch (error) {
    // Temml's ParseError, or a RangeError from braces nested thousands deep, is the author's.
    const { ParseError } = temml as unknown as { ParseError: new () => Error };
    if (!(error instanceof ParseError || error instanceof RangeError)) noteFault(error);
    // Formulas with macros and deep nesting take long to fail, so a document can have only a few.
    if (defines || error instanceof RangeError) env.formulasLeft -= COSTLY_FAILURE;
    return undefined;
  }
}

function source(tex: string, display: boolean): string {
  const escaped = tex.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return display
    ? `<pre class="math-error"><code>${escaped}</code></pre>`
    : `<code class="math-error">${escaped}</code>`;
}

/** The parts of Temml's tree used here. */
interface MathTree {
  attributes?: Record<string, string>;
  classes?: string[];
  style?: Record<string, string | number>;
  children?: MathTree[];
  toMarkup(): string;
}

/**
 * Classes for inline styles with fixed values. `dressNode` converts borders and colors too, and
 * drops the rest.
 */
const STYLE_CLASSES: Record<string, string> = {
  'border:1px solid': 'tml-fbox',
  'fontWeight:bold': 'tml-bold',
  'paddingLeft:0': 'tml-start-0',
  'paddingLeft:0em': 'tml-start-0',
  'paddingLeft:1em': 'tml-start-1',
  'paddingRight:0': 'tml-end-0',
  'paddingRight:0em': 'tml-end-0',
  'paddingRight:1em': 'tml-end-1',
  'textAlign:left': 'tml-left',
  'transform:scaleX(-1)': 'tml-reflect',
  'width:100%': 'tml-wide',
  'width:50%': 'tml-glue',
};
const BORDER = /^0\.\d+em (solid|dashed|double)$/;
const COLOR = /^(?:#[0-9a-f]{3,8}|[a-z]{3,30})$/i;

/** Replaces a tree's inline styles, which the page's policy blocks. */
function dressNode(node: MathTree): void {
  if (node.style && node.attributes) {
    for (const [property, given] of Object.entries(node.style)) {
      const value = String(given).trim();
      const known = STYLE_CLASSES[`${property}:${value}`];
      const border = property.startsWith('border') ? BORDER.exec(value) : null;
      if (known) node.classes?.push(known);
      else if (border) node.classes?.push(`tml-${property.slice(6).toLowerCase()}-${border[1]}`);
      else if (property === 'color' && COLOR.test(value)) node.attributes.mathcolor = value;
    }
    node.style = {};
    delete node.attributes.style;
  }
  for (const child of node.children ?? []) dressNode(child);
}
