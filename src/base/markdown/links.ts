import type MarkdownIt from 'markdown-it';
import type { StateInline } from 'markdown-it';
import { LINK_SCHEMES } from './link-schemes.ts';

/** Characters that end a sentence or close markup instead of belonging to a URL. */
const TRAILING_PUNCTUATION = /[?!.,:*_~'"]$/;

/**
 * An email address (GitHub Flavored Markdown, section 6.9), after a character that can't be part of
 * one.
 */
const MAIL_ADDRESS = /(^|[^\w.+-])([\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[\w-]*[a-z])(?![\w-])/;

/**
 * Punctuation of scripts that write no space after it, and closing quotation marks: they end an
 * address (`https://a.example。然后`). Letters of these scripts belong to it.
 */
const FOREIGN_PUNCTUATION =
  '[\\u3001-\\u3003\\u3008-\\u3011\\u3014-\\u301f\\uff01\\uff02\\uff07-\\uff09\\uff0c\\uff0e\\uff1a\\uff1b' +
  '\\uff1f\\uff3b\\uff3d\\uff5b\\uff5d\\uff5f-\\uff65\\ufe10-\\ufe19\\ufe30-\\ufe44\\u060c\\u061b\\u061f' +
  '\\u06d4\\u0964\\u0965\\u201c-\\u201f\\u2026\\u00ab\\u00bb]';

/** What CommonMark takes for an address in angle brackets, with a scheme that isn't linked. */
const NO_ADDRESS = new RegExp(
  `<(?!(?:${LINK_SCHEMES.join('|')}):)[a-z][a-z\\d+.-]{1,31}:[^<>\\0-\\x20]*>`,
  'iy',
);

/** linkify-it's fields that its types omit. */
interface Internals {
  re: Record<string, string> & { email_fuzzy: RegExp; email_fuzzy_global: RegExp };
}

/**
 * Links URLs in text like GitHub: `http(s)://…`, `www.…` and email addresses, no other host names
 * (GitHub Flavored Markdown, section 6.9, "Autolinks (extension)").
 */
export function linkLikeGitHub(md: MarkdownIt): void {
  const { linkify } = md;
  linkify.set({ fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false });
  // Any top-level domain: only addresses with a scheme or `www.` are linked anyway.
  linkify.tlds(['[a-z]{2,63}']);
  linkify.add('ftp:', null);
  linkify.add('//', null);
  linkWww(md);
  md.inline.ruler.before('autolink', 'no_address', noAddress);
  const internals = linkify as unknown as Internals;
  internals.re.email_fuzzy = new RegExp(MAIL_ADDRESS, 'i');
  // Where white space ends an address, so does this punctuation.
  const { src_path: path = '', src_ZCc: space = '', src_pseudo_letter: letter = '' } = internals.re;
  const ends = `${space}|${FOREIGN_PUNCTUATION}|\\u2019(?!${letter})`;
  internals.re.src_path = path.replaceAll(space, ends);
  internals.re.email_fuzzy_global = new RegExp(MAIL_ADDRESS, 'gi');

  // markdown-it marks an entity (`&lt;a@b.example>`) like an escape, which would prevent the link.
  md.core.ruler.before('linkify', 'entities_are_text', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'text_special' && token.info === 'entity') token.type = 'text';
    }
  });

  const matchAtStart = linkify.matchAtStart.bind(linkify);
  linkify.matchAtStart = (text) => {
    const link = matchAtStart(text);
    if (link) link.url = withoutTrailing(link.url, text);
    return link;
  };
}

/** Keeps the brackets of `vector<std::string>` and `<xs:element>`. */
function noAddress(state: StateInline, silent: boolean): boolean {
  NO_ADDRESS.lastIndex = state.pos;
  if (!NO_ADDRESS.test(state.src)) return false;
  if (!silent) state.pending += '<';
  state.pos++;
  return true;
}

/** Links `www.…`. Limits the number of labels, because `www.www.…` would take quadratic time. */
function linkWww({ linkify }: MarkdownIt): void {
  let www: RegExp | undefined;
  linkify.add('www.', {
    validate: (text, pos, self) => {
      const { re } = self as unknown as Internals;
      www ??= new RegExp(
        `^(?:(?:${re.src_domain})\\.){1,8}${re.src_domain_root}${re.src_port}` +
          `${re.src_host_terminator}${re.src_path}`,
        'i',
      );
      return www.exec(text.slice(pos))?.[0].length ?? 0;
    },
    normalize: (match) => {
      match.url = `http://${match.url}`;
    },
  });
}

/**
 * Returns a URL without trailing punctuation and entity (`&copy;`).
 *
 * @param text the text that begins with the URL
 */
function withoutTrailing(url: string, text: string): string {
  let length = url.length;
  if (text[length] === ';') length = /&[a-z0-9]+$/i.exec(url)?.index ?? length;
  while (length > 0 && TRAILING_PUNCTUATION.test(url[length - 1] ?? '')) length--;
  return url.slice(0, length);
}
