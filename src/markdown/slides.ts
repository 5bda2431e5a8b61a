import { type Element, type Fragment, isElement, parseHtml, serializeHtml } from './html-tree.ts';
import { renderMarkdown } from './render.ts';
import { sanitize } from './sanitize.ts';

/** A brief as slides. */
export interface Slides {
  /** The sanitized body of each slide; at least one. */
  slides: string[];
  title: string | undefined;
  math: boolean;
}

/**
 * Divides a brief into slides: one begins at each heading of level 1 or 2 and after each thematic
 * break (`---`) that isn't within another block.
 *
 * @throws RenderLimitError
 */
export function renderSlides(source: string): Slides {
  const { html, title, math } = renderMarkdown(source);
  const parts: Fragment['childNodes'][] = [[]];
  for (const node of parseHtml(html).childNodes) {
    const isBreak = isElement(node) && node.tagName === 'hr';
    if (isBreak || (isElement(node) && beginsSlide(node))) parts.push([]);
    if (!isBreak) parts.at(-1)?.push(node);
  }
  const written = parts.filter((part) => part.some(isElement));
  const slides = written.map((childNodes) =>
    // As safe as the source HTML, even where parsing has moved elements.
    sanitize(serializeHtml({ ...parseHtml(''), childNodes } as Fragment)),
  );
  return { slides: slides.length > 0 ? slides : [''], title, math };
}

/** Headings are in a box beside their anchor, and footnotes are below their own heading. */
function beginsSlide({ tagName, attrs, childNodes }: Element): boolean {
  const isNotes = tagName === 'section' && attrs.some(({ value }) => value === 'footnotes');
  const [heading] = childNodes.filter(isElement);
  const isBox = attrs.some(({ value }) => value === 'markdown-heading');
  return isNotes || (isBox && /^h[12]$/.test(heading?.tagName ?? ''));
}
