import { DATA_PICTURES, isDataPicture } from '../markdown/reference.ts';
import { KINDS, type Kind } from '../schema/kind.ts';
import { escapedBreaks, realBreaks } from '../text/escaped-breaks.ts';
import { type Blocked, blockedAddresses, MAX_LISTED } from './blocked-addresses.ts';
import type { Secret } from './secrets.ts';

/** What is odd about a text that was surely meant otherwise. */
export type Oddity = 'wrapped' | 'wrong-kind' | 'escaped';

const WRAPPED: Record<Kind, RegExp> = {
  brief: /^\s*(`{3,}|~{3,})[ \t]*(?:markdown|md)[ \t]*\r?\n[\s\S]*\n\1[`~]*\s*$/i,
  page: /^\s*(`{3,}|~{3,})[ \t]*(?:html?|xhtml)?[ \t]*\r?\n[\s\S]*\n\1[`~]*\s*$/i,
};

/** The start of an HTML document, perhaps in a fence. */
const HTML_DOCUMENT =
  /^\s*(?:(?:`{3,}|~{3,})[ \t]*html?[ \t]*\r?\n\s*)?<(?:!doctype\s+html|html[\s>])/i;

const BLOCK_TAG =
  /<\/?(?:!doctype|html|head|body|title|style|script|div|p|h[1-6]|ul|ol|table|main|section|article|pre|svg|canvas|form|br|span|img)\b/i;

const ANY_TAG = /<[!/a-z]/i;

const MARKDOWN_LINE = /^(?:#{1,6} \S|[-*+] \S|\d+\. \S|```|> \S|\|.*\|[ \t]*$)/gm;

/** How many line breaks have to be written as `\n` before it is no accident. */
const MANY = 3;

/** How much of a text is looked at, where all of it need not be. */
const START = 65_536;

/**
 * Tells what is odd about a text: all of it in a fence of code, the other kind of document, or line
 * breaks written as `\n`. Only what is obvious, so most texts have nothing.
 */
export function oddityOf(kind: Kind, text: string): Oddity | undefined {
  if (kind === 'brief' && HTML_DOCUMENT.test(text.slice(0, START))) return 'wrong-kind';
  if (isFenced(kind, text)) return 'wrapped';
  if (kind === 'page' && isMarkdown(text)) return 'wrong-kind';
  return hasEscapedBreaks(kind, text) ? 'escaped' : undefined;
}

function isFenced(kind: Kind, text: string): boolean {
  const start = text.slice(0, 1_000);
  const end = text.slice(-1_000);
  // The middle doesn't matter.
  return WRAPPED[kind].test(text.length <= 2_000 ? text : `${start}\n${end}`);
}

function isMarkdown(text: string): boolean {
  const start = text.slice(0, START);
  const lines = start.match(MARKDOWN_LINE)?.length ?? 0;
  return !BLOCK_TAG.test(start) && lines >= (ANY_TAG.test(start) ? 2 : 1);
}

function hasEscapedBreaks(kind: Kind, text: string): boolean {
  const start = text.slice(0, START);
  const escaped = escapedBreaks(kind, start);
  return escaped >= MANY && escaped > 4 * realBreaks(start);
}

export const WARNING_CODES = [
  'blocked-addresses',
  'pictures-left-out',
  'data-pictures',
  'wrapped-content',
  'wrong-kind',
  'escaped-line-breaks',
  'secrets',
  'alike-passage',
  'long-section',
  'being-typed',
] as const;

/** Something about a text that its writer should know. It is stored all the same. */
export interface Warning {
  code: (typeof WARNING_CODES)[number];
  /** In our own words. It quotes nothing of the text but the first characters of secrets. */
  message: string;
  /** For `blocked-addresses` and `pictures-left-out`: they, as written. */
  addresses?: string[];
}

/** What warnings depend on besides the text. */
export interface Written {
  kind: Kind;
  /** Whether anyone can read it. */
  isPublic: boolean;
  /** Hosts that pages can load from, as sources of a policy. */
  pageSources: readonly string[];
  /** Addresses of uploaded pictures: those that readers see in the page, and those without room. */
  pictures?: { inside: readonly string[]; left: readonly string[] };
}

/** Finds what a writer should know about a text. */
export async function findWarnings(
  text: string,
  { kind, isPublic, pageSources, pictures = { inside: [], left: [] } }: Written,
): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const oddity = oddityOf(kind, text);
  if (oddity) warnings.push(oddWarning(kind, oddity));
  if (kind === 'brief' && text.includes(`${DATA_PICTURES}/`)) {
    // The parser takes a while to load.
    const { referencesIn } = await import('../markdown/references.ts');
    const count = referencesIn(text, kind, [DATA_PICTURES]).filter(isDataPicture).length;
    if (count > 0) warnings.push(dataPicturesWarning(count));
  }
  if (kind === 'page') {
    const { inside, left } = pictures;
    const blocked = blockedAddresses(text, pageSources, new Set([...inside, ...left]));
    if (blocked.addresses.length > 0) warnings.push(blockedWarning(blocked));
    if (left.length > 0) warnings.push(leftOutWarning([...new Set(left)]));
  }
  if (isPublic) {
    // Its patterns take a tenth of a second to load.
    const { findSecrets } = await import('./secrets.ts');
    const secrets = await findSecrets(text);
    if (secrets.length > 0) warnings.push(secretsWarning(kind, secrets));
  }
  return warnings;
}

