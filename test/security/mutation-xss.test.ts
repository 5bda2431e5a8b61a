import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseFragment, serialize } from 'parse5';
import { RenderLimitError } from '../../src/base/markdown/limits.ts';
import { renderMarkdown } from '../../src/base/markdown/render.ts';
import { sanitize } from '../../src/base/markdown/sanitize.ts';
import { parseTree } from '../markdown/html-comparison.ts';
import { assertHarmless } from '../markdown/safety.ts';
import { XSS_VECTORS } from '../markdown/xss-vectors.ts';

const html = (source: string): string => renderMarkdown(source).html;

describe('Mutation XSS', () => {
  it('no vector works, alone or inside other Markdown', () => {
    for (const vector of XSS_VECTORS) {
      const indented = vector.replaceAll('\n', '\n  ');
      for (const source of [
        vector,
        `text ${vector} text`,
        `- ${indented}`,
        `> ${vector.replaceAll('\n', '\n> ')}`,
        `# ${vector}`,
        `|a|\n|-|\n|${vector}|`,
        `<div>\n${vector}\n</div>`,
        `<details><summary>${vector}</summary>\n\n${vector}\n\n</details>`,
        `<table><tr><td>${vector}`,
        `<math><mtext>${vector}</mtext></math>`,
        `[^1]\n\n[^1]: ${indented}`,
        `*a* <b ${vector}>`,
        `<a href="${vector}">x</a>`,
        `<p title='${vector}'>x</p>`,
      ]) {
        const output = html(source);
        assertHarmless(output);
        assert.equal(sanitize(output), output, source);
      }
    }
  });

  it('no two vectors work together, and sanitizing again changes nothing', () => {
    const fragments = fc.oneof(
      fc.constantFrom(...XSS_VECTORS),
      fc.constantFrom(
        ...'<a <b> </b> <p> </p> <div> </div> <li> <ul> </ul> <table> <tr> <td> </table> <math> </math>'.split(
          ' ',
        ),
        ...'<mtext> </mtext> <svg> </svg> <style> </style> <details> <summary> <h1> </h1> <pre> <h2>'.split(
          ' ',
        ),
        ...'" \' > < = / ` * _ [ ] ( ) ! # - $ $$ ~~ | & ; : \\ \0'.split(' '),
        '\n',
        '\n\n',
        ' ',
        '\t',
        '    ',
        '<!--',
        '-->',
        '<![CDATA[',
        ']]>',
        '&#x',
        '&lt;',
        '<a href=',
        'href="',
        'onclick=',
        'javascript:',
        'id=x ',
        '- [ ] ',
        '> ',
        '1. ',
        '[^1]',
        '[^1]: ',
        '```\n',
      ),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 12 }), (parts) => {
        const source = parts.join('');
        let output: string;
        try {
          output = html(source);
        } catch (error) {
          assert.ok(error instanceof RenderLimitError, source);
          return;
        }
        assertHarmless(output);
        assert.equal(sanitize(output), output);
        // Inside the markup itself, at any position.
        for (const [tag] of output.matchAll(/<[^>]*>/g)) {
          assert.doesNotMatch(
            tag,
            /<\/?(?:script|style|iframe|svg|form|base|link|meta)\b/i,
            source,
          );
          const outsideValues = tag.replace(/"[^"]*"/g, '""');
          assert.doesNotMatch(outsideValues, /\son\w+\s*=/i, source);
          assert.doesNotMatch(tag, /(?:href|src)="\s*(?:javascript|data|vbscript):/i, source);
        }
      }),
      { numRuns: 3_000, seed: 20_261_121 },
    );
  });

  it('an article can’t close an element around it', () => {
    const fragments = fc.constantFrom(
      ...'<ul> <ol> <li> </li> </ul> <div> </div> <p> </p> <table> <tr> <td> <th> </td> </tr> </table>'.split(
        ' ',
      ),
      ...'<a> </a> <b> </b> <dl> <dd> <dt> </dl> <details> <summary> <section> </section> <h1>'.split(
        ' ',
      ),
      ...'<caption> <tbody> <math> <mi> </mi> </math> <ruby> <rt> <svg> <button> <select> <option>'.split(
        ' ',
      ),
      'x',
      '\n\n',
    );
    fc.assert(
      fc.property(fc.array(fragments, { maxLength: 14 }), (parts) => {
        let output: string;
        try {
          output = html(`<div>\n${parts.join('')}`);
        } catch (error) {
          assert.ok(error instanceof RenderLimitError);
          return;
        }
        const page = parseTree(`<div><article>${output}</article><footer>end</footer></div>`);
        const [outer] = page.childNodes;
        assert.equal(page.childNodes.length, 1, output);
        assert.ok(outer && 'childNodes' in outer);
        assert.deepEqual(
          outer.childNodes.map((node) => node.nodeName),
          ['article', 'footer'],
          output,
        );
      }),
      { numRuns: 2_000, seed: 20_261_121 },
    );
  });

  it('the output is what a browser builds from it, and serializes to itself', () => {
    const once = (text: string) => serialize(parseFragment(text));
    for (const vector of XSS_VECTORS) {
      let output: string;
      try {
        output = html(`${vector}\n\n<div>${vector}</div>`);
      } catch (error) {
        assert.ok(error instanceof RenderLimitError);
        continue;
      }
      // Mutations come from HTML that parses differently each time it is serialized.
      const written = once(output);
      assert.equal(once(written), written, vector);
      assertHarmless(written);
      assert.equal(sanitize(written), sanitize(output), vector);
    }
  });
});
