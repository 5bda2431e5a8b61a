import GithubSlugger, { slug } from 'github-slugger';
import { characterStart } from '../text/character-start.ts';
import {
  append,
  appendText,
  attribute,
  createElement,
  type Element,
  type Fragment,
  hasClass,
  isElement,
  plainText,
  replaceElements,
  setAttribute,
  textBesideImages,
} from './html-tree.ts';
import { MAX_DESCRIPTION, MAX_HEADING_TEXT, MAX_HEADINGS } from './limits.ts';
import { ID_PREFIX } from './sanitize.ts';

export interface Heading {
  level: 1 | 2 | 3 | 4 | 5 | 6;
  /** The element's id, for links to `#${id}`. */
  id: string;
  /** Plain text, at most 256 UTF-16 code units. */
  text: string;
}

export interface Outline {
  title: string | undefined;
  description: string;
  headings: Heading[];
}

/**
 * Adds an id and an anchor to every heading, wraps every table in a container that scrolls, and
 * collects what the page around the article needs. Modifies the tree.
 */
export function outline(tree: Fragment): Outline {
  const slugger = new GithubSlugger();
  const formerSlugger = new GithubSlugger();
  const formers: Former[] = [];
  const headings: Heading[] = [];
  let title: string | undefined;
  replaceElements(tree, (element) => {
    if (element.tagName === 'table') return scrollContainer(element);
    const level = headingLevel(element);
    if (!level) return element;
    const text = cut(plainText(element), MAX_HEADING_TEXT);
    title ??= text || undefined;
    const words = textBesideImages(element) ?? text;
    const id = ID_PREFIX + (slugger.slug(words) || slugger.slug('section'));
    setAttribute(element, 'id', id);
    const former = ID_PREFIX + (formerSlugger.slug(text) || formerSlugger.slug('section'));
    if (former !== id) formers.push({ id: former, heading: element });
    if (headings.length < MAX_HEADINGS) headings.push({ level, id, text });
    return insideControl(element) ? element : withAnchor(element, id, text);
  });
  reachHeadings(tree, new Set(headings.map(({ id }) => id)), formers);
  return { title, description: describe(tree), headings };
}

/** An anchor that a heading had when the descriptions of its pictures were part of it. */
interface Former {
  id: string;
  heading: Element;
}

/**
 * Leads links like `#Hello-World` and `#hello%20world`, to which nothing belongs, to the heading, and
 * those to its former anchor.
 */
function reachHeadings(
  tree: Fragment,
  headingIds: ReadonlySet<string>,
  formers: readonly Former[],
): void {
  const links: Element[] = [];
  const ids = new Set<string>();
  replaceElements(tree, (element) => {
    for (const name of ['id', 'name']) {
      const id = attribute(element, name);
      if (id !== undefined) ids.add(id.replace(ID_PREFIX, ''));
    }
    if (element.tagName === 'a' && attribute(element, 'href')?.startsWith('#')) links.push(element);
    return element;
  });
  for (const { id, heading } of formers) {
    if (ids.has(id.replace(ID_PREFIX, ''))) continue;
    ids.add(id.replace(ID_PREFIX, ''));
    append(heading, createElement('span', { id }));
  }
  for (const link of links) {
    const fragment = decoded((attribute(link, 'href') as string).slice(1));
    if (fragment === '' || ids.has(fragment.replace(ID_PREFIX, ''))) continue;
    const id = `${ID_PREFIX}${slug(fragment.replace(ID_PREFIX, '').trim())}`;
    if (headingIds.has(id)) setAttribute(link, 'href', `#${id}`);
  }
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function headingLevel(element: Element): Heading['level'] | undefined {
  const match = /^h([1-6])$/.exec(element.tagName);
  return match ? (Number(match[1]) as Heading['level']) : undefined;
}

/** Puts the anchor beside the heading, so that it isn't part of the heading's accessible name. */
function withAnchor(heading: Element, id: string, text: string): Element {
  const link = createElement('a', {
    class: 'anchor',
    href: `#${id}`,
    'aria-label': text ? `Permalink: ${text}` : 'Permalink',
  });
  const sign = createElement('span', { 'aria-hidden': 'true' });
  appendText(sign, '#');
  append(link, sign);
  const box = createElement('div', { class: 'markdown-heading' });
  append(box, heading);
  append(box, link);
  return box;
}

/** Tells whether a link would take the clicks of a summary, label or link around it. */
function insideControl(element: Element): boolean {
  for (let node = element.parentNode; node && 'tagName' in node; node = node.parentNode) {
    if (node.tagName === 'summary' || node.tagName === 'label' || node.tagName === 'a') return true;
  }
  return false;
}

function scrollContainer(table: Element): Element {
  const box = createElement('div', {
    class: 'table-scroll',
    tabindex: '0',
    role: 'group',
    'aria-label': 'Table',
  });
  append(box, table);
  return box;
}

/** Returns the text of the first paragraphs in a row, cut to {@link MAX_DESCRIPTION}. */
function describe(tree: Fragment): string {
  let text = '';
  for (const block of topBlocks(tree)) {
    if (text && block.tagName !== 'p') break;
    if (block.tagName !== 'p') continue;
    text = `${text} ${plainText(block)}`.trim();
    if (text.length > MAX_DESCRIPTION) break;
  }
  if (text.length <= MAX_DESCRIPTION) return text;
  const short = cut(text, MAX_DESCRIPTION - 1);
  const space = short.lastIndexOf(' ');
  return `${space > MAX_DESCRIPTION / 2 ? short.slice(0, space) : short}…`;
}

/**
 * Yields the article's top-level blocks, including those in a plain `<div>`, as around centred
 * titles.
 */
function* topBlocks(parent: Fragment | Element): Generator<Element> {
  for (const child of parent.childNodes) {
    if (!isElement(child)) continue;
    const plain =
      child.tagName === 'center' || (child.tagName === 'div' && !attribute(child, 'class'));
    if (plain && !hasClass(child, 'table-scroll')) yield* topBlocks(child);
    else yield child;
  }
}

/** Cuts a text to `length` code units, never inside a surrogate pair. */
function cut(text: string, length: number): string {
  return text.slice(0, characterStart(text, length));
}
