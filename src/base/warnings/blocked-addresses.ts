import { Parser } from 'htmlparser2';

/** What an element loads from, by its name and attribute. */
const LOADED: Record<string, readonly string[]> = {
  script: ['src'],
  img: ['src', 'srcset'],
  source: ['src', 'srcset'],
  video: ['src', 'poster'],
  audio: ['src'],
  track: ['src'],
  iframe: ['src'],
  frame: ['src'],
  embed: ['src'],
  object: ['data'],
  body: ['background'],
  image: ['href', 'xlink:href'],
  use: ['href', 'xlink:href'],
};

/** What a host of `PAGE_SOURCES` may be asked for. */
const ALLOWABLE = new Set(['script', 'img', 'source', 'image', 'link', 'css', 'import', 'body']);

/** What shows pictures. */
const IMAGES = new Set(['img', 'source', 'image', 'video', 'css']);

const LINKS = /(?:^|\s)(?:stylesheet|preload|modulepreload)(?:\s|$)/i;

/** After comments, texts and namespaces, which load nothing. */
const IN_CSS =
  /\/\*[\s\S]*?(?:\*\/|$)|@namespace\s[^;{}]{0,2000}|url\(\s*(?:"([^"\n]{1,2000})"|'([^'\n]{1,2000})'|([^\s"'()]{1,2000}))\s*\)|@import\s+(?:"([^"\n]{1,2000})"|'([^'\n]{1,2000})')|"[^"\n]*"|'[^'\n]*'/gi;

/** Modules, and addresses given to what connects, as far as they stand there as texts. */
const IN_SCRIPT =
  /\b(import\s*\(\s*|from\s*|import\s*|importScripts\s*\(\s*|fetch\s*\(\s*|sendBeacon\s*\(\s*|new\s+(?:WebSocket|EventSource|Worker)\s*\(\s*|\.open\s*\(\s*["'][A-Z]{3,7}["']\s*,\s*)(?:"([^"\n\\]{1,2000})"|'([^'\n\\]{1,2000})'|`([^`\n\\$]{1,2000})`)/g;

/** The address of a module, in an import map. */
const IN_IMPORT_MAP = /:\s*"((?:[a-z][a-z\d+.-]*:|\/|\.)[^"\n\\]{1,2000})"/gi;

/** The most addresses to list. */
export const MAX_LISTED = 20;
const CHUNK = 16_384;
/** Browsers stop at 512. */
const MAX_NESTING = 512;

/** What a page asks the network for in vain. */
export interface Blocked {
  /** As written, at most 20. */
  addresses: string[];
  /** How many more there are. */
  more: number;
}

/**
 * Finds the addresses that a page asks for and can't load, as far as its HTML, styles and scripts
 * name them. What scripts compute isn't found.
 *
 * @param inside addresses of pictures that are put into the page
 * @param sources hosts that pages may load from, as sources of a policy (`https://cdn.example.com`)
 */
export function blockedAddresses(
  html: string,
  sources: readonly string[],
  inside: ReadonlySet<string> = new Set(),
): Blocked {
  const found = new Set<string>();
  const add = (what: string, written: string | undefined): void => {
    const address = written?.trim() ?? '';
    if (address === '' || /^(?:#|data:|blob:|about:|javascript:)/i.test(address)) return;
    if (ALLOWABLE.has(what) && isAllowed(address, sources)) return;
    if (IMAGES.has(what) && inside.has(address.replace(/[?#].*$/s, ''))) return;
    found.add(address);
  };
  let hidden = 0;
  let nesting = 0;
  let collecting: 'style' | 'script' | undefined;
  let isImportMap = false;
  let collected: string[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      nesting++;
      if (name === 'template' || name === 'noscript') hidden++;
      if (hidden > 0) return;
      if (attributes.style) addFrom(attributes.style, IN_CSS, 'css', add);
      if (name === 'style' || (name === 'script' && isScript(attributes.type))) {
        collecting = name;
        collected = [];
        isImportMap = attributes.type?.toLowerCase() === 'importmap';
      }
      if (name === 'link' && LINKS.test(attributes.rel ?? '')) add('link', attributes.href);
      if (name === 'input' && attributes.type === 'image') add('img', attributes.src);
      for (const attribute of LOADED[name] ?? []) {
        const value = attributes[attribute];
        if (attribute !== 'srcset') add(name, value);
        else for (const part of value?.split(/,\s+/) ?? []) add(name, part.trim().split(/\s/)[0]);
      }
    },
    ontext(text) {
      if (collecting) collected.push(text);
    },
    onclosetag(name) {
      nesting--;
      if (name === 'template' || name === 'noscript') hidden = Math.max(0, hidden - 1);
      if (name !== collecting) return;
      const text = collected.join('');
      if (name === 'style') addFrom(text, IN_CSS, 'css', add);
      else if (isImportMap) addFrom(text, IN_IMPORT_MAP, 'import', add);
      else addFromScript(text, add);
      collecting = undefined;
    },
  });
  for (let start = 0; start < html.length && nesting <= MAX_NESTING; start += CHUNK) {
    parser.write(html.slice(start, start + CHUNK));
  }
  parser.end();
  const addresses = [...found];
  return {
    addresses: addresses.slice(0, MAX_LISTED).map((address) => address.slice(0, 300)),
    more: Math.max(0, addresses.length - MAX_LISTED),
  };
}

function isScript(type = ''): boolean {
  return (
    type === '' ||
    /^(?:module|importmap|text\/javascript|application\/javascript|text\/babel)$/i.test(type)
  );
}

function addFrom(
  text: string,
  pattern: RegExp,
  what: string,
  add: (what: string, address: string | undefined) => void,
): void {
  for (const [, ...groups] of text.matchAll(pattern)) add(what, groups.find(Boolean));
}

function addFromScript(
  text: string,
  add: (what: string, address: string | undefined) => void,
): void {
  for (const [, how = '', ...quoted] of text.matchAll(IN_SCRIPT)) {
    const address = quoted.find(Boolean) ?? '';
    const isModule = /^(?:import|from)/.test(how);
    // A bare name is for an import map or a bundler.
    if (isModule && !/^(?:[a-z][a-z\d+.-]*:|\/|\.)/i.test(address)) continue;
    add(isModule ? 'import' : 'connection', address);
  }
}

/** Tells whether a host of {@link Blocked} may be asked. */
function isAllowed(address: string, sources: readonly string[]): boolean {
  const url = URL.parse(address.startsWith('//') ? `https:${address}` : address);
  if (url?.protocol !== 'https:') return false;
  return sources.some((source) => {
    const [, wildcard, host = ''] = /^https:\/\/(\*\.)?(.*)$/.exec(source) ?? [];
    const asked = /:\d+$/.test(host) ? `${url.hostname}:${url.port || '443'}` : url.hostname;
    if (!/:\d+$/.test(host) && url.port !== '') return false;
    return wildcard ? asked.endsWith(`.${host}`) : asked === host;
  });
}
