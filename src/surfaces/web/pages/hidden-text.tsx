import type { JSX } from 'preact';
import type { HiddenText } from '../../../base/markdown/hidden-text.ts';
import { splitInvisible } from '../../../base/text/invisible.ts';

/** The most of a hidden part to show, in UTF-16 code units. */
const MAX_SHOWN = 20_000;

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

/** Shows a reviewer what the reading view doesn't. Nothing if there is nothing. */
export function HiddenParts({ hidden }: { hidden: HiddenText }): JSX.Element | null {
  const { frontMatter, comments, characters } = hidden;
  if (frontMatter === undefined && comments.length === 0 && characters.length === 0) return null;
  return (
    <section class="hidden-text" aria-labelledby="hidden-text">
      <h3 id="hidden-text">In the text, but not shown to its readers</h3>
      {frontMatter !== undefined && <Part label="Front matter" text={frontMatter} />}
      {comments.length > 0 && <Part label="Comments in HTML" text={comments.join('\n')} />}
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
        <WholeText text={text.slice(0, MAX_SHOWN)} />
      </pre>
      {text.length > MAX_SHOWN && (
        <p class="notice">There is more. Copy the document as Markdown to read it.</p>
      )}
    </>
  );
}
