import type { Rule } from 'turndown';

/** Returns a rule that keeps an element as HTML, because Markdown has no syntax for it. */
const asHtml = (tag: 'kbd' | 'sub' | 'sup'): Rule => ({
  filter: tag,
  replacement: (content) => (content.trim() === '' ? '' : `<${tag}>${content}</${tag}>`),
});

/** Differences from Turndown's own rules, and additions for GFM. */
export const RULES: Record<string, Rule> = {
  kbd: asHtml('kbd'),
  sub: asHtml('sub'),
  sup: asHtml('sup'),
  deleted: {
    filter: 'del',
    replacement: (content) => `~~${content}~~`,
  },
  task: {
    filter: (node) => node.nodeName === 'INPUT',
    replacement: (_content, node) => ((node as Element).hasAttribute('checked') ? '[x] ' : '[ ] '),
  },
  /** Indents an item by the width of its marker. */
  item: {
    filter: 'li',
    replacement(content, node) {
      const list = node.parentNode as Element;
      const isNumbered = list.nodeName === 'OL';
      const start = Number(list.getAttribute('start') ?? 1) || 1;
      const marker = isNumbered ? `${start + [...list.children].indexOf(node as Element)}. ` : '- ';
      const text = content.replace(/^\n+/, '').trimEnd();
      const indented = text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length)}`);
      const isLoose = /\n$/.test(content) && (node as Element).querySelector(':scope > p') !== null;
      return marker + indented + (node.nextSibling ? (isLoose ? '\n\n' : '\n') : '');
    },
  },
  link: {
    filter: (node) =>
      node.nodeName === 'A' && node.textContent === (node as Element).getAttribute('href'),
    replacement: (_content, node) => `<${node.textContent}>`,
  },
  /** TeX formulas as stored by KaTeX and Temml. */
  formula: {
    filter: (node) => node.nodeName === 'math',
    replacement: (_content, node) => `$${node.textContent?.trim()}$`,
  },
};
