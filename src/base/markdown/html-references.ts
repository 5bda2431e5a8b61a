import { QuoteType, Tokenizer } from 'htmlparser2';
import { localAddress, type PlacedReference, type ReferenceForm } from './reference.ts';

const IMAGE_ATTRIBUTES = ['src', 'srcset', 'poster'];

/** What the addresses in elements' attributes are. */
const FORMS: Record<string, Record<string, ReferenceForm>> = {
  a: { href: 'link' },
  area: { href: 'link' },
  img: imageForms(),
  source: imageForms(),
  video: imageForms(),
  audio: imageForms(),
  track: imageForms(),
  input: imageForms(),
  image: { href: 'image', 'xlink:href': 'image' },
  link: { href: 'resource' },
  script: { src: 'resource' },
  iframe: { src: 'resource' },
  embed: { src: 'resource' },
  object: { data: 'resource' },
};

function imageForms(): Record<string, ReferenceForm> {
  return Object.fromEntries(IMAGE_ATTRIBUTES.map((name) => [name, 'image']));
}

/** A picture of a `srcset` with its width: only commas before a space end its address. */
const CANDIDATE = /([^\s,](?:\S*[^\s,])?)(?:,+(?=\s|$)|(?:\s[^,]*)?(?:,|$))/g;

/** An address in CSS, with or without quotation marks. */
const CSS_URL = /\burl\(\s*(["']?)([^"'()\s]+)\1\s*\)/gi;

/** The attribute that the tokenizer is in. */
interface Attribute {
  name: string;
  form: ReferenceForm | undefined;
  value: string;
  start: number;
  end: number;
}

/**
 * Finds the local addresses in the attributes of HTML. Linear time; never fails.
 *
 * @param own the beginnings of URLs that count as local
 * @param styles whether to read styles, too, which briefs can't have
 */
export function htmlReferences(
  html: string,
  own: readonly string[],
  styles: 'with styles' | 'without styles' = 'without styles',
): PlacedReference[] {
  const found: PlacedReference[] = [];
  let tag = '';
  let current: Attribute | undefined;
  const ignore = (): void => {};
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        tag = html.slice(start, end).toLowerCase();
      },
      onattribname(start, end) {
        const name = html.slice(start, end).toLowerCase();
        const isStyle = name === 'style' && styles === 'with styles';
        const form = Object.hasOwn(FORMS, tag) ? FORMS[tag]?.[name] : undefined;
        current = { name, form: isStyle ? 'image' : form, value: '', start: -1, end: -1 };
      },
      onattribdata(start, end) {
        if (!current?.form) return;
        if (current.start < 0) current.start = start;
        current.value += html.slice(start, end);
      },
      onattribentity(codepoint) {
        if (current?.form) current.value += String.fromCodePoint(codepoint);
      },
      onattribend(quote, end) {
        const isQuoted = quote === QuoteType.Single || quote === QuoteType.Double;
        if (current?.form) {
          // The end is after the quotation mark.
          current.end = isQuoted ? end - 1 : end;
          found.push(...referencesOf(html, current, isQuoted, own));
        }
        current = undefined;
      },
      oncdata: ignore,
      onclosetag() {
        tag = '';
      },
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontext(start, end) {
        if (tag === 'style' && styles === 'with styles')
          found.push(...inCss(html, start, end, own));
      },
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return found;
}

function referencesOf(
  html: string,
  { name, form, value, start, end }: Attribute,
  isQuoted: boolean,
  own: readonly string[],
): PlacedReference[] {
  // A value that begins with an entity isn't the address of a file.
  if (start < 0 || end < start || form === undefined) return [];
  const quote = isQuoted ? html.charAt(end) : '';
  if (name === 'style') return inCss(html, start, end, own);
  if (name === 'srcset') {
    const raw = html.slice(start, end);
    return Array.from(raw.matchAll(CANDIDATE)).flatMap((match) => {
      const [, address = ''] = match;
      const at = start + match.index;
      return reference(address, form, { start: at, end: at + address.length }, quote, own);
    });
  }
  return reference(value, form, { start, end }, quote, own);
}

/** Finds addresses in a style. Those with spaces, quotation marks or parentheses are left out. */
function inCss(
  html: string,
  start: number,
  end: number,
  own: readonly string[],
): PlacedReference[] {
  return Array.from(html.slice(start, end).matchAll(CSS_URL)).flatMap((match) => {
    const [whole, , address = ''] = match;
    const at = start + match.index + whole.lastIndexOf(address);
    const local = localAddress(address, own);
    const write = (to: string): string =>
      (to + (local?.fragment ?? '')).replace(
        /["'()\s&<>]/g,
        (sign) => `%${sign.charCodeAt(0).toString(16)}`,
      );
    const place = { label: undefined, start: at, end: at + address.length, write };
    return local ? [{ form: 'image', ...local, ...place }] : [];
  });
}

/** @param quote the quotation mark around the attribute; empty if it has none */
function reference(
  value: string,
  form: ReferenceForm,
  { start, end }: { start: number; end: number },
  quote: string,
  own: readonly string[],
): PlacedReference[] {
  const local = localAddress(value, own);
  if (!local) return [];
  const write = (address: string): string => {
    const text = escapeAttribute(address + local.fragment);
    return quote === '' && /[\s"'=<>`]/.test(text) ? `"${text}"` : text;
  };
  return [{ form, ...local, label: undefined, start, end, write }];
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}
