import { LANGUAGES } from '../languages.ts';
import { create, isBlock, styleOf } from './dom.ts';

const LANGUAGE =
  /(?:^|\s)(?:language-|lang-|highlight-(?:source|text)-|brush:\s*)([\w+#-]+)|(?:^|\s)highlight-(\w+) notranslate/i;

/** Other names of languages in the headers of code. */
const NAMES: Record<string, string> = {
  'c++': 'cpp',
  'c#': 'csharp',
  plaintext: 'text',
  'plain text': 'text',
  console: 'shell',
};

const LINE_NUMBERS =
  '[class*="line-number" i], [class*="linenumber" i], [class*="lineno" i], [class*="gutter" i], ' +
  '.blob-num, .hljs-ln-numbers, [data-style*="user-select:none" i], ' +
  '[data-style*="user-select: none" i]';

const COPY = /\b(?:copy(?: code)?|copied!?|edit|run|wrap|download|expand|collapse)\b/gi;

/** Turns each `pre` into one with a `code` of plain text, without line numbers and headers. */
export function keepCode(body: Element): void {
  for (const table of body.querySelectorAll('table')) mergeCodeTable(table);
  for (const pre of body.querySelectorAll('pre')) toCodeBlock(pre);
}

/** Turns a table with line numbers beside code into the code. */
function mergeCodeTable(table: HTMLTableElement): void {
  const cells = [...table.rows].flatMap((row) => [...row.cells]);
  if (!cells.some((cell) => cell.matches(LINE_NUMBERS))) return;
  const code = cells.filter((cell) => !cell.matches(LINE_NUMBERS));
  if (table.closest('pre')) {
    for (const cell of cells) if (!code.includes(cell)) cell.remove();
    return;
  }
  const text = code.map((cell) => codeText(cell)).join('\n');
  const pre = create(table, 'pre', text);
  pre.className = table.className;
  const own = table.querySelector('pre, code')?.className;
  if (own) pre.className += ` ${own}`;
  table.replaceWith(pre);
}

function toCodeBlock(pre: HTMLPreElement): void {
  for (const number of pre.querySelectorAll(LINE_NUMBERS)) {
    if (number.nodeName !== 'CODE' && !number.querySelector('code')) number.remove();
  }
  const codes = pre.querySelectorAll('code');
  const only = codes.length === 1 ? (codes[0] as Element) : undefined;
  const text = codeText(only ?? pre);
  only?.remove();
  const places = [
    only,
    pre.querySelector('[class]'),
    pre,
    pre.parentElement,
    pre.parentElement?.parentElement,
  ];
  const named = places.flatMap((place) => languageOf(place) ?? []).at(0);
  const header = only ? headerOf(pre) : '';
  const beside = headerBeside(pre, named);
  const language = named ?? knownLanguage(header) ?? beside;
  const code = create(pre, 'code', text);
  if (language) code.className = `language-${language}`;
  const isTold = header === '' || /^[\w+#. -]{1,20}$/.test(header);
  if (!isTold) pre.before(create(pre, 'p', header));
  pre.replaceChildren(code);
}

function languageOf(place: Element | null | undefined): string | undefined {
  if (!place) return undefined;
  const params = place.getAttribute('data-syntaxhighlighter-params') ?? '';
  const [, one, other] = LANGUAGE.exec(`${place.className} ${params}`) ?? [];
  const said = place.getAttribute('data-language') ?? place.getAttribute('data-lang');
  return one ?? other ?? (said && /^[\w+#-]+$/.test(said) ? said.toLowerCase() : undefined);
}

/** Returns the text above code without the labels of buttons. */
function headerOf(element: Element): string {
  return (element.textContent ?? '').replace(COPY, ' ').replace(/\s+/g, ' ').trim();
}

function knownLanguage(header: string): string | undefined {
  const name = header.toLowerCase();
  const language = NAMES[name] ?? name;
  return LANGUAGES.includes(language) || /^[\w+#-]{1,12}$/.test(language) ? language : undefined;
}

/** Removes a header with only a language above code in the same frame. Returns the language. */
function headerBeside(pre: Element, named: string | undefined): string | undefined {
  let frame: Element = pre;
  for (let level = 0; level < 3; level++) {
    const before = frame.previousElementSibling;
    const parent = frame.parentElement;
    if (
      before &&
      parent &&
      parent.children.length === 2 &&
      /^(?:DIV|SPAN|HEADER)$/.test(before.nodeName)
    ) {
      const header = headerOf(before).toLowerCase();
      const language = NAMES[header] ?? header;
      if (header !== '' && language !== named && !LANGUAGES.includes(language)) return undefined;
      before.remove();
      return header === '' ? undefined : language;
    }
    if (!parent || parent.nodeName === 'BODY' || parent.children.length > 1) return undefined;
    frame = parent;
  }
  return undefined;
}

/** Returns the text of code. Elements on lines of their own end lines. */
function codeText(element: Element): string {
  let text = '';
  let isEnded = false;
  const endLine = () => {
    if (text !== '' && !text.endsWith('\n')) text += '\n';
  };
  const visit = (node: Node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const own = node.nodeValue ?? '';
      if (isEnded && own.trim() === '') return;
      if (isEnded) endLine();
      isEnded = false;
      text += own;
    } else if (node.nodeName === 'BR') {
      if (isEnded) endLine();
      isEnded = false;
      text += '\n';
    } else {
      const isLine = node !== element && isLineOfCode(node as Element);
      if (isLine || isEnded) endLine();
      if (isLine) isEnded = false;
      for (const child of node.childNodes) visit(child);
      // An item without text still is a line.
      if (node.nodeName === 'LI' && !node.hasChildNodes()) text += '\n';
      else if (isLine) isEnded = true;
    }
  };
  visit(element);
  return text;
}

function isLineOfCode(element: Element): boolean {
  if (/^(?:TD|TH|TABLE|TBODY)$/.test(element.nodeName)) return false;
  return isBlock(element) || /display:\s*block/i.test(styleOf(element));
}