function oddWarning(kind: Kind, oddity: Oddity): Warning {
  const { contentField } = KINDS[kind];
  switch (oddity) {
    case 'wrapped':
      return {
        code: 'wrapped-content',
        message:
          `The whole ${contentField} is in a code fence (\`\`\`), so readers see it as code. Send ` +
          'it without the fence.',
      };
    case 'wrong-kind':
      return {
        code: 'wrong-kind',
        message:
          kind === 'brief'
            ? 'The content is an HTML document, but a brief is Markdown. Publish it as a page.'
            : 'The html is Markdown without HTML. Publish it as a brief.',
      };
    case 'escaped':
      return {
        code: 'escaped-line-breaks',
        message:
          `The ${contentField} has \\n written out instead of line breaks, so it is one line. Send ` +
          'real line breaks.',
      };
  }
}

function blockedWarning({ addresses, more }: Blocked): Warning {
  const count = addresses.length + more;
  const what = count === 1 ? 'an address' : `${count} addresses`;
  return {
    code: 'blocked-addresses',
    message:
      `The page asks for ${what} that pages can’t load, so parts of it are missing. Put scripts, ` +
      'styles and fonts into the HTML. Upload images as files and use their addresses here, or use ' +
      'data: addresses.',
    addresses,
  };
}

function dataPicturesWarning(count: number): Warning {
  const what = count === 1 ? 'A picture of it is' : `${count} pictures of it are`;
  return {
    code: 'data-pictures',
    message:
      `${what} written as a data: address, which briefs don’t show, only the description. Upload ` +
      'the picture as a file, and use its address.',
  };
}

function leftOutWarning(left: readonly string[]): Warning {
  const what = left.length === 1 ? 'One of its pictures' : `${left.length} of its pictures`;
  return {
    code: 'pictures-left-out',
    message:
      `With its uploaded pictures, the page is larger than 5 MB, so ${what} can’t be shown. Upload ` +
      'smaller ones.',
    addresses: left.slice(0, MAX_LISTED),
  };
}

function secretsWarning(kind: Kind, secrets: readonly Secret[]): Warning {
  const list = secrets.map(({ what, line, start }) => `${what} in line ${line} (${start}…)`);
  return {
    code: 'secrets',
    message:
      `This ${kind} is public and seems to contain secrets: ${list.join('; ')}. Anyone can read ` +
      'them, also in the history. Make it private, and replace them where they are used.',
  };
}
