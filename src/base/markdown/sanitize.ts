import sanitizeHtml from 'sanitize-html';
import { type FormerAddress, presentAddress } from '../text/former-address.ts';
import { shorten } from '../text/shorten.ts';
import { type DocumentLink, documentLink, pathOfLink } from './document-links.ts';
import { MAX_ELEMENT_NESTING, RenderLimitError } from './limits.ts';
import { LINK_SCHEMES } from './link-schemes.ts';

/**
 * Prefix of every id in an article and of links to it. Keeps authors' ids apart from the page's own
 * and from names that scripts look up (DOM clobbering).
 */
export const ID_PREFIX = 'user-content-';

/**
 * Removes everything from HTML that an article can't contain. The last step before a page.
 *
 * Elements and attributes are allowed by the lists below. Links go to `LINK_SCHEMES` or the same
 * site; one to anywhere else keeps its address in `data-address`, which a style shows, and a picture
 * from anywhere else its description. Links to other sites get `nofollow ugc noopener noreferrer`. Every id and link to one
 * gets `ID_PREFIX`. Images load lazily. Style attributes, event handlers, forms, frames, SVG,
 * scripts and comments never pass. No allowed element has raw text, so a browser parses the result
 * the same way.
 *
 * Links to other documents get their addresses (`document-links.ts`).
 *
 * @param options.sourceLines allows `data-line` on any element
 * @param options.formers addresses that lead to the present ones instead
 * @param options.base where the owner's documents are, as in {@link pathOfLink}
 * @throws RenderLimitError if elements nest deeper than `MAX_ELEMENT_NESTING`
 */
export function sanitize(
  html: string,
  options: { sourceLines?: boolean; base?: string; formers?: readonly FormerAddress[] } = {},
): string {
  let depth = 0;
  const { base = '', formers = [] } = options;
  return sanitizeHtml(html, {
    ...(options.sourceLines ? PREVIEW_POLICY : POLICY),
    transformTags: {
      img: (tagName, attribs) => missingPicture(attribs) ?? { tagName, attribs },
      '*': (tagName, attribs) => refine(tagName, attribs, base, formers),
    },
    onOpenTag: () => {
      depth++;
      if (depth > MAX_ELEMENT_NESTING) {
        throw new RenderLimitError(`Elements nest deeper than ${MAX_ELEMENT_NESTING}.`);
      }
    },
    onCloseTag: () => {
      depth--;
    },
  });
}

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Elements that an article can contain. */
export const HTML_TAGS = words(`
  span code a p li td tr th h1 h2 h3 h4 h5 h6 div center section blockquote pre hr br wbr
  ul ol dl dt dd details summary figure figcaption
  table caption colgroup col thead tbody tfoot
  img picture source
  b strong i em s strike del ins u sub sup small mark kbd samp var tt
  abbr cite dfn q time bdi bdo ruby rb rt rtc rp
  label input
`);

/** Presentation MathML as Temml writes it. No `annotation-xml`, `maction`, `mglyph`. */
export const MATH_TAGS = words(`
  math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom menclose
  msub msup msubsup munder mover munderover mmultiscripts mprescripts none mtable mtr mtd
`);

/** Elements removed with their content, which isn't meant to be read. */
const DROPPED_WITH_CONTENT = words(`
  script style textarea option select xmp noscript noembed noframes iframe object template svg
  title plaintext
`);

const MATH_ATTRIBUTES = words(`
  display displaystyle scriptlevel mathvariant mathsize mathcolor mathbackground alttext
  stretchy symmetric fence separator form lspace rspace minsize maxsize largeop movablelimits
  accent accentunder linethickness width height depth voffset columnalign rowspacing
  notation linebreak
`);

const ATTRIBUTES: Record<string, string[]> = {
  '*': ['id', 'title', 'dir', 'lang'],
  a: ['href', 'rel', 'aria-label', 'data-address'],
  img: words('src srcset sizes alt width height align loading decoding'),
  source: words('srcset sizes media type width height'),
  div: words('align role tabindex aria-label'),
  section: words('role aria-label'),
  span: ['aria-hidden'],
  p: ['align'],
  h1: ['align'],
  h2: ['align'],
  h3: ['align'],
  h4: ['align'],
  h5: ['align'],
  h6: ['align'],
  hr: ['align'],
  pre: ['data-diagram'],
  details: ['open'],
  ol: words('start reversed type'),
  li: ['value'],
  table: words('align width border cellpadding cellspacing'),
  colgroup: ['span'],
  col: words('span width align'),
  tr: words('align valign'),
  th: words('align valign colspan rowspan width height scope abbr'),
  td: words('align valign colspan rowspan width height'),
  q: ['cite'],
  blockquote: ['cite'],
  del: words('cite datetime'),
  ins: words('cite datetime'),
  time: ['datetime'],
  input: words('type checked disabled'),
  ...Object.fromEntries(MATH_TAGS.map((tag) => [tag, MATH_ATTRIBUTES])),
};

