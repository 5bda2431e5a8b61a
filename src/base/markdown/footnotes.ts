import type MarkdownIt from 'markdown-it';
import type { PluginSimple, Token } from 'markdown-it';
import footnotePlugin from 'markdown-it-footnote';
import type { RenderEnvironment } from './environment.ts';
import { MAX_FOOTNOTES, RenderLimitError } from './limits.ts';

/**
 * Adds footnotes like GitHub's: `[^name]` and `[^name]: text`, collected at the end, with links
 * back to each reference. Inline footnotes (`^[text]`) are off, because GitHub has none.
 *
 * @throws RenderLimitError while parsing, above `MAX_FOOTNOTES`
 */
export function footnotes(md: MarkdownIt): void {
  // The plugin's types describe the CommonJS build of markdown-it.
  md.use(footnotePlugin as unknown as PluginSimple);
  md.inline.ruler.disable('footnote_inline');
  md.core.ruler.before('footnote_tail', 'footnote_limit', (state) => {
    const list = (state.env as RenderEnvironment).footnotes?.list;
    if (list && list.length > MAX_FOOTNOTES) {
      throw new RenderLimitError(`More than ${MAX_FOOTNOTES} footnotes.`);
    }
  });
  const { rules } = md.renderer;
  rules.footnote_ref = (tokens, index) => {
    const { number, reference } = place(tokens[index]);
    return (
      `<sup class="footnote-ref"><a href="#fn-${number}" id="fnref-${reference}" ` +
      `aria-label="Footnote ${number}">${number}</a></sup>`
    );
  };
  rules.footnote_block_open = () =>
    '<section class="footnotes" role="doc-endnotes" aria-label="Footnotes">\n<ol>\n';
  rules.footnote_block_close = () => '</ol>\n</section>\n';
  rules.footnote_open = (tokens, index) => `<li id="fn-${place(tokens[index]).number}">`;
  rules.footnote_anchor = (tokens, index) => {
    const { reference } = place(tokens[index]);
    return (
      ` <a href="#fnref-${reference}" class="footnote-backref" ` +
      `aria-label="Back to reference ${reference}">\u21a9\ufe0e</a>`
    );
  };
}

/** Returns a footnote's number, from 1, and the name of this reference: `2`, then `2-2`, `2-3`. */
function place(token: Token | undefined): { number: number; reference: string } {
  const meta = token?.meta as { id: number; subId?: number };
  const number = meta.id + 1;
  return { number, reference: meta.subId ? `${number}-${meta.subId + 1}` : `${number}` };
}
