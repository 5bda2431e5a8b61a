import type MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { HTML_TAGS, MATH_TAGS } from './sanitize.ts';

/** Elements that the sanitizer keeps. */
const ALLOWED = new Set([...HTML_TAGS, ...MATH_TAGS]);

/** Elements of HTML and MathML that it takes off. */
const OTHERS = new Set(
  (
    'html head title base link meta style body address article aside footer header hgroup main nav ' +
    'search menu data big strike font basefont bgsound blink marquee nobr acronym dir listing xmp ' +
    'plaintext noscript script template slot canvas iframe embed object param video audio track map ' +
    'area svg applet frame frameset noframes noembed form button select datalist optgroup option ' +
    'textarea output progress meter fieldset legend dialog keygen isindex ' +
    'semantics annotation annotation-xml maction mglyph maligngroup malignmark mlabeledtr'
  ).split(' '),
);

const VOID = new Set(
  'base link meta basefont bgsound embed param track area keygen frame'.split(' '),
);

/** Names of type parameters that are elements, too: `Box<A>`. In a paragraph, also `FC<P>`. */
const TYPE_PARAMETER = /^[ABIQSU]$/;

/** Elements that need no closing tag, and those that have none. */
const UNCLOSED = new Set(
  'p li td tr th dt dd thead tbody tfoot colgroup col rb rt rtc rp br hr wbr none mprescripts'.split(
    ' ',
  ),
);

/** Elements that are nothing without attributes: an `<img>`, or an `<input>` that is no checkbox. */
const NEED_ATTRIBUTES = new Set('img input source'.split(' '));

/** A comment, or a tag as browsers read it: whether it closes, its name, its attributes, its end. */
const TAGS = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^"'>])*)(>?)/gi;

/** How often a block of HTML is read again after a `<` that begins no tag, which can take long. */
const MAX_READ_AGAIN = 100;

/** Attributes that are set: in `a<b and c>d`, there are none. */
const ATTRIBUTES = /=|(?:^|\s)(?:open|checked|disabled|reversed|hidden)(?=[\s/]|$)/i;

/** Positions of the signs `<` in an HTML block that are text, and what closes it. */
export interface HtmlMeta {
  asText?: number[];
  end?: string;
}

interface Tag {
  name: string;
  isClosing: boolean;
  hasAttributes: boolean;
  isInParagraph: boolean;
  showAsText(): void;
}

/**
 * Shows tags as text where HTML isn't meant: names that no element has (`List<String>`,
 * `<your name>`); elements that the sanitizer would take off, with everything in a `<title>` that
 * nothing closes; and in paragraphs also those that it keeps, if nothing opens or closes them
 * (`List<Label>`, “the <table> tag”). A block of HTML that ends within a tag or a comment takes
 * nothing of what follows. What is left is HTML, and still has to be sanitized.
 */
export function htmlInProse(md: MarkdownIt): void {
  keepParagraphs(md);
  md.core.ruler.after('inline', 'html_in_prose', ({ tokens }) => markTags(tokens));
}

/** Keeps lines that begin with an unknown tag out of HTML blocks, which aren't parsed. */
function keepParagraphs(md: MarkdownIt): void {
  const { ruler } = md.block;
  const { __rules__: rules } = ruler as unknown as Internals;
  const rule = rules.find(({ name }) => name === 'html_block');
  if (!rule) throw new Error('markdown-it has no rule for HTML blocks.');
  const { fn, alt } = rule;
  ruler.at(
    'html_block',
    (state, line, ...rest) => {
      const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
      const [, name] = /^<\/?([a-z][a-z\d-]*)/i.exec(state.src.slice(start, start + 64)) ?? [];
      return name !== undefined && !isElement(name) ? false : fn(state, line, ...rest);
    },
    { alt },
  );
}

/** markdown-it's fields that its types omit. */
interface Internals {
  __rules__: {
    name: string;
    fn: Parameters<MarkdownIt['block']['ruler']['at']>[1];
    alt: string[];
  }[];
}

