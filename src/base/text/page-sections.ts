import { type PageElement, readPage } from './page-quotes.ts';
import type { Range } from './port.ts';

/** Elements at the end of a page that belong to the page, not to its last section. */
const OF_PAGE = new Set(['script', 'style', 'template', 'link', 'footer']);
const ROOTS = new Set<string | undefined>(['html', 'body', undefined]);

/** A heading's content: whole elements and text, so that changing it leaves all others as they are. */
interface Body extends Range {
  /** The heading, or what has the heading and nothing else of its section, such as a `header`. */
  holder: PageElement;
}

/**
 * Replaces, extends or deletes a section of a page. The section's content ends where an element ends
 * that has begun before its heading, and before scripts, styles and a footer at the page's end. The
 * heading stays, unless `delete` drops it, or the content begins with a heading of its level, which
 * takes its place. What readers get behind the content is dropped from the end of new content.
 *
 * @param section from the heading to where the section ends for readers: the next heading, or the
 *   end of the source
 */
export function withPageSection(
  html: string,
  section: Range,
  mode: 'replace' | 'append' | 'delete',
  content: string,
): string {
  const { elements } = readPage(html);
  const heading = elements.find(({ start }) => start === section.start);
  if (!heading) return html;
  const { holder, start, end } = bodyOf(html, elements, heading, section.end);
  if (mode === 'delete') {
    const gone = withEmptied(html, { start: holder.start, end }, holder.parent);
    return html.slice(0, gone.start) + html.slice(gone.end);
  }
  const body = html.slice(start, end);
  const [lead, trail] = body.trim() === '' ? ['\n', '\n'] : [body.match(/^\s*/), /\s*$/.exec(body)];
  const tail = html.slice(end, section.end).trim();
  const given = withoutEnd(content.trim(), tail);
  if (mode === 'append') {
    const shown = html.slice(0, end).trimEnd();
    return `${shown}\n${given}${html.slice(shown.length, end) || '\n'}${html.slice(end)}`;
  }
  const [own = ''] =
    new RegExp(`^<${heading.tag}\\b[\\s\\S]*?</${heading.tag}\\s*>`, 'i').exec(given) ?? [];
  const above = own
    ? html.slice(0, heading.start) + own + html.slice(heading.end, start)
    : html.slice(0, start);
  const between = html.slice(heading.end, start).trim();
  const rest = given.slice(own.length).trim();
  const added = own && rest.startsWith(between) ? rest.slice(between.length).trim() : rest;
  return above + lead + added + trail + html.slice(end);
}

/** Finds the content of a heading: beside it, or beside what has nothing but the heading. */
function bodyOf(
  html: string,
  elements: readonly PageElement[],
  heading: PageElement,
  end: number,
): Body {
  const nearest = besideOf(html, elements, heading, end);
  let body = nearest;
  while (html.slice(body.start, body.end).trim() === '') {
    const { parent } = body.holder;
    if (!parent || ROOTS.has(parent.tag) || parent.end > end) return nearest;
    body = besideOf(html, elements, parent, end);
  }
  return body;
}

function besideOf(
  html: string,
  elements: readonly PageElement[],
  holder: PageElement,
  end: number,
): Body {
  const { parent } = holder;
  const last = Math.min(end, parent?.to ?? html.length);
  const beside = elements.filter(
    (each) => each.parent === parent && each.start >= holder.end && each.start < last,
  );
  const next = beside.find((each) => each.end > last);
  let to = next?.start ?? last;
  if (ROOTS.has(parent?.tag) && to === (parent?.to ?? html.length)) {
    for (const each of beside.reverse()) {
      if (!OF_PAGE.has(each.tag) || html.slice(each.end, to).trim() !== '') break;
      to = each.start;
    }
  }
  return { holder, start: holder.end, end: to };
}

/** Returns a range with the elements around it that have nothing else. */
function withEmptied(html: string, range: Range, parent: PageElement | undefined): Range {
  if (!parent || ROOTS.has(parent.tag)) return range;
  const rest = html.slice(parent.from, range.start) + html.slice(range.end, parent.to);
  return rest.trim() === '' ? withEmptied(html, parent, parent.parent) : range;
}

function withoutEnd(content: string, end: string): string {
  return end !== '' && content.endsWith(end) ? content.slice(0, -end.length).trimEnd() : content;
}
