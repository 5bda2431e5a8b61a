import assert from 'node:assert/strict';
import { allElements, parseTree } from './html-comparison.ts';

const ELEMENTS = new Set(
  `a abbr b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt
  em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd label li mark ol p picture pre q rb
  rp rt rtc ruby s samp section small source span strike strong sub summary sup table tbody td tfoot
  th thead time tr tt u ul var wbr
  math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms
  mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none`.split(/\s+/),
);
const URLS = new Set(['href', 'src', 'srcset', 'cite', 'action', 'formaction', 'data', 'poster']);

/**
 * Fails if HTML, parsed as by a browser, contains anything that could run, load a frame or style,
 * submit a form, lead to another scheme, or take a name of the page.
 */
export function assertHarmless(html: string): void {
  const tree = parseTree(html);
  for (const element of allElements(tree)) {
    assert.ok(ELEMENTS.has(element.tagName), `<${element.tagName}> in ${html}`);
    for (const { name, value } of element.attrs) {
      const where = `${name}="${value}" in ${html}`;
      assert.ok(!/^on/i.test(name), where);
      assert.ok(!['style', 'name', 'srcdoc', 'target', 'is', 'slot'].includes(name), where);
      assert.ok(!/^xlink|^xmlns/.test(name), where);
      if (name === 'form') assert.equal(element.tagName, 'mo', where);
      if (name === 'id') assert.match(value, /^user-content-/, where);
      if (element.tagName === 'input' && name === 'type') assert.equal(value, 'checkbox', where);
      if (URLS.has(name)) {
        for (const part of name === 'srcset' ? value.split(/,\s+/) : [value]) {
          const { protocol } = new URL(part.trim().split(/\s/)[0] ?? '', 'https://here.invalid/');
          assert.match(protocol, /^(?:https?|mailto):$/, where);
        }
      }
    }
  }
  for (const node of [tree, ...allElements(tree)]) {
    for (const child of node.childNodes) assert.notEqual(child.nodeName, '#comment', html);
  }
}