function isElement(name: string): boolean {
  const known = name.toLowerCase();
  return ALLOWED.has(known) || OTHERS.has(known);
}

function markTags(tokens: readonly Token[]): void {
  const open = new Map<string, Tag[]>();
  for (const tag of tagsOf(tokens)) {
    const name = tag.name.toLowerCase();
    if (!isElement(name)) tag.showAsText();
    else if (VOID.has(name) || NEED_ATTRIBUTES.has(name)) {
      if (!tag.hasAttributes) tag.showAsText();
    } else if (!tag.isClosing) {
      const same = open.get(name);
      if (same) same.push(tag);
      else open.set(name, [tag]);
      // A `<B>` can be closed by a `</b>`.
    } else if (!open.get(name)?.pop() && !canStandAlone(tag)) tag.showAsText();
  }
  for (const tag of [...open.values()].flat()) if (!canStandAlone(tag)) tag.showAsText();
}

/** Tells whether a tag is HTML although nothing closes it, or nothing opens it. */
function canStandAlone({ name, hasAttributes, isInParagraph }: Tag): boolean {
  if (!ALLOWED.has(name.toLowerCase())) return false;
  if (hasAttributes) return true;
  if (TYPE_PARAMETER.test(name)) return false;
  return !isInParagraph || (UNCLOSED.has(name.toLowerCase()) && name !== 'P');
}

function* tagsOf(tokens: readonly Token[]): Generator<Tag> {
  for (const token of tokens) {
    if (token.type === 'html_block') yield* tagsIn(token);
    for (const child of token.children ?? []) {
      if (child.type !== 'html_inline') continue;
      TAGS.lastIndex = 0;
      const [, slash = '', name, attributes = ''] = TAGS.exec(child.content) ?? [];
      if (name === undefined) continue;
      yield {
        name,
        isClosing: slash !== '',
        hasAttributes: ATTRIBUTES.test(attributes),
        isInParagraph: true,
        showAsText() {
          child.type = 'text';
        },
      };
    }
  }
}

function* tagsIn(block: Token): Generator<Tag> {
  const asText: number[] = [];
  const meta: HtmlMeta = { asText };
  block.meta = meta;
  const pattern = new RegExp(TAGS);
  let again = MAX_READ_AGAIN;
  for (let found = pattern.exec(block.content); found; found = pattern.exec(block.content)) {
    const [whole, slash = '', name, attributes = '', end] = found;
    const { index } = found;
    if (name === undefined) {
      if (!whole.endsWith('-->')) meta.end = '-->';
      continue;
    }
    // What follows a tag that isn't one can be one: `<T or <b>`.
    const isTag = end !== '' && isElement(name);
    if (!isTag && again > 0) {
      pattern.lastIndex = index + 1;
      again--;
    }
    if (end === '') {
      asText.push(index);
      continue;
    }
    yield {
      name,
      isClosing: slash !== '',
      hasAttributes: ATTRIBUTES.test(attributes),
      isInParagraph: false,
      showAsText: () => asText.push(index),
    };
  }
}

/** Returns the HTML of an HTML block, and for each of its characters the place in the source. */
export function htmlOfBlock(block: Token): { html: string; places: (index: number) => number } {
  const { asText: unsorted = [], end = '' } = (block.meta as HtmlMeta | null) ?? {};
  const asText = [...unsorted].sort((a, b) => a - b);
  const ENTITY = '&lt;';
  const parts: string[] = [];
  let from = 0;
  for (const at of asText) {
    parts.push(block.content.slice(from, at), ENTITY);
    from = at + 1;
  }
  parts.push(block.content.slice(from), end);
  const longer = ENTITY.length - 1;
  const starts = asText.map((at, index) => at + index * longer);
  return {
    html: parts.join(''),
    places(index) {
      let low = 0;
      let high = starts.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((starts[middle] as number) <= index) low = middle + 1;
        else high = middle;
      }
      if (low === 0) return index;
      return Math.max(asText[low - 1] as number, index - low * longer);
    },
  };
}
