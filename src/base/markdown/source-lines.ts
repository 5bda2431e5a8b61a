import type MarkdownIt from 'markdown-it';
import type { RenderEnvironment } from './environment.ts';

/** Blocks whose rules write their element themselves and ignore the token's attributes. */
const WRITTEN_WHOLE = ['fence', 'math_block'];

/**
 * Adds `data-line`, the source line from 1, to the element of every block, if the environment asks
 * for it. HTML blocks get none, because they need not be elements.
 */
export function sourceLines(md: MarkdownIt): void {
  md.core.ruler.push('source_lines', (state) => {
    if (!(state.env as RenderEnvironment).sourceLines) return;
    for (const token of state.tokens) {
      if (token.map && token.nesting >= 0 && token.tag !== '') token.attrSet(...mark(token.map));
    }
  });
  for (const type of WRITTEN_WHOLE) {
    const write = md.renderer.rules[type];
    if (!write) throw new Error(`Nothing writes ${type}.`);
    md.renderer.rules[type] = (tokens, index, options, env: RenderEnvironment, self) => {
      const html = write(tokens, index, options, env, self);
      const map = tokens[index]?.map;
      if (!env.sourceLines || !map) return html;
      const [name, line] = mark(map);
      return html.replace(/^\s*<[a-z]+/, (start) => `${start} ${name}="${line}"`);
    };
  }
}

function mark([firstLine]: [number, number]): ['data-line', string] {
  return ['data-line', String(firstLine + 1)];
}
