import { type Element, type Fragment, isElement, parseHtml, serializeHtml } from './html-tree.ts';
import { type RenderOptions, renderMarkdown } from './render.ts';
import { sanitize } from './sanitize.ts';

/** A brief as slides. */
export interface Slides {
  /** The sanitized body of each slide; at least one. */
  slides: string[];
  title: string | undefined;
  math: boolean;
}

/**
 * Divides a brief into slides. One begins at each heading of level 1 or 2, after each thematic
 * break (`---`) that isn't within another block, and at the footnotes. Empty slides are left out.
 *
 * @throws RenderLimitError if the source exceeds a limit of `limits.ts`
 */
export function renderSlides(source: string, options: RenderOptions = {}): Slides {
  const { html, title, math } = renderMarkdown(source, options);
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

/** Tells whether an element begins a slide: the box of a heading and its anchor, or footnotes. */
function beginsSlide({ tagName, attrs, childNodes }: Element): boolean {
  const isNotes = tagName === 'section' && attrs.some(({ value }) => value === 'footnotes');
  const [heading] = childNodes.filter(isElement);
  const isBox = attrs.some(({ value }) => value === 'markdown-heading');
  return isNotes || (isBox && /^h[12]$/.test(heading?.tagName ?? ''));
}
