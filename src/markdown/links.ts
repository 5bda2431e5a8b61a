import type MarkdownIt from 'markdown-it';

/** Characters that end a sentence or close markup rather than belong to an address. */
const TRAILING_PUNCTUATION = /[?!.,:*_~'"]$/;

/** An address of mail (GitHub Flavored Markdown, section 6.9), after what can't be part of one. */
const MAIL_ADDRESS = /(^|[^\w.+-])([\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[\w-]*[a-z])(?![\w-])/;

/** What linkify-it has in fields that its types leave out. */
interface Internals {
  re: Record<string, string> & { email_fuzzy: RegExp; email_fuzzy_global: RegExp };
}

/**
 * Links addresses in text as GitHub does: `http(s)://…`, `www.…` and addresses of mail, and no
 * other host names (GitHub Flavored Markdown, section 6.9, "Autolinks (extension)").
 */
export function linkLikeGitHub(md: MarkdownIt): void {
  const { linkify } = md;
  linkify.set({ fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false });
  // Any top-level domain: addresses with a scheme may have one, and host names alone are off.
  linkify.tlds(['[a-z]{2,63}']);
  linkify.add('ftp:', null);
  linkify.add('//', null);
  linkWww(md);
  const internals = linkify as unknown as Internals;
  internals.re.email_fuzzy = new RegExp(MAIL_ADDRESS, 'i');
  internals.re.email_fuzzy_global = new RegExp(MAIL_ADDRESS, 'gi');

  // An entity before an address (`&lt;a@b.example>`) is text; the rule would take it for an escape.
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

/** The number of labels is bounded, or `www.www.…` would be read to its end at every dot. */
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
 * An address without the punctuation and the entity (`&copy;`) at its end.
 *
 * @param text what the address is the beginning of
 */
function withoutTrailing(url: string, text: string): string {
  let length = url.length;
  if (text[length] === ';') length = /&[a-z0-9]+$/i.exec(url)?.index ?? length;
  while (length > 0 && TRAILING_PUNCTUATION.test(url[length - 1] ?? '')) length--;
  return url.slice(0, length);
}
