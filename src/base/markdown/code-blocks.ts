import type MarkdownIt from 'markdown-it';
import type { RenderEnvironment } from './environment.ts';
import { highlightCode } from './highlight.ts';
import { renderFormula } from './math.ts';

/**
 * Renders fenced code: `math` as a formula, `mermaid` as a diagram, other known languages
 * highlighted.
 *
 * A diagram stays readable source, which the browser's script replaces: `<pre
 * class="mermaid-source" data-diagram="mermaid"><code>…</code></pre>`.
 */
export function codeBlocks(md: MarkdownIt): void {
  const { escapeHtml, unescapeAll } = md.utils;
  md.renderer.rules.fence = (tokens, index, _options, env: RenderEnvironment) => {
    const token = tokens[index];
    if (!token) return '';
    const language = unescapeAll(token.info).trim().split(/\s/, 1)[0] ?? '';
    const code = token.content;
    if (language === 'math') return `${renderFormula(code.trim(), true, env)}\n`;
    if (language === 'mermaid') {
      env.diagrams = true;
      return `<pre class="mermaid-source" data-diagram="mermaid"><code>${escapeHtml(code)}</code></pre>\n`;
    }
    if (language === '') return `<pre><code>${escapeHtml(code)}</code></pre>\n`;
    const highlighted = highlightCode(code, language, env);
    const classes = `${highlighted === undefined ? '' : 'hljs '}language-${escapeHtml(language)}`;
    return `<pre><code class="${classes}">${highlighted ?? escapeHtml(code)}</code></pre>\n`;
  };
}
