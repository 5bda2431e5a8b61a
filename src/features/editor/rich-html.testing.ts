import fc from 'fast-check';

/** Words and signs, among them all that mean something in Markdown. */
const WORDS =
  'a bc Ada 1. 1) - + * _ ~~ $ $a$ $5 # > ` | [x] (y) ! &lt; &amp;amp; \\ \\( : "q" . --- === 2 a_b_c'.split(
    ' ',
  );

const text = fc
  .array(fc.constantFrom(...WORDS, ' ', ' x ', '- ', '# ', '\n', ' http://e.org/a_b '), {
    minLength: 1,
    maxLength: 4,
  })
  .map((words) => words.join(''));

const element = (tag: string, content: string) => `<${tag}>${content}</${tag.split(' ')[0]}>`;
const LINK = 'a href="https://e.org/"';

const { inline } = fc.letrec<{ inline: string }>((tie) => ({
  inline: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constant('<br>'),
    fc
      .tuple(
        fc.constantFrom('b', 'i', 's', 'span', 'code', 'sub', LINK),
        fc.array(tie('inline'), { minLength: 1, maxLength: 3 }),
      )
      .map(([tag, parts]) => element(tag, parts.join(''))),
  ),
}));
const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));

/** A table whose cells contain lines: blocks in cells lose their signs, such as numbers. */
const table = fc
  .array(fc.array(line, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 3 })
  .map((rows) => {
    const cells = (row: string[], at: number) =>
      row.map((cell) => element(at === 0 ? 'th' : 'td', cell)).join('');
    return element('table', rows.map((row, at) => element('tr', cells(row, at))).join(''));
  });

const { block } = fc.letrec<{ block: string }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 3 },
    fc
      .tuple(fc.constantFrom('p', 'div', 'h2'), line)
      .map(([tag, content]) => element(tag, content)),
    text.map((content) => element('pre', content)),
    table,
    fc
      .tuple(
        fc.constantFrom('ul', 'ol'),
        fc.array(fc.oneof(line, tie('block')), { minLength: 1, maxLength: 3 }),
      )
      .map(([tag, items]) => element(tag, items.map((item) => element('li', item)).join(''))),
    fc
      .tuple(fc.constantFrom('blockquote', 'b', 'i', LINK), tie('block'))
      .map(([tag, content]) => element(tag, content)),
  ),
}));

/** Rich text as any application could copy it. */
export const richHtml = fc
  .array(block, { minLength: 1, maxLength: 3 })
  .map((blocks) => blocks.join(''));