/** highlight.js: `hljs-title function_`; also marks a language inside another. */
const CODE_CLASS = /^(?:hljs(?:-[a-z_-]+)?|[a-z]+_{1,2}|language-[\p{L}\p{N}_+#.-]+)$/u;
const MATH_CLASS =
  /^(?:tml-[a-z0-9-]+|(?:chr|wbk|ff)-[a-z-]+|math(?:cal|scr)|menclose|longdiv-(?:arc|top)|phasor-(?:angle|bottom)|circle-pad|textcircle|actuarial|upstrike|downstrike|sout|special-fraction)$/;

const CLASSES: Record<string, RegExp[]> = {
  a: [/^(?:anchor|footnote-backref|mention)$/],
  code: [CODE_CLASS, /^math-error$/],
  div: [
    /^(?:markdown-heading|table-scroll|markdown-alert(?:-(?:note|tip|important|warning|caution))?)$/,
  ],
  input: [/^task-list-item-checkbox$/],
  label: [/^task-list-item-label$/],
  li: [/^task-list-item$/],
  ol: [/^contains-task-list$/],
  p: [/^markdown-alert-title$/],
  pre: [/^(?:mermaid-source|math-error)$/],
  section: [/^footnotes$/],
  span: [CODE_CLASS, /^missing-picture$/],
  sup: [/^footnote-ref$/],
  ul: [/^contains-task-list$/],
  ...Object.fromEntries(MATH_TAGS.map((tag) => [tag, [MATH_CLASS]])),
};

/** Below 50 em or 500 px, or at most 100 %, so that an article can't cover the page around it. */
const LENGTH =
  /^[+-]?(?:[0-4]?\d(?:\.\d{1,4})?(?:em|ex)|[0-4]?\d?\d(?:\.\d{1,4})?(?:px|pt)?|\d?\d(?:\.\d+)?%|100%)$/;
const SIZE = /^\d{1,4}(?:px|%)?$/;

/** Allowed values; an attribute with another value is removed. */
const VALUES = new Map<string, RegExp>(
  Object.entries({
    align: /^(?:left|right|center|justify|top|middle|bottom)$/i,
    'aria-hidden': /^true$/,
    'data-diagram': /^mermaid$/,
    'data-line': /^[1-9]\d{0,6}$/,
    dir: /^(?:ltr|rtl|auto)$/i,
    height: SIZE,
    role: /^(?:group|doc-endnotes)$/,
    tabindex: /^0$/,
    width: SIZE,
  }),
);

/** MathML values are stricter, because these attributes can move their content. */
const MATH_VALUES = new Map<string, RegExp>([
  ...VALUES,
  ...Object.entries({
    depth: LENGTH,
    height: LENGTH,
    linethickness: LENGTH,
    lspace: /^(?:[+-]?[\d.]{1,8}(?:em|ex|px|pt|width)|0)$/,
    mathsize: LENGTH,
    maxsize: LENGTH,
    minsize: LENGTH,
    rspace: LENGTH,
    scriptlevel: /^[+-]?\d$/,
    voffset: LENGTH,
    width: LENGTH,
  }),
]);

const LINKS = new Set(LINK_SCHEMES.map((scheme) => `${scheme}:`));
const IMAGES = new Set(['http:', 'https:']);
/** A base URL that no link uses, to tell links to other sites from relative ones. */
const HERE = 'https://here.invalid';

/** Parses a URL like a browser (WHATWG URL); undefined if it is invalid. */
function address(value: string): URL | undefined {
  return URL.canParse(value, HERE) ? new URL(value, HERE) : undefined;
}

function isPictureAddress(value: string | undefined): boolean {
  return value !== undefined && IMAGES.has(address(value)?.protocol ?? '');
}

/** Returns the description of a picture that has no address which it may have. */
function missingPicture({
  src,
  srcset,
  alt = '',
}: sanitizeHtml.Attributes): sanitizeHtml.Tag | undefined {
  if (isPictureAddress(src) || (srcset && !/data:/i.test(srcset))) return undefined;
  return { tagName: 'span', attribs: { class: 'missing-picture' }, text: alt };
}

function articleId(value: string): string | undefined {
  if (value === '' || value.length > 300 || /\s/.test(value)) return undefined;
  return value.startsWith(ID_PREFIX) ? value : ID_PREFIX + value;
}

const MATH_TAG_SET = new Set(MATH_TAGS);

function refine(
  tagName: string,
  attribs: sanitizeHtml.Attributes,
  base: string,
  formers: readonly FormerAddress[],
): sanitizeHtml.Tag {
  for (const name of ['href', 'src'] as const) {
    if (attribs[name] !== undefined) attribs[name] = presentAddress(attribs[name], formers);
  }
  if (attribs.srcset) {
    const parts = attribs.srcset.split(/(?<=[\s,])(?=\S)/);
    attribs.srcset = parts.map((part) => presentAddress(part, formers)).join('');
  }
  const values = MATH_TAG_SET.has(tagName) ? MATH_VALUES : VALUES;
  for (const name of Object.keys(attribs)) {
    const pattern = values.get(name);
    if (pattern && !pattern.test(attribs[name] ?? '')) delete attribs[name];
  }
  if (tagName === 'a') refineLink(attribs, base);
  if (tagName === 'img') {
    if (!isPictureAddress(attribs.src)) delete attribs.src;
    attribs.loading = 'lazy';
    attribs.decoding = 'async';
  }
  if (tagName === 'input') {
    if (attribs.type?.toLowerCase() !== 'checkbox') return { tagName: 'removed', attribs: {} };
    attribs.type = 'checkbox';
    attribs.disabled = '';
  }
  if (attribs.id !== undefined) {
    const id = articleId(attribs.id);
    if (id) attribs.id = id;
    else delete attribs.id;
  }
  return { tagName, attribs };
}

/** Where the address of a link that leads nowhere is cut, in UTF-16 code units. */
const MAX_SHOWN_ADDRESS = 200;

function refineLink(attribs: sanitizeHtml.Attributes, base: string): void {
  // Anchors before ids existed: `<a name="part">`.
  if (attribs.name && attribs.id === undefined) attribs.id = attribs.name;
  delete attribs.rel;
  const link = attribs.href === undefined ? undefined : documentLink(attribs.href);
  if (link) attribs.href = pathOfLink(link, base) + fragmentOf(link);
  const { href } = attribs;
  if (href === undefined) return;
  delete attribs['data-address'];
  const target = address(href);
  if (!target || !LINKS.has(target.protocol)) {
    delete attribs.href;
    attribs['data-address'] = shorten(href.trim(), MAX_SHOWN_ADDRESS);
  } else if (href.startsWith('#')) {
    const id = href.length > 1 && href !== '#top' ? articleId(href.slice(1)) : undefined;
    if (id) attribs.href = `#${id}`;
  } else if (/^https?:$/.test(target.protocol) && target.origin !== HERE) {
    attribs.rel = 'nofollow ugc noopener noreferrer';
  }
}

/** Returns a fragment with the prefix that ids have where the linked document is shown. */
function fragmentOf({ kind, fragment }: DocumentLink): string {
  if (kind === 'page' || fragment === '') return fragment;
  const id = articleId(fragment.slice(1));
  return id === undefined ? '' : `#${id}`;
}

/** `allowedEmptyAttributes` is missing from the types. */
const POLICY: sanitizeHtml.IOptions & { allowedEmptyAttributes: string[] } = {
  allowedTags: [...HTML_TAGS, ...MATH_TAGS],
  allowedAttributes: ATTRIBUTES,
  allowedClasses: CLASSES,
  allowedEmptyAttributes: ['alt', 'href'],
  allowedSchemes: LINK_SCHEMES,
  allowProtocolRelative: true,
  nonTextTags: DROPPED_WITH_CONTENT,
  selfClosing: words('img br hr wbr col source input'),
  parseStyleAttributes: false,
};

const PREVIEW_POLICY: typeof POLICY = {
  ...POLICY,
  allowedAttributes: { ...ATTRIBUTES, '*': [...(ATTRIBUTES['*'] ?? []), 'data-line'] },
};
