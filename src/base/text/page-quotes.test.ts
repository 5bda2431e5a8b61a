import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findPageElement, findPageQuote, pageRanges } from './page-quotes.ts';
import { isFound } from './quote-search.ts';

const PAGE = `<!doctype html>
<html><head><title>Sales report</title><style>p { color: red }</style></head>
<body>
<h1>Sales &amp; costs</h1>
<p>The <b>third</b> quarter was
  better than the second.
<p id="last">The fourth was better.</p>
<div><img src="chart.png" alt="A chart"><br></div>
<table><tr><td>North</td><td>12</td></tr><tr><td>South</td><td>12</td></tr></table>
<script>document.write('The third quarter');</script>
<div><span>one</span><span>two</span></div>
</body></html>
`;

const sourceOf = (found: ReturnType<typeof findPageQuote>) =>
  isFound(found) ? PAGE.slice(found.start, found.end) : found;

describe('Quotes of pages', () => {
  it('are found in the visible text', () => {
    const cases: [input: Parameters<typeof findPageQuote>[1], expected: unknown][] = [
      [{ quote: 'Sales & costs' }, 'Sales &amp; costs'],
      [{ quote: 'third quarter was better' }, 'third</b> quarter was\n  better'],
      [{ quote: 'The third' }, 'The <b>third'],
      [{ quote: 'was better' }, { problem: 'several', count: 2 }],
      [{ quote: 'was better', prefix: 'The fourth ' }, 'was better'],
      [{ quote: '12', prefix: 'South' }, '12'],
      [{ quote: 'onetwo' }, 'one</span><span>two'],
      [{ quote: 'Sales report' }, { problem: 'none', count: 0 }],
      [{ quote: 'document.write' }, { problem: 'none', count: 0 }],
    ];
    for (const [input, expected] of cases) {
      assert.deepEqual(sourceOf(findPageQuote(PAGE, input)), expected, input.quote);
    }
  });

  it('are returned in the page’s own words, with their element', () => {
    const start = PAGE.indexOf('third');
    const end = PAGE.indexOf(' than');
    const image = PAGE.indexOf('<img');
    assert.deepEqual(
      pageRanges(PAGE, [
        { start, end },
        { start: PAGE.lastIndexOf('12'), end: PAGE.lastIndexOf('12') + 2 },
        { start: image, end: image + 10 },
        { start: PAGE.indexOf('fourth'), end: PAGE.indexOf('fourth') + 6 },
      ]),
      [
        {
          element: 'p:1/b:1',
          quote: 'third quarter was better',
          prefix: 'Sales & costs The ',
          suffix: ' than the second. The fourth was',
        },
        {
          element: 'table:1/tr:2/td:2',
          quote: '12',
          prefix: 'urth was better. North 12 South ',
          suffix: ' onetwo',
        },
        {
          element: 'div:1/img:1',
          quote: '',
          prefix: ' second. The fourth was better. ',
          suffix: ' North 12 South 12 onetwo',
        },
        {
          element: 'p:2#last',
          quote: 'fourth',
          prefix: 'was better than the second. The ',
          suffix: ' was better. North 12 South 12 o',
        },
      ],
    );
  });

  it('any part of the text is found again', () => {
    const page = Array.from(
      { length: 60 },
      (_, at) => `<p>Row ${at} &lt;of&gt; <i>many</i> more</p>`,
    ).join('\n');
    const place = fc.nat(page.length - 60);
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 59 }), (start, length) => {
        const [shown] = pageRanges(page, [{ start, end: start + length }]);
        fc.pre(shown !== undefined && shown.quote !== '');
        const found = findPageQuote(page, shown as NonNullable<typeof shown>);
        assert.ok(isFound(found), JSON.stringify(shown));
        assert.ok(found.start < start + length && start < found.end);
        const [again] = pageRanges(page, [found]);
        assert.deepEqual(again, shown);
      }),
      { numRuns: 500 },
    );
  });
});

describe('Elements of pages', () => {
  const sourceAt = (element: string, isNearest = false) => {
    const range = findPageElement(PAGE, element, isNearest);
    return range && PAGE.slice(range.start, range.end);
  };

  it('are found by path, or by id if the path changed', () => {
    assert.equal(sourceAt('div:1/img:1'), '<img src="chart.png" alt="A chart">');
    assert.equal(sourceAt('table:1/tr:2/td:1'), '<td>South</td>');
    assert.equal(sourceAt('p:2#last'), '<p id="last">The fourth was better.</p>');
    assert.equal(sourceAt('div:7/p:1#last'), '<p id="last">The fourth was better.</p>');
    assert.equal(sourceAt('div:7/h2:1#last'), undefined);
    assert.equal(sourceAt('#last'), '<p id="last">The fourth was better.</p>');
    assert.equal(sourceAt('p:1#other'), undefined);
    assert.equal(sourceAt('#other'), undefined);
    assert.equal(sourceAt('div:3'), undefined);
    assert.equal(sourceAt(''), undefined);
  });

  it('added by a script map to the closest one in the page', () => {
    assert.equal(
      sourceAt('div:2/svg:1/rect:3', true),
      '<div><span>one</span><span>two</span></div>',
    );
    assert.equal(sourceAt('svg:1/rect:3', true), undefined);
  });

  it('are distinguished from their text', () => {
    const { start, end } = findPageElement(PAGE, 'table:1') ?? { start: 0, end: 0 };
    const [cell, table] = pageRanges(PAGE, [
      { start, end },
      { start, end, isElement: true },
    ]);
    assert.deepEqual([cell?.element, table?.element], ['table:1/tr:1/td:1', 'table:1']);
  });

  it('limit where a quote is searched', () => {
    const found = findPageQuote(PAGE, { quote: '12', element: 'table:1/tr:2/td:2' });
    assert.ok(isFound(found));
    assert.equal(found.start, PAGE.lastIndexOf('12'));
  });

  it('end at the next one if they aren’t closed', () => {
    assert.match(sourceAt('p:1') ?? '', /^<p>The <b>third.*second\.\n$/s);
  });

  it('nested too deep aren’t read', () => {
    const deep = '<div>'.repeat(100_000);
    assert.deepEqual(findPageQuote(`${deep}text`, { quote: 'text' }), {
      problem: 'none',
      count: 0,
    });
  });
});
