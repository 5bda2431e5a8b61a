import type { JSX } from 'preact';
import type { Comparison, Row, ShownLine } from '../../base/text/comparison.ts';
import { WholeText } from '../../surfaces/web/pages/hidden-text.tsx';

/** Renders the lines that differ. */
export function Differences({ comparison }: { comparison: Comparison }): JSX.Element {
  const { groups, added, removed, isCut } = comparison;
  if (groups.length === 0) return <p>The texts are the same.</p>;
  return (
    <>
      <p class="comparison-count">
        <span class="added">+{added}</span> <span class="removed">−{removed}</span>
        <span class="visually-hidden"> lines added and removed</span>
      </p>
      <div class="comparison">
        {groups.map((rows) => (
          <div class="comparison-group">
            {rows.map((row) => (
              <Lines row={row} />
            ))}
          </div>
        ))}
      </div>
      {isCut && <p class="notice">There are more changes than fit here.</p>}
    </>
  );
}

function Lines({ row: { before, after, isChanged } }: { row: Row }): JSX.Element {
  return (
    <div class={isChanged ? 'comparison-row changed' : 'comparison-row'}>
      <Side line={before} kind="before" isChanged={isChanged} />
      <Side line={after} kind="after" isChanged={isChanged} />
    </div>
  );
}

function Side(props: {
  line: ShownLine | undefined;
  kind: 'before' | 'after';
  isChanged: boolean;
}): JSX.Element {
  const { line, kind, isChanged } = props;
  if (!line) return <div class={`side ${kind} none`} />;
  const Mark = kind === 'before' ? 'del' : 'ins';
  // If a whole line differs, marking each of its words adds nothing.
  const isWhole = line.parts.every((part) => part.isChanged);
  return (
    <div class={`side ${kind}`}>
      <span class="line-number" aria-hidden="true">
        {line.number}
      </span>
      <code>
        {isChanged && (
          <span class="visually-hidden">{kind === 'before' ? 'Removed: ' : 'Added: '}</span>
        )}
        {line.parts.map((part) => {
          const text = <WholeText text={part.text} />;
          return part.isChanged && !isWhole ? <Mark>{text}</Mark> : text;
        })}
      </code>
    </div>
  );
}
