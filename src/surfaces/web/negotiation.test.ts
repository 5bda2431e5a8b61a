import { strict as assert } from 'node:assert';
import { describe, it } from 'node:test';
import { type Format, preferredFormat } from './negotiation.ts';

const BROWSER =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const CASES: [accept: string | undefined, format: Format][] = [
  // Programs.
  [undefined, 'markdown'],
  ['*/*', 'markdown'],
  ['text/*', 'markdown'],
  ['text/markdown', 'markdown'],
  ['text/plain', 'markdown'],
  ['application/json', 'markdown'],
  ['application/json, text/plain, */*', 'markdown'],
  ['text/x-markdown', 'markdown'],
  // Browsers.
  [BROWSER, 'html'],
  ['text/html, application/xhtml+xml, image/jxr, */*', 'markdown'],
  ['text/html', 'html'],
  ['TEXT/HTML', 'html'],
  ['text/html;charset=utf-8', 'html'],
  ['text/html; level=1', 'html'],
  ['image/png, text/html', 'html'],
  // Quality decides; Markdown wins a tie.
  ['text/html, text/markdown', 'markdown'],
  ['text/markdown, text/html', 'markdown'],
  ['text/html;q=0.5, text/markdown;q=0.5', 'markdown'],
  ['text/html;q=0.9, text/markdown;q=0.8', 'html'],
  ['text/html;q=0.8, text/markdown;q=0.9', 'markdown'],
  ['text/html;q=0.001', 'html'],
  ['text/html;q=1.000, */*;q=0.999', 'html'],
  ['text/html; Q=0.5, */*; q=0.6', 'markdown'],
  ['text/markdown;q=0.1, */*', 'html'],
  ['text/markdown;q=0.1, text/*;q=0.2', 'html'],
  ['text/*;q=0.5, */*', 'markdown'],
  ['text/html, text/*;q=0.9', 'html'],
  ['text/*, text/html;q=0.9', 'markdown'],
  ['*/*, text/html;q=0.1', 'markdown'],
  // A type with parameters is narrower.
  ['text/html, text/html;level=2;q=0.1, */*;q=0.5', 'html'],
  ['text/html;level=2;q=0.1, text/html, */*;q=0.5', 'html'],
  ['text/html;level=2;q=0.1, */*;q=0.5', 'markdown'],
  // Zero means no.
  ['text/html;q=0', 'markdown'],
  ['text/html;q=0, */*', 'markdown'],
  ['text/markdown;q=0, */*', 'html'],
  ['text/markdown;q=0', 'markdown'],
  ['text/markdown;q=0, text/html;q=0', 'markdown'],
  ['*/*;q=0, text/html', 'html'],
  ['text/*;q=0, text/html', 'html'],
  // Invalid values count as 0, without an error.
  ['', 'markdown'],
  [' ', 'markdown'],
  [',', 'markdown'],
  [',,text/html,,', 'html'],
  ['text', 'markdown'],
  ['html', 'markdown'],
  ['text/', 'markdown'],
  ['/html', 'markdown'],
  ['*/html', 'markdown'],
  ['text/html;q=high', 'markdown'],
  ['text/html;q=2', 'markdown'],
  ['text/html;q=-1', 'markdown'],
  ['text/html;q=NaN, */*;q=0.1', 'markdown'],
  ['text/html;', 'html'],
  ['text/html;;;', 'html'],
  ['text/html;="";q', 'html'],
  ['text/html;x="', 'html'],
  ['text/html;x=",text/markdown;q=0"', 'html'],
  ['x/y;a=",text/html', 'markdown'],
  ['\u00ff\u0001', 'markdown'],
];

describe('preferredFormat (RFC 9110, section 12.5.1)', () => {
  for (const [accept, format] of CASES) {
    it(`${JSON.stringify(accept)} → ${format}`, () => {
      assert.equal(preferredFormat(accept), format);
    });
  }

  it('parses even the longest header in no measurable time', () => {
    for (const piece of ['text/html;q=0.1,', ',', ';', '"', 'text/html;x="\\', ' ', '*/*;']) {
      assert.ok(preferredFormat(piece.repeat(16_384 / piece.length)));
    }
  });
});
