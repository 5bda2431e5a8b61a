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
const CANDIDATE = /([\s,]*)([^\s,](?:\S*[^\s,])?)(?:,+(?=\s|$)|(?:\s[^,]*)?(?:,|$))/g;

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
 */
export function htmlReferences(html: string, own: readonly string[]): PlacedReference[] {
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
        const form = Object.hasOwn(FORMS, tag) ? FORMS[tag]?.[name] : undefined;
        current = { name, form, value: '', start: -1, end: -1 };
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
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
      ontext: ignore,
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
  if (name === 'srcset') {
    const raw = html.slice(start, end);
    return Array.from(raw.matchAll(CANDIDATE)).flatMap((match) => {
      const [, leading = '', address = ''] = match;
      const at = start + match.index + leading.length;
      return reference(address, form, { start: at, end: at + address.length }, quote, own);
    });
  }
  return reference(value, form, { start, end }, quote, own);
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
