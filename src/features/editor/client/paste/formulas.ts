import { create } from './dom.ts';
import { texOfMathml } from './mathml.ts';

/** What KaTeX, MathJax, MediaWiki and Temml put around a formula, the outermost first. */
const FRAMES = [
  '.katex-display',
  '.mwe-math-element',
  'mjx-container',
  '.MathJax_Display',
  '.MathJax',
  '.katex',
];

/** Replaces formulas by their TeX, in elements `tex`, or by their characters. */
export function keepFormulas(body: Element): void {
  for (const script of body.querySelectorAll('script[type^="math/tex"]')) {
    const isDisplay = /mode=display/.test(script.getAttribute('type') ?? '');
    const shown = script.previousElementSibling;
    if (shown?.matches('.MathJax, .MathJax_Display, .MathJax_Preview')) shown.remove();
    script.replaceWith(texElement(script, script.textContent ?? '', isDisplay));
  }
  // As the reading page shows one that can't be typeset.
  for (const source of body.querySelectorAll('.math-error')) {
    source.replaceWith(texElement(source, source.textContent ?? '', source.nodeName === 'PRE'));
  }
  for (const math of body.querySelectorAll('math')) {
    if (!math.isConnected) continue;
    const frame = FRAMES.map((name) => math.closest(name)).find(Boolean) ?? math;
    const isDisplay =
      math.getAttribute('display') === 'block' ||
      frame.matches('.katex-display, .MathJax_Display, [display="true"], .mwe-math-element-block');
    const tex = texOf(math);
    frame.replaceWith(tex === '' ? charactersOf(math) : texElement(math, tex, isDisplay));
  }
}

function texOf(math: Element): string {
  const noted = math.querySelector('annotation[encoding*="tex" i]')?.textContent;
  const tex = (noted ?? math.getAttribute('alttext') ?? '').trim();
  // As MediaWiki writes it.
  const own = /^\{\\(?:display|text)style\s([\s\S]*)\}$/.exec(tex)?.[1]?.trim() ?? tex;
  return own === '' ? (texOfMathml(math) ?? '') : own;
}

function charactersOf(math: Element): string {
  for (const note of math.querySelectorAll('annotation, annotation-xml')) note.remove();
  return (math.textContent ?? '').replace(/\s+/g, ' ').trim();
}

function texElement(near: Node, tex: string, isDisplay: boolean): Element {
  const formula = (near.ownerDocument as Document).createElement('tex');
  formula.textContent = tex.replace(/\s+/g, ' ').trim();
  if (!isDisplay) return formula;
  formula.setAttribute('data-display', '');
  return create(near, 'div', formula);
}

/**
 * Writes a formula so that the renderer finds it: a display formula on lines of its own; others
 * between `$`, or `` $` `` where a letter or digit follows.
 */
export function formulaToMarkdown(formula: Element): string {
  const tex = formula.textContent ?? '';
  if (tex === '') return '';
  if (formula.hasAttribute('data-display')) {
    // A cell has one line.
    const isInCell = formula.closest('td, th') !== null;
    return isInCell ? `$$${tex}$$` : `\n\n$$\n${tex}\n$$\n\n`;
  }
  const isBeforeWord = /^[\p{L}\p{N}_{$]/u.test(formula.nextSibling?.nodeValue ?? '');
  const isAfterWord = /[\p{L}\p{N}_]$/u.test(formula.previousSibling?.nodeValue ?? '');
  const written = isBeforeWord && !tex.includes('`') ? `$\`${tex}\`$` : `$${tex}$`;
  // A dollar after a letter opens no formula.
  return isAfterWord ? `<!-- -->${written}` : written;
}
