import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { allElements, parseTree } from '../../../test/markdown/html-comparison.ts';
import { readFrontMatter } from './front-matter.ts';
import { renderMarkdown } from './render.ts';
import { sanitize } from './sanitize.ts';

/**
 * Renders the Markdown files of `node_modules` here and with cmark-gfm (Debian's package of that
 * name), and prints differences in text, elements and URLs. The reasons for the remaining ones are
 * in docs/decisions/003-rendering.md. Run by hand: `node dist/src/base/markdown/compare-with-cmark.testing.js`.
 */
const ROOT = resolve(import.meta.dirname, '../../../..');
const EXTENSIONS = ['table', 'strikethrough', 'autolink', 'tagfilter', 'tasklist', 'footnotes'];
const CMARK_OPTIONS = ['--unsafe', ...EXTENSIONS.flatMap((name) => ['-e', name])];

/** Elements that only one side uses for the same purpose. */
const OWN_ELEMENTS = /^(div|span|label|input|section|svg|path|s|del)$/;

/** How many characters of each side are shown at a difference. */
const CONTEXT = 80;

const files = globSync(`${ROOT}/node_modules/**/*.md`);
const different: string[] = [];
for (const file of files) {
  const source = comparableSource(readFileSync(file, 'utf8'));
  const ours = shape(renderMarkdown(source).html);
  const output = execFileSync('cmark-gfm', CMARK_OPTIONS, { input: source, maxBuffer: 1e9 });
  const theirs = shape(sanitize(output.toString(), { sourceLines: false }));
  if (ours === theirs) continue;
  let at = 0;
  while (ours[at] === theirs[at]) at++;
  const cut = (text: string) => text.slice(Math.max(0, at - CONTEXT), at + CONTEXT);
  different.push(`${relative(ROOT, file)}\n  here   ${cut(ours)}\n  cmark  ${cut(theirs)}`);
}
console.log(different.join('\n'));
console.log(`${files.length} files, ${different.length} differ`);

/** Removes what cmark-gfm doesn't support: front matter, alerts, math. */
function comparableSource(text: string): string {
  const { body } = readFrontMatter(text.replace(/^\ufeff/, ''));
  return body.replace(/\[!(note|tip|important|warning|caution)\]/gi, '$1').replaceAll('$', '\\$');
}

/** Lists text and elements in order, with URLs, without white space. */
function shape(html: string): string {
  const tree = parseTree(html);
  for (const element of allElements(tree)) {
    if (element.attrs.some(({ name, value }) => name === 'class' && value === 'anchor')) {
      element.childNodes = [];
      element.tagName = 'span';
    }
  }
  const parts: string[] = [];
  const visit = (nodes: typeof tree.childNodes): void => {
    for (const node of nodes) {
      if ('value' in node) parts.push(node.value);
      if (!('tagName' in node)) continue;
      const address = node.attrs.find(({ name }) => name === 'href' || name === 'src')?.value ?? '';
      // Footnotes have different ids.
      const shown = address.startsWith('#') ? '#' : address;
      if (!OWN_ELEMENTS.test(node.tagName)) parts.push(`<${node.tagName} ${shown}>`);
      visit(node.childNodes);
    }
  };
  visit(tree.childNodes);
  return parts.join('').replace(/\s+/g, '');
}
