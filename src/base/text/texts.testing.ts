import fc from 'fast-check';

/** Few different lines, so that many are equal. */
const someText = fc
  .array(fc.constantFrom('', 'a', 'b', 'c', 'd', '\r', '# e', ' a', 'one two'), { maxLength: 30 })
  .map((lines) => lines.join('\n'));

/** Text with frequent words, all kinds of white space and surrogate pairs. */
const prose = fc
  .array(
    fc.constantFrom(
      'alpha',
      'beta',
      'gamma',
      'delta',
      '.',
      ',',
      '😀',
      '😁',
      '漢字',
      'é',
      '-',
      '2026',
    ),
    { maxLength: 60 },
  )
  .chain((words) =>
    fc
      .array(fc.constantFrom(' ', '', '\n', '\n\n', '  ', '\t', '\u00a0', '\r\n'), {
        minLength: words.length,
        maxLength: words.length,
      })
      .map((spaces) => words.map((word, index) => word + spaces[index]).join('')),
  );

/** A text derived from another as people change texts: most of it stays. */
const changed = (text: string) =>
  fc
    .array(
      fc.tuple(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(12),
        fc.constantFrom('', '\n', 'x', ' ', 'a new line\n', ' some new words', 'alpha'),
      ),
      { maxLength: 4 },
    )
    .map((edits) => {
      let result = text;
      for (const [place, removed, added] of edits) {
        const at = wholeCharacter(result, Math.floor(place * result.length));
        const end = wholeCharacter(result, at + removed);
        result = result.slice(0, at) + added + result.slice(end);
      }
      return result;
    });

function wholeCharacter(text: string, index: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(index)) ? index + 1 : index;
}

/** A text of whole lines of another, changed line by line. */
const changedByLine = (text: string) =>
  fc
    .array(fc.tuple(fc.nat(40), fc.nat(3), fc.array(fc.constantFrom('', 'a', 'x', 'y'))), {
      maxLength: 4,
    })
    .map((edits) => {
      const lines = text.split('\n');
      for (const [at, removed, added] of edits) {
        lines.splice(at % (lines.length + 1), removed, ...added);
      }
      return lines.join('\n');
    });

export const anyText = fc.oneof(someText, prose, fc.string({ unit: 'binary', maxLength: 60 }));

const versionOf = (text: string) => fc.oneof(changed(text), changedByLine(text), anyText);

/** A text and one derived from it. */
export const twoTexts = anyText.chain((base) => fc.tuple(fc.constant(base), versionOf(base)));

/** A text and two derived from it. */
export const threeTexts = anyText.chain((base) =>
  fc.tuple(fc.constant(base), versionOf(base), versionOf(base)),
);
