import type { JSX } from 'preact';
import type { HiddenText } from '../../../base/markdown/hidden-text.ts';
import { splitInvisible } from '../../../base/text/invisible.ts';

/** The longest lines to show together, in UTF-16 code units. */
const MAX_SHOWN = 100_000;

/** Renders a text with a mark for each character that is invisible otherwise. */
export function WholeText({ text }: { text: string }): JSX.Element {
  return (
    <>
      {splitInvisible(text).map((part) =>
        typeof part === 'string' ? (
          part
        ) : (
          <span class="invisible-character" title={part.name || undefined}>
            {part.code}
          </span>
        ),
      )}
    </>
  );
}

/** Tells whether all that the reading view doesn't show is known and fits on a page. */
export function isShownWhole({ lines }: HiddenText): boolean {
  return lines !== undefined && lengthOf(lines) <= MAX_SHOWN;
}

function lengthOf(lines: readonly { text: string }[]): number {
  return lines.reduce((sum, { text }) => sum + text.length + 1, 0);
}

/**
 * Shows a reviewer what the reading view doesn't. Nothing if there is nothing.
 *
 * @param rawPath the address of the whole text
 */
export function HiddenParts(props: { hidden: HiddenText; rawPath: string }): JSX.Element | null {
  const { hidden, rawPath } = props;
  const { frontMatter, lines, characters } = hidden;
  if (frontMatter === undefined && lines?.length === 0 && characters.length === 0) return null;
  const isWhole = isShownWhole(hidden);
  return (
    <section class="hidden-text" aria-labelledby="hidden-text">
      <h3 id="hidden-text">In the text, but not shown to its readers</h3>
      {frontMatter !== undefined && <Part label="Front matter" text={frontMatter} />}
      {lines && lines.length > 0 && isWhole && (
        <Part
          label="Lines with words that aren’t shown"
          text={lines.map(({ number, text }) => `${number}: ${text}`).join('\n')}
        />
      )}
      {!isWhole && (
        <p class="notice">
          {lines
            ? 'More of this text isn’t shown than fits here, so it can’t be approved. '
            : 'This text is too long or too complicated to find words in it that aren’t shown, so it ' +
              'can’t be approved. '}
          <a href={rawPath}>Read it as Markdown</a>.
        </p>
      )}
      {characters.length > 0 && (
        <>
          <p>Invisible characters:</p>
          <ul>
            {characters.map(({ code, name, count, lines }) => (
              <li>
                <span class="invisible-character">{code}</span> {name && `${name}, `}
                {count === 1 ? 'once' : `${count} times`}, in line {lines.join(', ')}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Part({ label, text }: { label: string; text: string }): JSX.Element {
  return (
    <>
      <p>{label}:</p>
      <pre>
        <WholeText text={text} />
      </pre>
    </>
  );
}
